// GraphQL Yoga and graphql-ws as in their documentation. The server publishes the body of each POST to all subscribers.
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { useServer } from 'graphql-ws/use/ws'
import { createPubSub, createSchema } from 'graphql-yoga'
import { WebSocketServer } from 'ws'
import { listen } from './listen.ts'

const pubSub = createPubSub<{ section: [update: unknown] }>()
const schema = createSchema({
  typeDefs: `
    type Query { hello: String }
    type Subscription { seatSection(eventId: ID!, sectionId: ID!): SectionUpdate! }
    type SectionUpdate {
      sectionId: ID!
      version: Float!
      previousVersion: Float
      asOf: String!
      available: Int!
      snapshot: SectionAvailability
      changes: [SeatChange!]!
    }
    type SectionAvailability {
      sectionId: ID!
      version: Float!
      asOf: String!
      statuses: String
      available: Int!
    }
    type SeatChange { index: Int! status: SeatStatus! }
    enum SeatStatus { AVAILABLE HELD SOLD NOT_FOR_SALE }
  `,
  resolvers: {
    Subscription: {
      seatSection: { subscribe: () => pubSub.subscribe('section'), resolve: (update: unknown) => update },
    },
  },
})
const http = createServer(async (request, response) => {
  pubSub.publish('section', await json(request))
  response.end()
})
useServer({ schema }, new WebSocketServer({ server: http, path: '/graphql', perMessageDeflate: false }))
listen(http)
