// What:     20,000 joins over HTTP within one second, and the latency of holds meanwhile. Two settings: the waiting room
//           has a process, a Redis and a database of its own, or it shares those of booking.
// Limit:    the latency of the same holds while no fan joins.
// Target:   p99 of holds at most 1.5 times the quiet p99. Every join answered and journalled, each account once.
// Measured:
// - Signing with Ed25519 costs three times the checking time of RSA, so the bench signs as most identity providers do.

import { spawnSync } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { JoinQueueDocument } from '../clients/sdk/generated/operations.ts'
import { ascending, percentile } from '../clients/surge/percentiles.ts'
import { makeKeys } from '../src/keys.ts'
import { accountDigest } from '../src/sale/tokens/digests.ts'
import { createDatabase, type Database } from '../src/sql/database/database.ts'
import { insertEvent, type TestEvent } from '../test/support/event.ts'
import { figure, median } from './support/compare.ts'
import { operation } from './support/load.ts'
import { type Answers, prepareOpenLoopLoad } from './support/openLoopLoad.ts'
import { startApi } from './support/processes.ts'
import { type Stores, startStores } from './support/stores.ts'

const JOINS = 20_000
const JOINS_A_SECOND = 20_000
/** Connections of fans: the largest number for one process, with client and server in separate processes. */
const CONNECTIONS = 10_000
const HOLDS_A_SECOND = 100
/** Joins of the warm-up round, which is not counted. */
const WARMING_JOINS = 4_000
const QUIET_SECONDS = 6
/** Duration of the holds. The burst starts after the quiet part. */
const SECONDS = 14
const ROUNDS = 2
const AT_MOST = 1.5
const HOLDERS = 1_000

const HOLD = `mutation Hold($input: HoldInput!) {
  hold(input: $input) { __typename ... on Hold { id expiresAt items { seat { id } } } ... on Refusal { message } }
}`

/** Signs with RSA like nearly all identity providers: Ed25519, the embedded default, is slower to check. */
const provider = await startProvider()
const keys = await makeKeys()
/** Signed in advance, because signing takes longer than joining. Both settings use the same tokens; each round has its own. */
const tokens = await provider.tokens(
  Array.from({ length: WARMING_JOINS + ROUNDS * JOINS }, (_, i) => `fan-${i}`),
)

/** The cores of each part. Apart: like two machines with one core each. Together: all parts on both cores. */
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
/** Runs one setting alone: `node bench/burst.ts together`. */
const [only = ''] = process.argv.slice(2)
for (const setting of settings) if (setting.name.startsWith(only)) await measure(setting)
provider.stop()

/** Microseconds of processor time for each join until the last answer. In the shared setting it includes the holds. */
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
    PAYMENTS: 'sandbox',
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
    // Built before the connections open: a server waits at most half a minute for the first request of a connection.
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
    // The first round is the warm-up.
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
  const cpu = (part: keyof Used) => figure(median(used.map((round) => round[part])))
  const of = (pick: (burst: Answers) => number) => figure(median(bursts.map(pick)))
  const quietHolds = ascending(rounds.flatMap((round) => round.quiet))
  const holdsMeanwhile = ascending(rounds.flatMap((round) => round.meanwhile))
  const [quiet, meanwhile] = [percentile(quietHolds, 0.99), percentile(holdsMeanwhile, 0.99)]
  const ratio = meanwhile / quiet
  process.stdout.write(`${JOINS.toLocaleString('en')} joins planned within ${figure(JOINS / JOINS_A_SECOND)} s over HTTP, ${name}
  sent within ${of(({ sentWithin }) => sentWithin)} s, all answered after ${of(({ seconds }) => seconds)} s: ${of(({ seconds }) => JOINS / seconds)} joins/s
  answers that asked for a retry: ${of(({ retries }) => retries)}; µs of CPU a join: the room's process ${cpu('api')}, its Redis ${cpu('redis')}, its PostgreSQL ${cpu('postgres')}, the client on the same cores ${cpu('client')}
  every join answered and journalled, one place an account, no index twice: checked in SQL, ${bursts.length} times
  p99 of holds, ${HOLDS_A_SECOND} a second: quiet ${figure(quiet)} ms, meanwhile ${figure(meanwhile)} ms (of ${holdsMeanwhile.length})
  ratio ${figure(ratio)}, at most ${AT_MOST}: ${ratio <= AT_MOST ? 'kept' : 'exceeded'}
  p50 of holds: quiet ${figure(percentile(quietHolds, 0.5))} ms, meanwhile ${figure(percentile(holdsMeanwhile, 0.5))} ms

`)
}

/** Throws an Error if an answer differs from the journal, or if an account or an index has two places. */
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
    if (journalled.get(account) !== arrival) throw new Error(`the answer differs from the journal: ${body}`)
  })
}

function fansOf(first: number, count: number): number[] {
  return Array.from({ length: count }, (_, i) => first + i)
}

function joinRequests(event: TestEvent, fans: readonly number[]): Buffer[] {
  return fans.map((fan) =>
    operation(
      JoinQueueDocument.text,
      { input: { eventId: event.id } },
      {
        authorization: `Bearer ${tokens[fan]}`,
        'device-id': `device-of-fan-${fan}-0123456789`,
        // Each fan has an address of their own, behind a proxy.
        'x-forwarded-for': `10.${(fan >> 16) & 255}.${(fan >> 8) & 255}.${fan & 255}`,
      },
    ),
  )
}

/** Requests for two seats each; each seat occurs once. */
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

/** Starts the stores on these cores: a child inherits the cores of its parent. */
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
