// 20,000 joins within one second over HTTP, and what holds make of it meanwhile: with the room's process, Redis and
// database apart from booking's, and together.

import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { joinQueue } from '../clients/sdk/operations.ts'
import { ascending, percentile } from '../clients/surge/percentiles.ts'
import { makeKeys } from '../src/keys.ts'
import { accountDigest } from '../src/sale/tokens/digests.ts'
import { createDatabase, type Database } from '../src/sql/database.ts'
import { insertEvent, type TestEvent } from '../test/support/event.ts'
import { figure, median } from './support/compare.ts'
import { operation } from './support/load.ts'
import { type Answers, prepareOpenLoopLoad } from './support/openLoopLoad.ts'
import { startApi } from './support/processes.ts'
import { type Stores, startStores } from './support/stores.ts'

const JOINS = 20_000
const JOINS_A_SECOND = 20_000
/** Of fans: as many as a process may have here, with each end of them in a process of its own. */
const CONNECTIONS = 10_000
const HOLDS_A_SECOND = 100
/** In the round that warms everything up and is not counted. */
const WARMING_JOINS = 4_000
const QUIET_SECONDS = 6
/** Holds go on for so long; the burst begins after the quiet part. */
const SECONDS = 14
const ROUNDS = 2
const AT_MOST = 1.5
const HOLDERS = 1_000

const HOLD = `mutation Hold($input: HoldInput!) {
  hold(input: $input) { __typename ... on Hold { id expiresAt items { seat { id } } } ... on Refusal { message } }
}`

/** RSA, as nearly all identity providers sign: Ed25519, which the embedded default signs with, takes three times as long to check. */
const provider = await startProvider()
const keys = await makeKeys()
/** Signing takes longer than joining: both settings are joined with the same, and each round with others. */
const tokens = await provider.tokens(
  Array.from({ length: WARMING_JOINS + ROUNDS * JOINS }, (_, i) => `fan-${i}`),
)

/** Where things run. Apart: as on two machines of one core each. Together: all on the two cores. */
interface Setting {
  readonly name: string
  readonly booking: string
  readonly room: string
  readonly isApart: boolean
}

const settings: readonly Setting[] = [
  {
    name: "apart: the room's process, Redis and database on a core of their own",
    booking: '0',
    room: '1',
    isApart: true,
  },
  {
    name: 'together: one process, one Redis, one database, on two cores',
    booking: '0-1',
    room: '0-1',
    isApart: false,
  },
]
/** One of them alone: `node bench/burst.ts together`. */
const [only = ''] = process.argv.slice(2)
for (const setting of settings) if (setting.name.startsWith(only)) await measure(setting)
provider.stop()

/** Microseconds of processor time for each join, until all are answered; together also what holds took meanwhile. */
interface Used {
  readonly api: number
  readonly redis: number
  readonly postgres: number
  readonly client: number
}

