// What:     the draw of 2,000,000 fans, a tenth of whom have left. Times from the opening until the line is frozen, until
//           two servers have the places, and until every socket has received its place. The longest delay of the servers'
//           event loops.
// Limit:    none; the event loop delay while nothing happens is printed beside it.
// Target:   every socket within 2,000 ms; event loop delay at most 50 ms.
// Measured:
// - A draw of 2,000,000 takes about 0.4 s. A quarter of a million SHA-256 digests take 0.2 s as binary strings and 0.7 s
//   as Buffers.
// - A draw of 1,000 takes 0.3 ms, and the start of a thread for it 70 ms.
// - Two servers on two cores had an event loop delay of at most 78 ms during the draw at normal priority, and of 35 ms at
//   niceness 5 (median of three draws each, hours apart).
// - A position takes 0.1 to 0.2 ms from the wake to the socket (async/eventLoop.ts).
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { importKeys, makeKeys } from '../src/keys.ts'
import { deviceDigest } from '../src/sale/tokens/digests.ts'
import { createTokens } from '../src/sale/tokens/tokens.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { figure, median } from './support/compare.ts'
import { type Served, startApi } from './support/processes.ts'
import { openSocketGroup, type SocketGroup } from './support/socketGroup.ts'
import { startStores } from './support/stores.ts'

const PLACES = 2_000_000
/** Sockets on each of the two servers. */
const SOCKETS = 2_000
const ROUNDS = 3
const OPENS_IN_MS = 6_000
/** The part of it that measures the event loop delay of this machine while nothing happens. */
const QUIET_MS = 3_000
const TIMEOUT_MS = 60_000
const DEVICE = 'bench'
const FIELDS =
  'queuePosition(queueToken: $token) { state arrival place position estimatedWaitSeconds pollAfterSeconds }'

interface Figures {
  readonly frozen: number
  readonly places: number
  readonly heard: number
  /** The longest event loop delay in milliseconds: before the opening (quiet) and after it (delay). */
  readonly quiet: number
  readonly delay: number
}

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
// A client without a statement timeout.
const loader = new pg.Client({ connectionString: stores.databaseUrl })
await loader.connect()
const keys = await makeKeys()
const tokens = createTokens(await importKeys(keys))
const servers = [
  await startApi(stores, keys, { cores: '0,1' }),
  await startApi(stores, keys, { cores: '0,1' }),
]

const rounds: Figures[] = []
for (let i = 0; i < ROUNDS; i++) {
  const round = await openOnce()
  rounds.push(round)
  process.stdout.write(
    `  ms from the opening: frozen ${figure(round.frozen)}, places on both servers ${figure(round.places)}, ` +
      `all ${2 * SOCKETS} sockets ${figure(round.heard)}; longest event loop delay ${figure(round.delay)} ms ` +
      `(before it ${figure(round.quiet)})\n`,
  )
}
const middle = (of: keyof Figures) => {
  const figures = rounds.map((round) => round[of])
  return `${figure(median(figures))} (worst ${figure(Math.max(...figures))}) ms`
}
process.stdout.write(
  `\n${PLACES.toLocaleString('en')} in the draw, medians and worst of ${ROUNDS} rounds: frozen after ${middle('frozen')}, ` +
    `places on both servers after ${middle('places')}, all ${2 * SOCKETS} sockets have theirs after ${middle('heard')} ` +
    `(target: 2,000); longest event loop delay ${middle('delay')}, and ${middle('quiet')} while nothing happened (target: 50)\n`,
)

for (const server of servers) await server.stop()
await loader.end()
await db.close()
await stores.stop()

