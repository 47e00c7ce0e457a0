// GraphQL Yoga and Prisma as their documentation sets them up; the resolver calls the function.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { PrismaPg } from '@prisma/adapter-pg'
import { createSchema, createYoga } from 'graphql-yoga'
import { PrismaClient } from '#prisma'
import { listen } from './listen.ts'

const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL as string, max: 20 })
const prisma = new PrismaClient({ adapter })

interface Input {
  eventId: string
  accountId: string
  key: string
  seatNos: number[]
}

interface Row {
  hold_id: string
  expires_at: Date
  as_of: Date
  amount: bigint
  seat_nos: number[]
  prices: bigint[]
  fees: bigint[]
}

const schema = createSchema({
  typeDefs: `
    type Query { hello: String }
    type Mutation { hold(input: HoldInput!): Hold! }
    input HoldInput { eventId: ID! accountId: ID! key: String! seatNos: [Int!]! }
    type Hold {
      outcome: String!
      holdId: ID
      state: String
      expiresAt: String
      asOf: String
      amount: Float
      currency: String
      seatNos: [Int!]
      prices: [Float!]
      fees: [Float!]
    }
  `,
  resolvers: {
    Mutation: {
      async hold(_root: unknown, { input }: { input: Input }) {
        const [row] = await prisma.$queryRaw<Row[]>`
          select * from hold_seats(${input.eventId}, ${input.accountId}, ${input.key}, 'hash',
            ${`hld_${randomUUID()}`}, ${input.seatNos}, ${[]}::int[], null, null, null, false)`
        const { hold_id, expires_at, as_of, amount, seat_nos, prices, fees, ...rest } = row as Row
        return {
          ...rest,
          holdId: hold_id,
          expiresAt: expires_at.toISOString(),
          asOf: as_of.toISOString(),
          amount: Number(amount),
          seatNos: seat_nos,
          prices: prices.map(Number),
          fees: fees.map(Number),
        }
      },
    },
  },
})
const yoga = createYoga({ schema })
listen(createServer(yoga))
