import { readFileSync } from 'node:fs'
import type { JSONWebKeySet } from 'jose'
import { describe, expect, test } from 'vitest'
import { isSigned, readCode } from '../../clients/cli/ticketCode.ts'
import { type Json, testServer } from '../support/server.ts'
import { stadium } from '../support/stadium.ts'

const { url, app, db, ask, token } = await testServer()
const hall = JSON.parse(readFileSync(new URL('../../demo/sports-hall.json', import.meta.url), 'utf8'))

const CREATE = `mutation ($input: CreateEventInput!) { createEvent(input: $input) {
  id slug name performers timeZone startsAt planWidth planHeight venue { name city latitude }
  sale { id state available held ticketLimit waitingRoom { draw { commitment seed } } }
  sections { id key kind capacity priceLevels { id key total { amount currency } } } } }`

function eventInput(slug: string, more = {}) {
  return {
    slug,
    name: 'The Night',
    performers: ['The Band'],
    startsAt: '2030-06-01T20:00:00+02:00',
    timeZone: 'Europe/Berlin',
    venue: { name: 'Riethsporthalle', city: 'Erfurt' },
    seatingPlan: hall,
    generalAdmission: [{ key: 'floor', name: 'Floor', capacity: 100 }],
    prices: [
      { category: 'Kategorie I', price: 6500, fee: 450 },
      { category: 'Kategorie II', price: 4550 },
      { category: 'VIP', price: 19900 },
      { category: 'floor', price: 3000 },
    ],
    currency: 'EUR',
    sale: { opensAt: new Date(Date.now() - 60_000).toISOString() },
    ...more,
  }
}

async function createEvent(slug: string, more = {}): Promise<Json> {
  const organizer = await token('olga', { roles: ['organizer'] })
  const { data, errors } = await ask(CREATE, { input: eventInput(slug, more) }, { token: organizer })
  expect(errors).toBeUndefined()
  return data.createEvent
}

const POSITION = `queueToken state arrival place position estimatedWaitSeconds paused available held
  admission { token expiresAt } turnEndsAt pollAfterSeconds asOf`
const JOIN = `mutation ($input: JoinQueueInput!) { joinQueue(input: $input) { __typename
  ... on QueuePosition { ${POSITION} } ... on Refusal { message retryAfterSeconds } } }`
