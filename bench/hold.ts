// A hold of two named seats over GraphQL, through Prisma: against bare node:http and pg that call the same function,
// against a stock Yoga with a Prisma resolver that does, and refused holds against those that succeed.
import { makeKeys } from '../src/keys.ts'
import { createDatabase } from '../src/sql/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { compare } from './support/compare.ts'
import { load, operation, request } from './support/load.ts'
import { type Served, startApi, startStock } from './support/processes.ts'
import { startStores } from './support/stores.ts'

const HOLDS = 3_000
const ROUNDS = 5
const ACCOUNTS = 200
/** One warm-up and five rounds, on four sides that make holds. */
const SEATS = HOLDS * 2 * (ROUNDS + 1) * 4

const HOLD = `mutation Hold($input: HoldInput!) {
  hold(input: $input) {
    __typename
    ... on Hold { id state expiresAt asOf total { amount currency } items { seat { id } total { amount } } }
    ... on SeatsTaken { unavailable }
  }
}`

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
const event = await insertEvent(db, {
  sections: Array(100).fill({ seats: SEATS / 100 }),
  ticketLimit: 1_000_000,
  holdsPerMinute: 1_000_000,
  unpaidHolds: 1_000_000,
  holdSeconds: 3_600,
})
// As after a day of selling: else the planner knows nothing of a hundred thousand new seats.
await db.pool.query('vacuum analyze')
await db.close()
const api = await startApi(stores, await makeKeys())
const bare = await startStock('holdBare', { DATABASE_URL: stores.databaseUrl })
const yoga = await startStock('holdYoga', { DATABASE_URL: stores.databaseUrl })

const accounts = await Promise.all(
  Array.from({ length: ACCOUNTS }, async (_, i) => {
    const body = JSON.stringify({ account: `fan-${i}` })
    const given = await fetch(`${api.url}/dev/token`, { method: 'POST', body })
    return { id: `fan-${i}`, token: ((await given.json()) as { token: string }).token }
  }),
)
let calls = 0
let seat = 1
const nextCall = () => ({
  account: accounts[calls++ % ACCOUNTS] as (typeof accounts)[0],
  key: `key-${calls}`,
})
const nextSeats = () => [seat++, seat++]

function ours(seatNos: readonly number[]): Buffer {
  const { account, key } = nextCall()
  const input = { eventId: event.id, selection: { seats: seatNos.map(event.seatId) }, idempotencyKey: key }
  return operation(HOLD, { input }, { authorization: `Bearer ${account.token}`, 'device-id': 'phone' })
}

function barely(seatNos: readonly number[]): Buffer {
  const { account, key } = nextCall()
  const body = JSON.stringify({ eventId: event.id, accountId: account.id, key, seatNos })
  return request('POST', '/', { 'content-type': 'application/json' }, body)
}

function stock(seatNos: readonly number[]): Buffer {
  const { account, key } = nextCall()
  return operation(
    `mutation Hold($input: HoldInput!) { hold(input: $input) {
      outcome holdId state expiresAt asOf amount currency seatNos prices fees } }`,
    { input: { eventId: event.id, accountId: account.id, key, seatNos } },
  )
}

const side = (name: string, server: Served, expect: string, next: () => Buffer) => ({
  name,
  run: async () => (await load({ server, answers: HOLDS, expect, next })).perSecond,
})
const own = side('fairgate', api, '"__typename":"Hold"', () => ours(nextSeats()))
const unit = 'holds/s'
await compare({
  title: 'hold over GraphQL, through Prisma',
  unit,
  atLeast: 0.85,
  rounds: ROUNDS,
  limit: side('bare node:http and pg, the same function', bare, '"outcome":"held"', () =>
    barely(nextSeats()),
  ),
  ours: own,
})
await compare({
  title: 'hold over GraphQL',
  unit,
  atLeast: 1.6,
  rounds: ROUNDS,
  limit: side('stock Yoga and Prisma, the same function', yoga, '"outcome":"held"', () => stock(nextSeats())),
  ours: own,
})

await api.stop()
await bare.stop()
await yoga.stop()
await stores.stop()
