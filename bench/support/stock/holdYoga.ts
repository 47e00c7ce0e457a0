// GraphQL Yoga and Prisma as in their documentation. The resolver calls the SQL function.
import { createServer } from 'node:http'
import { PrismaPg } from '@prisma/adapter-pg'
import { createSchema, createYoga } from 'graphql-yoga'
import { PrismaClient } from '#prisma'
import { newId, planId } from '../../../src/sale/ids.ts'
import { listen } from './listen.ts'

const adapter = new PrismaPg({
  connectionString: process.env.DATABASE_URL as string,
  max: 20,
  idleTimeoutMillis: 60_000,
})
const prisma = new PrismaClient({ adapter })

interface Input {
  eventId: string
  accountId: string
  key: string
  seatNos: number[]
}

interface Row {
  hold_id: string
  state: string
  expires_at: Date
  as_of: Date
  amount: bigint
  currency: string
  seat_nos: number[]
  prices: bigint[]
  fees: bigint[]
}

const schema = createSchema({
  typeDefs: `
    type Query { hello: String }
    type Mutation { hold(input: HoldInput!): Hold! }
    input HoldInput { eventId: ID! accountId: ID! key: String! seatNos: [Int!]! }
    type Hold { id: ID! state: String! expiresAt: String! asOf: String! total: Money! items: [HoldItem!]! }
    type HoldItem { seat: Seat! total: Money! }
    type Seat { id: ID! }
    type Money { amount: Float! currency: String! }
  `,
  resolvers: {
    Mutation: {
      async hold(_root: unknown, { input: { eventId, accountId, key, seatNos } }: { input: Input }) {
        const [row] = (await prisma.$queryRaw<Row[]>`
          select * from hold_seats(${eventId}, ${accountId}, ${key}, 'hash', ${newId('hld', eventId)},
            ${null}, ${null}, ${null}, ${false}, ${seatNos}, ${[]}::int[])`) as [Row]
        return {
          id: row.hold_id,
          state: row.state,
          expiresAt: row.expires_at.toISOString(),
          asOf: row.as_of.toISOString(),
          total: { amount: Number(row.amount), currency: row.currency },
          items: row.seat_nos.map((no, i) => ({
            seat: { id: planId('seat', eventId, no) },
            total: { amount: Number((row.prices[i] as bigint) + (row.fees[i] as bigint)) },
          })),
        }
      },
    },
  },
})
const yoga = createYoga({ schema })
listen(createServer(yoga))
