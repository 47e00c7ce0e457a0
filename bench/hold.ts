// A hold of two named seats over GraphQL, through Prisma: against bare node:http and pg that call the same function and
// answer the same bytes, against a stock Yoga with a Prisma resolver that does, and refused holds against those that succeed.
// Both have pg's pool as it comes, of as many connections as ours.
//
// Holds a second of the whole machine: the servers take turns on a core that each has to itself, and PostgreSQL, and the Redis
// that only ours tells of its seats, run on what is left, alike for all. So are the tables: before anything is counted every
// connection of every server has planned by the same statistics. The function that all of them call is most of what a hold
// costs, so a faster one makes the server's own share larger: each side tells the server's processor time too.
//
// Measured so: where PostgreSQL planned at each call, the SQL of a hold took 1,250 µs of processor time, and 560 µs with the
// plans of prisma/functions/begin_hold.sql; in a loop, an answer as one column of JSON 190 µs of the client's, and 230 µs as 21
// columns.
import { compare, figure, median } from './support/compare.ts'
import { startHolding } from './support/holding.ts'
import { load, operation, request } from './support/load.ts'
import { type Served, startStock } from './support/processes.ts'

const HOLDS = 1_000
const ROUNDS = 5
/** Five rounds and one or two to warm up, on five sides that make holds. */
const SEATS = HOLDS * 2 * (ROUNDS + 2) * 5

const holding = await startHolding(Array(100).fill({ seats: SEATS / 100 }))
const { api, event } = holding
const bare = await startStock('holdBare', { DATABASE_URL: holding.stores.databaseUrl })
const yoga = await startStock('holdYoga', { DATABASE_URL: holding.stores.databaseUrl })

let seat = 1
const nextSeats = () => [seat++, seat++]
const input = () => ({ eventId: event.id, ...holding.nextCaller(), seatNos: nextSeats() })
const named = (seatNos: readonly number[]) => holding.hold({ seats: seatNos.map(event.seatId) })

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
await holding.db.pool.query('vacuum analyze')

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

// Those of the first rounds, again and again.
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
      const before = await holding.sessions()
      const perSecond = await refused.run()
      sessions.push((await holding.sessions()) - before)
      return perSecond
    },
  },
})
for (const [name, each] of Object.entries(own))
  process.stdout.write(`the server itself, ${name}: ${figure(median(each))} µs of CPU each\n`)
process.stdout.write(`connections opened during the refusals of each round: ${sessions.join(', ')}\n`)
process.stdout.write(`updates of seats that were HOT: ${figure(await holding.hotShare())}, at least 0.9\n`)

await bare.stop()
await yoga.stop()
await holding.stop()
