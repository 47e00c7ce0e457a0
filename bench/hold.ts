// A hold of two named seats over GraphQL, through Prisma: against bare node:http and pg that call the same function and
// answer the same bytes, against a stock Yoga with a Prisma resolver that does, and refused holds against those that succeed.
import { compare, figure } from './support/compare.ts'
import { startHolding } from './support/holding.ts'
import { load, operation, request } from './support/load.ts'
import { type Served, startStock } from './support/processes.ts'

const HOLDS = 1_500
const ROUNDS = 5
/** One warm-up and five rounds, on five sides that make holds. */
const SEATS = HOLDS * 2 * (ROUNDS + 1) * 5

const holding = await startHolding(Array(100).fill({ seats: SEATS / 100 }))
const { api, event } = holding
const bare = await startStock('holdBare', { DATABASE_URL: holding.stores.databaseUrl })
const yoga = await startStock('holdYoga', { DATABASE_URL: holding.stores.databaseUrl })

let seat = 1
const nextSeats = () => [seat++, seat++]
const input = () => ({ eventId: event.id, ...holding.nextCaller(), seatNos: nextSeats() })
const named = (seatNos: readonly number[]) => holding.hold({ seats: seatNos.map(event.seatId) })

const side = (name: string, server: Served, expect: string, next: () => Buffer) => ({
  name,
  run: async () => (await load({ server, answers: HOLDS, expect, next })).perSecond,
})
const HELD = '"state":"ACTIVE"'
const ours = side('fairgate', api, HELD, () => named(nextSeats()))
const unit = 'holds/s'
await compare({
  title: 'hold over GraphQL, through Prisma',
  unit,
  atLeast: 0.85,
  rounds: ROUNDS,
  limit: side('bare node:http and pg, the same function', bare, HELD, () =>
    request('POST', '/', { 'content-type': 'application/json' }, JSON.stringify(input())),
  ),
  ours,
})
await compare({
  title: 'hold over GraphQL',
  unit,
  atLeast: 1.6,
  rounds: ROUNDS,
  limit: side('stock Yoga and Prisma, the same function', yoga, HELD, () =>
    operation(
      `mutation Hold($input: HoldInput!) {
        hold(input: $input) {
          __typename id state expiresAt asOf total { amount currency } items { seat { id } total { amount } }
        }
      }`,
      { input: input() },
    ),
  ),
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
process.stdout.write(`connections opened during the refusals of each round: ${sessions.join(', ')}\n`)
process.stdout.write(`updates of seats that were HOT: ${figure(await holding.hotShare())}, at least 0.9\n`)

await bare.stop()
await yoga.stop()
await holding.stop()
