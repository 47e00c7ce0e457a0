// What:     holds of two named seats over GraphQL, through Prisma; and holds that are refused because the seats are taken.
// Limit:    bare node:http and pg with the same SQL function and the same answer; a stock Yoga with a Prisma resolver and
//           the same function; for refused holds the rate of successful ones. All sides have the same number of
//           connections, in pg's own pool.
// Target:   ratio at least 0.85 to node:http and pg, at least 1.6 to Yoga and Prisma; refused holds at least 2. HOT updates
//           of seats: a share of at least 0.9.
// How:      holds per second of the whole machine. Each server has one core to itself, and PostgreSQL and Redis share the
//           rest (only Fairgate publishes changes to Redis). Every connection has planned with the same statistics before
//           the first counted round. The SQL function is most of the cost of a hold, so a faster function makes the
//           server's share larger. Therefore each side also reports the server's own processor time.
// Measured:
// - The SQL of a hold takes 560 µs of processor time with the plans of prisma/functions/begin_hold.sql, and 1,250 µs if PostgreSQL
//   plans at each call.
// - In a loop, an answer as one JSON column takes 190 µs of the client's processor time, and 230 µs as 21 columns.
import { compare, figure, median } from './support/compare.ts'
import { startHoldBench } from './support/holdBench.ts'
import { load, operation, request } from './support/load.ts'
import { type Served, startStock } from './support/processes.ts'

const HOLDS = 1_000
const ROUNDS = 5
/** Enough for five sides with five rounds each and up to two warm-up rounds. */
const SEATS = HOLDS * 2 * (ROUNDS + 2) * 5

const bench = await startHoldBench(Array(100).fill({ seats: SEATS / 100 }))
const { api, event } = bench
const bare = await startStock('holdBare', { DATABASE_URL: bench.stores.databaseUrl })
const yoga = await startStock('holdYoga', { DATABASE_URL: bench.stores.databaseUrl })

let seat = 1
const nextSeats = () => [seat++, seat++]
const input = () => ({ eventId: event.id, ...bench.nextCaller(), seatNos: nextSeats() })
const named = (seatNos: readonly number[]) => bench.hold({ seats: seatNos.map(event.seatId) })

const own: Record<string, number[]> = {}
const side = (name: string, server: Served, expect: string, next: () => Buffer) => ({
  name,
  async run() {
    const { perSecond, perCpuSecond } = await load({ server, answers: HOLDS, expect, next })
    own[name] = [...(own[name] ?? []), 1e6 / perCpuSecond]
    return perSecond
  },
})
const HELD = '"state":"ACTIVE"'
const ours = side('fairgate', api, HELD, () => named(nextSeats()))
const unit = 'holds/s'
const bareSide = side('bare node:http and pg, the same function', bare, HELD, () =>
  request('POST', '/', { 'content-type': 'application/json' }, JSON.stringify(input())),
)
const yogaSide = side('stock Yoga and Prisma, the same function', yoga, HELD, () =>
  operation(
    `mutation Hold($input: HoldInput!) {
      hold(input: $input) {
        __typename id state expiresAt asOf total { amount currency } items { seat { id } total { amount } }
      }
    }`,
    { input: input() },
  ),
)
for (const { run } of [bareSide, yogaSide, ours]) await run()
await bench.db.pool.query('vacuum analyze')

await compare({
  title: 'hold over GraphQL, through Prisma',
  unit,
  atLeast: 0.85,
  rounds: ROUNDS,
  limit: bareSide,
  ours,
})
await compare({
  title: 'hold over GraphQL',
  unit,
  atLeast: 1.6,
  rounds: ROUNDS,
  limit: yogaSide,
  ours,
})

// The seats of the first rounds, again and again.
let lost = 0
const refused = side('fairgate, refused: the seats are taken', api, '"__typename":"SeatsTaken"', () => {
  lost = (lost + 2) % (HOLDS * 2)
  return named([lost + 1, lost + 2])
})
const sessions: number[] = []
await compare({
  title: 'refused hold',
  unit,
  atLeast: 2,
  rounds: ROUNDS,
  limit: { ...ours, name: 'fairgate, held' },
  ours: {
    ...refused,
    async run() {
      const before = await bench.sessions()
      const perSecond = await refused.run()
      sessions.push((await bench.sessions()) - before)
      return perSecond
    },
  },
})
for (const [name, each] of Object.entries(own))
  process.stdout.write(`the server's own processor time, ${name}: ${figure(median(each))} µs each\n`)
process.stdout.write(`connections opened during the refusals of each round: ${sessions.join(', ')}\n`)
process.stdout.write(`updates of seats that were HOT: ${figure(await bench.hotShare())}, at least 0.9\n`)

await bare.stop()
await yoga.stop()
await bench.stop()
