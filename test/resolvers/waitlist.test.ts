import { expect, test } from 'vitest'
import { cancelOrder } from '../../src/sql/orders/orderTransitions.ts'
import { insertEvent } from '../support/event.ts'
import { type Json, testServer } from '../support/server.ts'

const { app, db, ask, token, socket } = await testServer()

const ENTRY =
  '__typename id state quantity position hold { id state items { seat { number } } } event { slug }'
const JOIN = `mutation ($input: JoinWaitlistInput!) { joinWaitlist(input: $input) {
  ... on WaitlistEntry { ${ENTRY} }
  ... on NotSoldOut { available holdable { wish quantity together areaId seats } } ... on TicketLimitReached { limit used } ... on SaleOver { saleState }
  ... on Refusal { __typename message retryAfterSeconds } } }`
const LEAVE = `mutation ($id: ID!) { leaveWaitlist(input: { id: $id }) { ${ENTRY} } }`
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename
  ... on Hold { id } ... on SaleOver { saleState message } ... on Refusal { retryAfterSeconds } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename
  ... on Order { id state } } }`

test('a fan on the waitlist of a sold-out sale gets an offer and buys it', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 2 }] })
  const [buyer, ana, bob] = [await token(), await token(), await token()]
  const join = async (account: string, more = {}) =>
    (await ask(JOIN, { input: { eventId: event.id, quantity: 2, ...more } }, { token: account })).data
      .joinWaitlist
  const hold = async (account: string, key: string) =>
    (
      await ask(
        HOLD,
        { input: { eventId: event.id, selection: { seats: ['A-1-1', 'A-1-2'] }, idempotencyKey: key } },
        { token: account },
      )
    ).data.hold
  const pay = async (account: string, holdId: string) =>
    (
      await ask(
        CHECKOUT,
        { input: { holdId, paymentMethod: 'pm_card_visa', idempotencyKey: 'pay' } },
        { token: account },
      )
    ).data.checkout

  expect(await join(ana)).toMatchObject({
    __typename: 'NotSoldOut',
    available: 2,
    holdable: { wish: 0, quantity: 2, together: true, areaId: null, seats: [] },
  })
  const order = await pay(buyer, (await hold(buyer, 'one')).id)
  expect(order).toMatchObject({ state: 'CONFIRMED' })

  const entry = await join(ana)
  expect(entry).toEqual({
    __typename: 'WaitlistEntry',
    id: expect.stringMatching(/^wle_/),
    state: 'WAITING',
    quantity: 2,
    position: 1,
    hold: null,
    event: { slug: event.slug },
  })
  expect(await join(ana, { quantity: 1 })).toEqual(entry)
  const second = await join(bob)
  expect(second).toMatchObject({ position: 2 })
  const odds = await ask(
    `query ($id: ID!) { node(id: $id) { ... on WaitlistEntry { odds { entriesAhead ticketsAhead seatsThatMayComeBack } } } }`,
    second,
    { token: bob },
  )
  expect(odds.data.node.odds).toEqual({ entriesAhead: 1, ticketsAhead: 2, seatsThatMayComeBack: null })

  const received: Json[] = []
  const follower = (async () => {
    const updates = socket({ authorization: `Bearer ${ana}` }).iterate({
      query: `subscription ($id: ID!) { waitlistUpdated(id: $id) { ${ENTRY} } }`,
      variables: { id: entry.id },
    })
    for await (const { data } of updates) received.push((data as Json).waitlistUpdated)
  })()
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)

  await cancelOrder(db, event.id, order.id)
  expect(await hold(bob, 'snatch')).toMatchObject({
    __typename: 'SaleOver',
    saleState: 'SOLD_OUT',
    retryAfterSeconds: null,
  })
  await app.waitlist.offer(event.id)
  const offered = (await ask(
    `query ($id: ID!) { node(id: $id) { ... on WaitlistEntry { ${ENTRY} } } }`,
    entry,
    {
      token: ana,
    },
  )) as Json
  expect(offered.data.node).toMatchObject({ state: 'OFFERED', position: null, hold: { state: 'ACTIVE' } })
  expect(offered.data.node.hold.items).toHaveLength(2)
  expect((await ask('query ($id: ID!) { node(id: $id) { id } }', entry, { token: bob })).data.node).toBeNull()

  // A subscription may skip a state that is over before it reads it.
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(2)
  expect(await pay(ana, offered.data.node.hold.id)).toMatchObject({ state: 'CONFIRMED' })
  await app.waitlist.offer(event.id)
  await follower
  expect(received.map(({ state }) => state)).toEqual(['WAITING', 'OFFERED', 'FULFILLED'])

  expect((await ask(LEAVE, { id: second.id }, { token: bob })).data.leaveWaitlist).toMatchObject({
    state: 'LEFT',
  })
  const { data } = await ask(
    `query ($id: ID!) { viewer { waitlist(eventId: $id) { state } holds(eventId: $id) { id } } }`,
    { id: event.id },
    { token: bob },
  )
  expect(data.viewer).toEqual({ waitlist: [{ state: 'LEFT' }], holds: [] })
})

test('joining needs an account and a verified address; another account’s entry looks like none', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 1 }] })
  const input = { eventId: event.id, quantity: 1 }
  const codeOf = async (query: string, values: object, account?: string) =>
    (await ask(query, values, account === undefined ? {} : { token: account })).errors?.[0]?.extensions.code
  expect(await codeOf(JOIN, { input })).toBe('UNAUTHENTICATED')
  expect(await codeOf(JOIN, { input }, await token(undefined, { emailVerified: false }))).toBe('FORBIDDEN')
  expect(await codeOf(JOIN, { input: { ...input, quantity: 9 } }, await token())).toBe('BAD_USER_INPUT')
  expect(await codeOf(LEAVE, { id: `wle_${event.id.slice(4)}_1` }, await token())).toBe('BAD_USER_INPUT')
  expect(await codeOf(LEAVE, { id: 'x' }, await token())).toBe('BAD_USER_INPUT')
})
