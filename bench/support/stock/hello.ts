// GraphQL Yoga as in its documentation. It answers `{ hello }`.
import { createServer } from 'node:http'
import { createSchema, createYoga } from 'graphql-yoga'
import { listen } from './listen.ts'

const schema = createSchema({
  typeDefs: 'type Query { hello: String }',
  resolvers: { Query: { hello: () => 'world' } },
})
const yoga = createYoga({ schema })
listen(createServer(yoga))