async function measure({ name, booking, room, isApart }: Setting): Promise<void> {
  const bookingStores = await startStoresOn(booking)
  const roomStores = isApart ? await startStoresOn(room) : bookingStores
  const variables = {
    EMBEDDED: 'false',
    JWKS_URL: provider.url,
    JWT_ISSUER: provider.issuer,
    JWT_AUDIENCE: provider.audience,
    TRUSTED_PROXIES: 'loopback',
    QUEUE_DATABASE_URL: roomStores.databaseUrl,
    QUEUE_REDIS_URL: roomStores.redisUrl,
  }
  const bookingApi = await startApi(bookingStores, keys, { variables, cores: booking })
  const roomApi = isApart ? await startApi(bookingStores, keys, { variables, cores: room }) : bookingApi
  const db = createDatabase(bookingStores.databaseUrl)
  const roomDb = isApart ? createDatabase(roomStores.databaseUrl) : db

  const bursts: Answers[] = []
  const rounds: { quiet: number[]; meanwhile: number[] }[] = []
  const used: Used[] = []
  for (let round = 0; round <= ROUNDS; round++) {
    const event = await insertEvent(
      db,
      { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600 },
      roomDb,
    )
    // Signed before anybody connects: a server waits for the first request of a connection half a minute at most.
    const fans = round === 0 ? fansOf(0, WARMING_JOINS) : fansOf(WARMING_JOINS + (round - 1) * JOINS, JOINS)
    const [bench, joining] = [await holdRequests(db), joinRequests(event, fans)]
    const holds = await prepareOpenLoopLoad(bench, bookingApi.url, {
      folder: bookingStores.folder,
      cores: booking,
      perSecond: HOLDS_A_SECOND,
      connections: 32,
      expect: '"__typename":"Hold"',
    })
    const joins = await prepareOpenLoopLoad(joining, roomApi.url, {
      folder: bookingStores.folder,
      cores: room,
      perSecond: JOINS_A_SECOND,
      connections: CONNECTIONS,
      expect: '"arrival"',
    })
    holds.begin()
    await new Promise((resolve) => setTimeout(resolve, QUIET_SECONDS * 1_000))
    const before = { api: await roomApi.cpu(), ...roomStores.cpu() }
    joins.begin()
    const burst = await joins.done
    const after = { api: await roomApi.cpu(), ...roomStores.cpu() }
    await check(event, fans, burst, roomDb)
    const { answers, startedAt } = await holds.done
    const failed = answers.filter(({ body }) => !body.includes('"__typename":"Hold"'))
    if (failed.length > 0) throw new Error(`${failed.length} holds failed: ${failed[0]?.body}`)
    // The first warms up, and is not counted.
    if (round === 0) continue
    bursts.push(burst)
    used.push({
      api: (after.api - before.api) / JOINS,
      redis: (after.redis - before.redis) / JOINS,
      postgres: (after.postgres - before.postgres) / JOINS,
      client: (burst.cpuSeconds * 1e6) / JOINS,
    })
    rounds.push({
      quiet: latencies(answers, startedAt + 1_000, burst.startedAt),
      meanwhile: latencies(answers, burst.startedAt, burst.startedAt + burst.seconds * 1_000),
    })
  }
  report(name, bursts, rounds, used)
  for (const api of new Set([bookingApi, roomApi])) await api.stop()
  for (const database of new Set([db, roomDb])) await database.close()
  for (const stores of new Set([bookingStores, roomStores])) await stores.stop()
}

function report(
  name: string,
  bursts: readonly Answers[],
  rounds: readonly { quiet: number[]; meanwhile: number[] }[],
  used: readonly Used[],
): void {
  const cpu = (whose: keyof Used) => figure(median(used.map((round) => round[whose])))
  const of = (pick: (burst: Answers) => number) => figure(median(bursts.map(pick)))
  const quietHolds = ascending(rounds.flatMap((round) => round.quiet))
  const holdsMeanwhile = ascending(rounds.flatMap((round) => round.meanwhile))
  const [quiet, meanwhile] = [percentile(quietHolds, 0.99), percentile(holdsMeanwhile, 0.99)]
  const ratio = meanwhile / quiet
  process.stdout.write(`${JOINS.toLocaleString('en')} joins due within ${figure(JOINS / JOINS_A_SECOND)} s over HTTP, ${name}
  sent within ${of(({ sentWithin }) => sentWithin)} s, all answered after ${of(({ seconds }) => seconds)} s: ${of(({ seconds }) => JOINS / seconds)} joins/s
  told to come back later: ${of(({ comeBacks }) => comeBacks)}; of each join the room's process took ${cpu('api')} µs of CPU, its Redis ${cpu('redis')}, its PostgreSQL ${cpu('postgres')}, and whoever sends them, on the same cores, ${cpu('client')}
  every join answered, journalled, one place an account, no index twice: checked in SQL, ${bursts.length} times
  p99 of holds, ${HOLDS_A_SECOND} a second: quiet ${figure(quiet)} ms, meanwhile ${figure(meanwhile)} ms (of ${holdsMeanwhile.length})
  ratio ${figure(ratio)}, at most ${AT_MOST}: ${ratio <= AT_MOST ? 'kept' : 'exceeded'}
  p50 of holds: quiet ${figure(percentile(quietHolds, 0.5))} ms, meanwhile ${figure(percentile(holdsMeanwhile, 0.5))} ms

`)
}