async function openOnce(): Promise<Figures> {
  const { id } = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 3_600,
    sections: [{ seats: 1_000 }],
  })
  await loader.query(
    `insert into places (event_id, arrival, account, device, left_at, changed_at)
     select $1, no, decode(substr(md5(no::text), 1, 24), 'hex'), $3, l.at, l.at
     from generate_series(1, $2::int) no
     left join (select now() as at) l on no > $4 and no % 10 = 5`,
    // The fans with a socket have not left.
    [id, PLACES, deviceDigest(DEVICE), 2 * SOCKETS],
  )
  // Real fans join over a quarter of an hour. The checkpoint writes what their joins left, which is no work of the draw.
  await loader.query('vacuum analyze places')
  await loader.query('checkpoint')
  /** When each socket received its place. */
  const received = new Map<string, number>()
  const groups = await Promise.all(
    servers.map((server, no) =>
      listeners(server, id, no, (at, i, { state, place }) => {
        if (state === 'WAITING' && place !== null && !received.has(`${no} ${i}`))
          received.set(`${no} ${i}`, at)
      }),
    ),
  )
  await Promise.all(groups.map((group) => group.until(SOCKETS)))

  const opensAt = new Date(Date.now() + OPENS_IN_MS)
  for (const table of ['sales', 'rooms'])
    await db.pool.query(`update ${table} set opens_at = $2 where event_id = $1`, [id, opensAt])
  await sleep(OPENS_IN_MS - QUIET_MS - 500)
  // The metric is the longest delay since it was last read.
  await Promise.all(servers.map(longestDelay))
  await sleep(QUIET_MS)
  const quiet = Math.max(...(await Promise.all(servers.map(longestDelay))))
  const opening = performance.now() + opensAt.getTime() - Date.now()
  const since = () => performance.now() - opening
  const [frozen, ...places] = await Promise.all([
    until(() => isFrozen(id), since),
    ...servers.map((server) => until(() => hasPlace(server, id), since)),
  ])
  // Sockets receive other messages too: every 15 s that there is no draw yet.
  await until(async () => received.size === 2 * SOCKETS, since)
  const heard = Math.max(...received.values()) - opening
  const delay = Math.max(...(await Promise.all(servers.map(longestDelay))))
  for (const group of groups) group.close()
  return { frozen, places: Math.max(...places), heard, quiet, delay }
}

interface Position {
  readonly state: string
  readonly place: number | null
}

function listeners(
  server: Served,
  eventId: string,
  no: number,
  onPosition: (at: number, i: number, position: Position) => void,
): Promise<SocketGroup> {
  return openSocketGroup(
    server.url,
    SOCKETS,
    (i) => [
      {
        id: '1',
        type: 'subscribe',
        payload: {
          query: `subscription ($token: String!) { ${FIELDS} }`,
          variables: { token: tokenOf(eventId, 1 + 2 * i + no) },
        },
      },
    ],
    (at, i, data) => {
      const { type, payload } = JSON.parse(String(data))
      if (type === 'next') onPosition(at, i, payload.data.queuePosition)
    },
    { deviceId: DEVICE },
  )
}

function tokenOf(eventId: string, arrival: number): string {
  const device = new Uint8Array(deviceDigest(DEVICE))
  return tokens.signQueueToken({ eventId, accountId: `fan ${arrival}`, device, arrival })
}

async function isFrozen(eventId: string): Promise<boolean> {
  const { rows } = await db.pool.query('select size from rooms where event_id = $1', [eventId])
  return rows[0].size !== null
}

async function hasPlace({ url }: Served, eventId: string): Promise<boolean> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'device-id': DEVICE },
    body: JSON.stringify({
      query: `query ($token: String!) { ${FIELDS} }`,
      variables: { token: tokenOf(eventId, PLACES) },
    }),
  })
  const { data } = (await response.json()) as { data: { queuePosition: { place: number | null } } }
  return data.queuePosition.place !== null
}

async function until(isSo: () => Promise<boolean>, since: () => number): Promise<number> {
  while (!(await isSo())) {
    if (since() > TIMEOUT_MS) throw new Error('the draw did not finish in time after the opening')
    await sleep(20)
  }
  return since()
}

/** The longest event loop delay of the server in milliseconds since the last call. */
async function longestDelay({ url }: Served): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return 1_000 * Number(/^nodejs_eventloop_lag_max_seconds (.*)$/m.exec(metrics)?.[1])
}