const ASK_POSITION = `query ($queueToken: String!) { queuePosition(queueToken: $queueToken) { ${POSITION} } }`
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename
  ... on Hold { id state expiresAt asOf total { amount currency } order { id }
    event { slug }
    items { section { key } seat { key row number } priceLevel { key } total { amount currency } } }
  ... on SeatsTaken { unavailable alternatives message retryAfterSeconds }
  ... on Refusal { message } } }`
const ORDER = `id state payment placedAt declineReason pdfUrl nextAction { url }
  total { amount currency } refunded { amount currency } hold { id state order { id } }
  items { seat { key } total { amount } }
  tickets { id barcode voided section { key } seat { key } order { id } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename
  ... on Order { ${ORDER} } ... on PaymentDeclined { message order { ${ORDER} } } ... on Refusal { message } } }`

test('a new price applies to new holds; an earlier hold keeps its price until it is paid', async () => {
  const event = await createEvent('repriced', {
    sale: {
      opensAt: new Date(Date.now() - 60_000).toISOString(),
      waitingRoom: false,
      allowOrphanSeats: true,
    },
  })
  const fan = { token: await token('repriced-ana') }
  const hold = (seat: string) =>
    ask(HOLD, { input: { eventId: event.id, idempotencyKey: seat, selection: { seats: [seat] } } }, fan).then(
      ({ data }) => data.hold,
    )
  const before = await hold('D-14-1')
  expect(before).toMatchObject({ __typename: 'Hold' })
  const { amount } = before.total
  const prices = [{ category: before.items[0].priceLevel.key, price: amount + 1_000 }]
  const update = 'mutation ($input: UpdateSaleInput!) { updateSale(input: $input) { state } }'
  const olga = { token: await token('olga', { roles: ['organizer'] }) }
  expect((await ask(update, { input: { eventId: event.id, prices } }, olga)).errors).toBeUndefined()
  expect((await hold('D-14-3')).total.amount).toBe(amount + 1_000)
  expect(await hold('D-14-1')).toEqual({ ...before, asOf: expect.anything() })
  const paid = await ask(
    CHECKOUT,
    { input: { holdId: before.id, idempotencyKey: 'pay', paymentMethod: 'pm_card_visa' } },
    fan,
  )
  expect(paid.data.checkout).toMatchObject({ total: { amount } })
})

test('the journey leads from a seating plan to a ticket that the door can check', async () => {
  const event = await createEvent('journey')
  expect(event).toMatchObject({
    startsAt: '2030-06-01T18:00:00.000Z',
    planWidth: 2400,
    venue: { name: 'Riethsporthalle', city: 'Erfurt', latitude: null },
    sale: {
      id: `sal_${event.id.slice(4)}`,
      state: 'ON_SALE',
      available: 1331,
      held: 0,
      waitingRoom: { draw: { commitment: expect.stringMatching(/^[0-9a-f]{64}$/), seed: null } },
    },
  })
  expect(event.sections).toHaveLength(7)
  expect(event.sections[6]).toMatchObject({
    key: 'floor',
    kind: 'GENERAL_ADMISSION',
    priceLevels: [{ key: 'floor', total: { amount: 3000, currency: 'EUR' } }],
  })

  const fan = { token: await token('journey-ana'), device: 'phone' }
  const hold = {
    input: { eventId: event.id, selection: { seats: ['D-14-2', 'D-14-1'] }, idempotencyKey: 'h1' },
  }
  expect((await ask(HOLD, hold, fan)).data.hold.__typename).toBe('AdmissionRequired')

  const joined = (await ask(JOIN, { input: { eventId: event.id } }, fan)).data.joinQueue
  expect(joined).toMatchObject({ __typename: 'QueuePosition', state: 'WAITING', arrival: 1, position: 1 })
  const { queueToken } = joined
  const availability = `query ($id: ID!) { event(id: $id) { section(id: "Block D") { availability { version available } } } }`
  const locked = await ask(availability, { id: event.id }, fan)
  expect([locked.status, locked.data.event.section.availability]).toEqual([200, null])
  expect(locked.errors).toMatchObject([
    { path: ['event', 'section', 'availability'], extensions: { code: 'ADMISSION_REQUIRED' } },
  ])

  await app.pacer.tick(event.id)
  let admitted: Json
  do admitted = (await ask(ASK_POSITION, { queueToken }, fan)).data.queuePosition
  while (admitted.state === 'WAITING')
  expect(admitted).toMatchObject({
    state: 'ADMITTED',
    position: null,
    admission: { token: expect.any(String) },
  })
  const inside = { ...fan, admission: admitted.admission.token }
  expect((await ask(availability, { id: event.id }, inside)).data.event.section.availability).toMatchObject({
    version: 0,
    available: 193,
  })

  const held = (await ask(HOLD, hold, inside)).data.hold
  expect(held).toMatchObject({
    __typename: 'Hold',
    state: 'ACTIVE',
    total: { amount: 9100, currency: 'EUR' },
    order: null,
    event: { slug: 'journey' },
    items: [
      {
        section: { key: 'Block D' },
        seat: { key: 'D-14-1', row: '14' },
        priceLevel: { key: 'Kategorie II' },
        total: { amount: 4550 },
      },
      { seat: { key: 'D-14-2' } },
    ],
  })
  expect((await ask(HOLD, hold, inside)).data.hold.id).toBe(held.id)
  const reused = await ask(HOLD, { input: { ...hold.input, selection: { seats: ['D-14-3'] } } }, inside)
  expect([reused.status, reused.errors?.[0]?.extensions.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])

  const pay = (paymentMethod: string, idempotencyKey: string) =>
    ask(CHECKOUT, { input: { holdId: held.id, paymentMethod, idempotencyKey } }, { token: fan.token })
  const declined = (await pay('pm_card_declined', 'c1')).data.checkout
  expect(declined).toMatchObject({
    __typename: 'PaymentDeclined',
    order: {
      state: 'DECLINED',
      payment: 'NONE',
      declineReason: 'OTHER',
      tickets: [],
      hold: { state: 'ACTIVE' },
    },
  })
  const order = (await pay('pm_card_visa', 'c2')).data.checkout
  expect(order).toMatchObject({
    __typename: 'Order',
    state: 'CONFIRMED',
    payment: 'AUTHORIZED',
    total: { amount: 9100, currency: 'EUR' },
    refunded: { amount: 0, currency: 'EUR' },
    hold: { id: held.id, state: 'SOLD', order: { id: order.id } },
    nextAction: null,
    pdfUrl: null,
    tickets: [
      { voided: false, section: { key: 'Block D' }, seat: { key: 'D-14-1' }, order: { id: order.id } },
      { seat: { key: 'D-14-2' } },
    ],
  })

  expect(order.tickets.map(({ barcode }: Json) => barcode)).toEqual([null, null])
  await app.checkout.capture(order.id)
  const captured = (await ask(`query ($id: ID!) { order(id: $id) { ${ORDER} } }`, { id: order.id }, fan)).data
    .order
  expect(captured.payment).toBe('CAPTURED')
  const door = await (await fetch(`${url}/.well-known/jwks.json`)).json()
  for (const ticket of captured.tickets) {
    const code = readCode(ticket.barcode)
    expect(code?.ticketId).toBe(ticket.id)
    expect(code && (await isSigned(code, door as JSONWebKeySet))).toBe(true)
  }

  const viewer = (
    await ask(
      `{ viewer { accountId orders { edges { node { id } } pageInfo { hasNextPage } }
    holds { id } waitlist { id } queuePosition(eventId: "${event.id}") { state } } }`,
      {},
      fan,
    )
  ).data.viewer
  expect(viewer).toEqual({
    accountId: 'journey-ana',
    orders: {
      edges: [{ node: { id: order.id } }, { node: { id: declined.order.id } }],
      pageInfo: { hasNextPage: false },
    },
    holds: [],
    waitlist: [],
    queuePosition: { state: 'FINISHED' },
  })
  expect(
    (await ask(`{ event(id: "${event.id}") { sale { available held } } }`)).data.event.sale.available,
  ).toBeLessThanOrEqual(1331)
})

describe('what belongs to another account looks like nothing', () => {
  test('for orders, holds and tickets, in queries, by node and in mutations', async () => {
    const event = await createEvent('private', { sale: { ...eventInput('x').sale, waitingRoom: false } })
    const ana = { token: await token('ana') }
    const own = (
      await ask(
        HOLD,
        { input: { eventId: event.id, selection: { seats: ['D-14-1'] }, idempotencyKey: 'k' } },
        ana,
      )
    ).data.hold
    const order = (
      await ask(
        CHECKOUT,
        { input: { holdId: own.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'k' } },
        ana,
      )
    ).data.checkout
    const [ticket] = order.tickets
    const look = `query ($hold: ID!, $order: ID!, $ticket: ID!) { hold(id: $hold) { id } order(id: $order) { id }
      h: node(id: $hold) { id } o: node(id: $order) { __typename id } t: node(id: $ticket) { __typename id } }`
    const ids = { hold: own.id, order: order.id, ticket: ticket.id }
    expect((await ask(look, ids, ana)).data).toEqual({
      hold: { id: own.id },
      order: { id: order.id },
      h: { id: own.id },
      o: { __typename: 'Order', id: order.id },
      t: { __typename: 'Ticket', id: ticket.id },
    })
    const bob = { token: await token('bob', { roles: ['organizer', 'ops'] }) }
    const nothing = { hold: null, order: null, h: null, o: null, t: null }
    expect((await ask(look, ids, bob)).data).toEqual(nothing)
    const missing = Object.fromEntries(
      Object.entries(ids).map(([name, id]) => [name, `${id.slice(0, -3)}000`]),
    )
    expect((await ask(look, missing, bob)).data).toEqual(nothing)
    const stranger = await ask(look, ids)
    expect(stranger.data).toEqual(nothing)
    expect(stranger.errors?.map(({ extensions }) => extensions.code)).toEqual([
      'UNAUTHENTICATED',
      'UNAUTHENTICATED',
    ])

    const release = `mutation ($id: ID!) { releaseHold(input: { holdId: $id }) { __typename } }`
    for (const id of [own.id, missing.hold]) {
      expect((await ask(release, { id }, bob)).data.releaseHold.__typename).toBe('HoldNotFound')
      const input = { holdId: id, paymentMethod: 'pm_card_visa', idempotencyKey: 'b' }
      expect((await ask(CHECKOUT, { input }, bob)).data.checkout.__typename).toBe('HoldNotFound')
    }
  })
})

test('a page of orders reads all their holds in one round trip, and then all orders of the holds', async () => {
  const event = await createEvent('batched', {
    sale: {
      ...eventInput('x').sale,
      waitingRoom: false,
      ticketLimit: 20,
      holdsPerMinute: 100,
      unpaidHolds: 20,
    },
  })
  const fan = { token: await token() }
  for (let n = 1; n <= 12; n++) {
    const input = {
      eventId: event.id,
      selection: { bestAvailable: { quantity: 1 } },
      idempotencyKey: `k${n}`,
    }
    const { id } = (await ask(HOLD, { input }, fan)).data.hold
    if (n < 12)
      await ask(
        CHECKOUT,
        { input: { holdId: id, paymentMethod: 'pm_card_visa', idempotencyKey: `k${n}` } },
        fan,
      )
  }
  const calls: string[] = []
  const { holds, orders } = app as Json
  for (const part of [holds, orders])
    for (const name of ['find', 'findMany']) {
      const real = part[name]
      part[name] = (...args: unknown[]) => {
        calls.push(name)
        return real(...args)
      }
    }
  const { data } = await ask(
    '{ viewer { orders { edges { node { id hold { id order { id hold { state } } } tickets { order { id } } } } } } }',
    {},
    fan,
  )
  expect(data.viewer.orders.edges).toHaveLength(11)
  for (const { node } of data.viewer.orders.edges) expect(node.hold.order.id).toBe(node.id)
  expect(calls).toEqual(['findMany', 'findMany', 'findMany'])
})

describe('roles', () => {
  const fields: [string, string, string][] = [
    ['ops', 'mutation', 'setAdmission(input: { eventId: "x" }) { paused }'],
    ['ops', 'mutation', 'refundOrder(input: { orderId: "x", reason: "r", idempotencyKey: "k" }) { id }'],
    ['ops', 'mutation', 'replayDeadLetters(input: { ids: [] }) { replayed }'],
    ['ops', 'mutation', 'discardDeadLetters(input: { ids: [], reason: "r" }) { discarded }'],
    ['ops', 'query', 'deadLetters { edges { cursor } }'],
    ['ops', 'query', 'reconciliation(eventId: "x") { ok }'],
    ['ops', 'query', 'auditTrail { edges { cursor } }'],
    ['ops', 'query', 'holders(eventId: "x") { edges { cursor } }'],
    [
      'ops',
      'mutation',
      'releaseHolds(input: { eventId: "x", holder: { account: "x" }, reason: "r" }) { released }',
    ],
  ]
  test.each(fields)('%s: %s %s', async (role, kind, field) => {
    const code = async (roles: string[] | null) => {
      const options = roles ? { token: await token('rita', { roles }) } : {}
      return (await ask(`${kind} { ${field} }`, {}, options)).errors?.[0]?.extensions.code
    }
    const other = role === 'ops' ? 'organizer' : 'ops'
    expect(await code(null)).toBe('UNAUTHENTICATED')
    expect(await code([])).toBe('FORBIDDEN')
    expect(await code([other])).toBe('FORBIDDEN')
    expect(['FORBIDDEN', 'UNAUTHENTICATED']).not.toContain(await code([role]))
  })

  test.each([
    'updateSale(input: { eventId: "x" }) { id }',
    'changeEventOwners(input: { eventId: "x" }) { owners }',
    'blockSeats(input: { eventId: "x", seats: [], reason: "r" }) { changed }',
    'unblockSeats(input: { eventId: "x", seats: [], reason: "r" }) { changed }',
    'revealBeacon(input: { eventId: "x", beacon: "b" }) { eventId }',
  ])('%s accepts either role, and its refusal names both', async (field) => {
    const update = async (roles: string[] | null) =>
      ask(`mutation { ${field} }`, {}, roles ? { token: await token('rita', { roles }) } : {})
    expect((await update(null)).errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    expect((await update([])).errors).toMatchObject([
      { message: 'This needs the role organizer or ops.', extensions: { code: 'FORBIDDEN' } },
    ])
    for (const role of ['organizer', 'ops'])
      expect((await update([role])).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }])
  })

  test('the audit trail has the actions of organizers and ops, newest first', async () => {
    const event = await createEvent('audited')
    const ops = { token: await token('otto', { roles: ['ops'] }) }
    const set = 'mutation ($input: SetAdmissionInput!) { setAdmission(input: $input) { eventId paused } }'
    const { data } = await ask(set, { input: { eventId: event.id, rate: 5, paused: true } }, ops)
    expect(data.setAdmission).toEqual({ eventId: event.id, paused: true })
    const updated = await ask(
      'mutation ($input: UpdateSaleInput!) { updateSale(input: $input) { ticketLimit state } }',
      { input: { eventId: event.id, ticketLimit: 2, paused: true } },
      ops,
    )
    expect(updated.data.updateSale).toEqual({ ticketLimit: 2, state: 'PAUSED' })
    const trail = await ask(
      `query ($id: ID!) { auditTrail(eventId: $id) { edges { node { id at accountId action subject detail } } } }`,
      { id: event.id },
      ops,
    )
    const entries = trail.data.auditTrail.edges.map(({ node }: Json) => node)
    expect(entries).toMatchObject([
      { accountId: 'otto', action: 'updateSale', detail: { ticketLimit: 2, paused: true } },
      { accountId: 'otto', action: 'setAdmission', subject: event.id, detail: { rate: 5, paused: true } },
      { accountId: 'olga', action: 'createEvent' },
    ])
    const node = `query ($id: ID!) { node(id: $id) { __typename id } }`
    const { id } = entries[0]
    expect((await ask(node, { id }, ops)).data.node).toEqual({ __typename: 'AuditEntry', id })
    expect((await ask(node, { id }, { token: await token() })).data.node).toBeNull()
    expect((await db.sql('select rate_ceiling from rooms where event_id = $1', [event.id]))[0]).toEqual({
      rate_ceiling: 5,
    })
  })
})

test('each node is found by its id, and any other id finds nothing', async () => {
  const event = await createEvent('nodes')
  const section = event.sections[0]
  const { data } = await ask(
    `query ($id: ID!) { event(id: $id) { section(id: "Block D") { layout { id } } } }`,
    { id: event.id },
  )
  const seat = data.event.section.layout[3]
  const node = async (id: string) =>
    (await ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id })).data.node
  for (const [type, id] of [
    ['Event', event.id],
    ['Sale', event.sale.id],
    ['Section', section.id],
    ['Seat', seat.id],
    ['PriceLevel', section.priceLevels[0].id],
  ])
    expect(await node(id)).toEqual({ __typename: type, id })
  for (const id of [
    '',
    'x',
    '_',
    'evt_',
    'evt_nothing',
    'sec_x_1',
    `${section.id}9`,
    `${seat.id}99999`,
    'wle_x_1',
    'dl_1',
    '__proto___x',
    'constructor_x',
  ])
    expect(await node(id)).toBeNull()
})

test('fans hold by quantity, leave no stranded seat, and cannot hold blocked seats', async () => {
  const event = await createEvent('quantities', {
    sale: { opensAt: new Date(Date.now() - 60_000), waitingRoom: false, ticketLimit: 12 },
  })
  const options = { token: await token('quinn') }
  const hold = async (selection: object) => {
    const input = { eventId: event.id, selection, idempotencyKey: `k${Math.random()}` }
    return (await ask(HOLD, { input }, options)).data.hold
  }
  const best = await hold({ bestAvailable: { quantity: 4, sectionId: 'Block A', together: true } })
  expect(best).toMatchObject({ __typename: 'Hold', state: 'ACTIVE' })
  expect(new Set(best.items.map(({ seat }: Json) => seat.row)).size).toBe(1)
  const [level] = event.sections[6].priceLevels
  const floor = await hold({ generalAdmission: { sectionId: 'floor', quantity: 3 } })
  expect(floor.items).toHaveLength(3)
  expect(floor.items[0]).toMatchObject({
    seat: null,
    section: { key: 'floor' },
    priceLevel: { key: 'floor' },
  })
  expect(await hold({ seats: ['D-14-2'] })).toMatchObject({ __typename: 'OrphanSeats' })

  const faultOf = async (selection: object) => {
    const input = { eventId: event.id, selection, idempotencyKey: 'k' }
    const { status, errors } = await ask(HOLD, { input }, options)
    return [status, errors?.[0]?.extensions.faults[0].path.join('.')]
  }
  const at = (name: string) => [400, `input.selection.${name}`]
  expect(await faultOf({ bestAvailable: { quantity: 0 } })).toEqual(at('bestAvailable.quantity'))
  expect(await faultOf({ bestAvailable: { quantity: 1, sectionId: 'floor' } })).toEqual(
    at('bestAvailable.sectionId'),
  )
  expect(await faultOf({ bestAvailable: { quantity: 1, sectionId: 'nowhere' } })).toEqual(
    at('bestAvailable.sectionId'),
  )
  expect(await faultOf({ bestAvailable: { quantity: 1, priceLevelId: level.id } })).toEqual(
    at('bestAvailable.priceLevelId'),
  )
  expect(await faultOf({ generalAdmission: { sectionId: 'Block A', quantity: 1 } })).toEqual(
    at('generalAdmission.sectionId'),
  )
  expect(await faultOf({ generalAdmission: { sectionId: 'floor', quantity: -1 } })).toEqual(
    at('generalAdmission.quantity'),
  )

  const organizer = { token: await token('olga', { roles: ['organizer', 'ops'] }) }
  const change = (name: string, input: object) =>
    ask(
      `mutation ($input: BlockSeatsInput!) { ${name}(input: $input) { changed refused } }`,
      { input },
      organizer,
    )
  const seats = ['D-13-1', 'D-13-2', best.items[0].seat.key]
  const input = { eventId: event.id, seats, reason: 'the camera' }
  const blocked = (await change('blockSeats', input)).data.blockSeats
  expect(blocked.changed).toHaveLength(2)
  expect(blocked.refused).toHaveLength(1)
  expect(await hold({ seats: ['D-13-1', 'D-13-2'] })).toMatchObject({
    __typename: 'SeatsTaken',
    unavailable: blocked.changed,
    retryAfterSeconds: null,
  })
  expect((await change('unblockSeats', input)).data.unblockSeats).toEqual(blocked)
  expect(await hold({ seats: ['D-13-1', 'D-13-2'] })).toMatchObject({ __typename: 'Hold' })
  const fan = await ask(
    'mutation ($input: BlockSeatsInput!) { blockSeats(input: $input) { changed } }',
    { input },
    options,
  )
  expect(fan.errors?.[0]?.extensions.code).toBe('FORBIDDEN')
})

test('a bad plan is refused with status 400 and the path of every fault', async () => {
  const organizer = { token: await token('olga', { roles: ['organizer'] }) }
  const input = eventInput('bad', {
    seatingPlan: 'zones: []',
    currency: 'EURO',
    timeZone: 'Erfurt',
    slug: '!',
  })
  const { status, errors } = await ask(CREATE, { input }, organizer)
  expect(status).toBe(400)
  expect(errors?.[0]?.extensions.faults.map(({ path }: Json) => path)).toEqual([
    ['input', 'seatingPlan'],
    ['input', 'slug'],
    ['input', 'timeZone'],
    ['input', 'currency'],
  ])
  const instant = await ask(
    CREATE,
    { input: eventInput('bad', { startsAt: '2030-02-30T00:00:00Z' }) },
    organizer,
  )
  expect(instant.errors?.[0]?.extensions.faults).toEqual([
    { path: ['input', 'startsAt'], message: expect.stringMatching(/RFC 3339/) },
  ])
})

test('the API accepts a stadium of 50,000 seats, and refuses one of 200,000 with the limit', async () => {
  const prices = ['Lower', 'Middle', 'Upper'].map((category) => ({ category, price: 5000 }))
  const organizer = { token: await token('olga', { roles: ['organizer'] }) }
  const create = (slug: string, plan: object) =>
    ask(CREATE, { input: eventInput(slug, { seatingPlan: plan, generalAdmission: [], prices }) }, organizer)
  const { data } = await create('stadium', stadium())
  expect(data.createEvent.sections).toHaveLength(100)
  expect(data.createEvent.sale.available).toBe(50_000)
  const { status, errors } = await create('too-large', stadium({ sections: 400 }))
  expect([status, errors?.[0]?.extensions.faults]).toEqual([
    400,
    [{ path: ['input', 'seatingPlan'], message: 'has 200000 seats; one event can sell at most 150000' }],
  ])
})
