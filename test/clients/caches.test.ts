import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, gql, HttpLink, InMemoryCache } from '@apollo/client/core'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { Client, fetchExchange } from '@urql/core'
import { cacheExchange } from '@urql/exchange-graphcache'
import { expect, test } from 'vitest'
import { keys, possibleTypes } from '../../clients/sdk/generated/caches.ts'
import { schema } from '../../src/resolvers/schema.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { throughRelay } from '../support/relay.ts'
import { type Json, testServer } from '../support/server.ts'

const { url, app, db, ask, token } = await testServer()
const SECTIONS = { sections: [{ seats: 4 }, { seats: 2 }] }
const event = await insertEvent(db, SECTIONS)

const PAGE = `query Page($slug: String!) { eventBySlug(slug: $slug) {
  __typename id name
  venue { __typename name city }
  sale { __typename id eventId state available sections { __typename sectionId available } }
  sections { __typename id name capacity layout { __typename id row number }
    priceLevels { __typename id name total { __typename amount currency } } }
} }`
const variables = { slug: event.slug }

const written = (await ask<Json>(PAGE, variables)).data

test("a store of Relay returns an event's page as it was written", () => {
  expect(throughRelay(schema, PAGE, variables, written)).toEqual(written)
})

test("Apollo's cache returns an event's page as it was written, and Apollo's persisted queries fall back to the text", async () => {
  const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
  const bodies: Json[] = []
  const http = new HttpLink({
    uri: `${url}/graphql`,
    fetch(to, init) {
      bodies.push(JSON.parse(String(init?.body)))
      return fetch(to, init)
    },
  })
  const client = new ApolloClient({
    cache: new InMemoryCache({ possibleTypes }),
    link: ApolloLink.from([new PersistedQueryLink({ sha256 }), http]),
  })
  const query = gql(PAGE)
  expect((await client.query({ query, variables })).data).toEqual(written)
  expect((await client.query({ query, variables, fetchPolicy: 'cache-only' })).data).toEqual(written)
  await client.query({ query, variables, fetchPolicy: 'network-only' })
  // The hash once, then always the text.
  expect(bodies.map(({ query: text }) => text !== undefined)).toEqual([false, true, true])
  client.stop()
})

test("urql's Graphcache returns an event's page as it was written", async () => {
  const client = new Client({
    url: `${url}/graphql`,
    preferGetMethod: false,
    exchanges: [cacheExchange({ keys }), fetchExchange],
  })
  const read = (requestPolicy: 'network-only' | 'cache-only') =>
    client.query(PAGE, variables, { requestPolicy }).toPromise()
  expect((await read('network-only')).data).toEqual(written)
  expect((await read('cache-only')).data).toEqual(written)
})

test('a persisted query is refused in the words that clients look for, by GET and by POST', async () => {
  const extensions = { persistedQuery: { version: 1, sha256Hash: 'a'.repeat(64) } }
  const post = (body: object) =>
    fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  const get = `${url}/graphql?extensions=${encodeURIComponent(JSON.stringify(extensions))}`
  for (const response of [
    await post({ operationName: 'Page', variables, extensions }),
    await post({ query: '', extensions }),
    await fetch(get),
  ])
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        errors: [
          { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
        ],
      },
    ])
  const query = '{ __typename }'
  expect(await (await post({ query, extensions })).json()).toEqual({ data: { __typename: 'Query' } })
})

test('each type of node has ids of its own, and each node is found by its id', async () => {
  const event = await insertEvent(db, SECTIONS)
  const fan = { token: await token('ana', { roles: ['ops'] }) }
  const hold = async (of: TestEvent, seat: number) => {
    const input = { eventId: of.id, idempotencyKey: `${seat}`, selection: { seats: [of.seatId(seat)] } }
    const mutation = 'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }'
    return (await ask(mutation, { input }, fan)).data.hold.id as string
  }
  const tiny = await insertEvent(db, { sections: [{ seats: 1 }] })
  const pay = `mutation ($input: CheckoutInput!) { checkout(input: $input) { ... on Order { id tickets { id } } } }`
  const input = { holdId: await hold(tiny, 1), paymentMethod: 'pm_card_visa', idempotencyKey: 'k' }
  const order = (await ask(pay, { input }, fan)).data.checkout
  const letter = `dl_${'0'.repeat(32)}`
  await db.sql(
    `insert into dead_letters (id, queue, job, job_id, data, error, attempts, failed_at)
     values ($1, 'none', 'none', '1', '{}', 'none', 1, now())`,
    [letter],
  )
  const block = 'mutation ($input: BlockSeatsInput!) { blockSeats(input: $input) { changed } }'
  await ask(block, { input: { eventId: event.id, seats: [event.seatId(6)], reason: 'house seat' } }, fan)
  const trail = '{ auditTrail { edges { node { id } } } }'
  const page = (await ask<Json>(PAGE, { slug: event.slug })).data.eventBySlug
  await app.sales.refresh(tiny.id)
  const join =
    'mutation ($input: JoinWaitlistInput!) { joinWaitlist(input: $input) { ... on WaitlistEntry { id } } }'
  const entry = (await ask(join, { input: { eventId: tiny.id, quantity: 1 } }, fan)).data.joinWaitlist
  const ids: Record<string, string> = {
    Event: event.id,
    Sale: page.sale.id,
    Section: page.sections[0].id,
    Seat: page.sections[0].layout[0].id,
    PriceLevel: page.sections[0].priceLevels[0].id,
    Hold: await hold(event, 1),
    Order: order.id,
    Ticket: order.tickets[0].id,
    WaitlistEntry: entry.id,
    AuditEntry: (await ask(trail, {}, fan)).data.auditTrail.edges[0].node.id,
    DeadLetter: letter,
  }
  expect(Object.keys(ids).sort()).toEqual(possibleTypes.Node?.toSorted())
  expect(new Set(Object.values(ids)).size).toBe(Object.keys(ids).length)
  for (const [type, id] of Object.entries(ids))
    expect(
      (await ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id }, fan)).data.node,
    ).toEqual({ __typename: type, id })
  // An id that a client kept from the time when a sale had its event's id.
  expect((await ask('query ($id: ID!) { event(id: $id) { sale { id } } }', { id: event.id })).data).toEqual({
    event: { sale: { id: ids.Sale } },
  })
})