/** Throws where a join was not answered as it is journalled, or an account or an index is there twice. */
async function check(
  event: TestEvent,
  fans: readonly number[],
  { answers }: Answers,
  roomDb: Database,
): Promise<void> {
  const { rows } = await roomDb.pool.query<{ arrival: number; account: Buffer }>(
    'select arrival, account from places where event_id = $1',
    [event.id],
  )
  const journalled = new Map(rows.map(({ arrival, account }) => [account.toString('hex'), arrival]))
  const indexes = new Set(rows.map(({ arrival }) => arrival))
  if ([rows.length, journalled.size, indexes.size].some((count) => count !== fans.length))
    throw new Error(`${rows.length} places of ${journalled.size} accounts with ${indexes.size} indexes`)
  answers.forEach(({ body }, i) => {
    const arrival = Number(/"arrival":(\d+)/.exec(body)?.[1])
    const account = accountDigest(event.id, `fan-${fans[i]}`).toString('hex')
    if (journalled.get(account) !== arrival) throw new Error(`not answered as journalled: ${body}`)
  })
}

function fansOf(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i)
}

function joinRequests(event: TestEvent, fans: readonly number[]): Buffer[] {
  return fans.map((fan) =>
    operation(
      joinQueue.text,
      { input: { eventId: event.id } },
      {
        authorization: `Bearer ${tokens[fan]}`,
        'device-id': `device-of-fan-${fan}-0123456789`,
        // Everybody comes from home, by way of a proxy.
        'x-forwarded-for': `10.${(fan >> 16) & 255}.${(fan >> 8) & 255}.${fan & 255}`,
      },
    ),
  )
}

/** Two seats each, never the same. */
async function holdRequests(db: Database): Promise<Buffer[]> {
  const holds = HOLDS_A_SECOND * SECONDS
  const event = await insertEvent(db, { sections: Array.from({ length: 10 }, () => ({ seats: holds / 5 })) })
  const tokens = await provider.tokens(Array.from({ length: HOLDERS }, (_, i) => `holder-${i}`))
  return Array.from({ length: holds }, (_, i) =>
    operation(
      HOLD,
      {
        input: {
          eventId: event.id,
          idempotencyKey: `hold-${i}`,
          selection: { seats: [event.seatId(2 * i + 1), event.seatId(2 * i + 2)] },
        },
      },
      { authorization: `Bearer ${tokens[i % HOLDERS]}`, 'device-id': `device-of-holder-${i % HOLDERS}` },
    ),
  )
}

function latencies(answers: Answers['answers'], from: number, to: number): number[] {
  return answers.filter(({ at }) => at >= from && at < to).map(({ ms }) => ms)
}

/** Children run where this process does when they are started. */
function startStoresOn(cores: string): Promise<Stores> {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(process.pid)])
  return startStores()
}

async function startProvider() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk: JWK = { ...(await exportJWK(publicKey)), kid: 'bench', alg: 'RS256', use: 'sig' }
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys: [jwk] })))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const [issuer, audience] = ['https://id.example.com', 'fairgate']
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks.json`,
    issuer,
    audience,
    stop: () => void server.close(),
    async tokens(accounts: readonly string[]): Promise<string[]> {
      return Promise.all(
        accounts.map((account) =>
          new SignJWT({ email: `${account}@example.com`, email_verified: true })
            .setProtectedHeader({ alg: 'RS256', kid: 'bench', typ: 'JWT' })
            .setSubject(account)
            .setIssuer(issuer)
            .setAudience(audience)
            .setIssuedAt()
            .setExpirationTime('12h')
            .sign(privateKey),
        ),
      )
    },
  }
}
