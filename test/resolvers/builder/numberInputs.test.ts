import { expect, test } from 'vitest'
import { NUMBER_INPUTS, numericInputs } from '../../../src/resolvers/builder/numberInputs.ts'
import { schema } from '../../../src/resolvers/schema.ts'
import { inRange, type NumberRange, RANGES } from '../../../src/sale/numberRanges.ts'
import { insertEvent } from '../../support/event.ts'
import { type Json, testServer } from '../../support/server.ts'

const server = await testServer()
const calledOff = await insertEvent(server.app.db)
const event = await insertEvent(server.app.db, {
  sections: [{ seats: 40 }, { places: 40 }],
  ticketLimit: 1_000,
})
const withWheelchairs = await insertEvent(server.app.db, { sections: [{ seats: 1_020 }], ticketLimit: 1_000 })
await server.app.db.pool.query('update seats set wheelchair = no > 20 where event_id = $1', [
  withWheelchairs.id,
])
const withRoom = await insertEvent(server.app.db, { waitingRoom: true })
const tokens = {
  fan: await server.token(),
  organizer: await server.token('olga', { roles: ['organizer'] }),
  ops: await server.token('otto', { roles: ['ops', 'organizer'] }),
}

test('every numeric input of the schema states its range', () => {
  const inputs = numericInputs(schema)
  expect([...inputs.keys()].sort()).toEqual(Object.keys(NUMBER_INPUTS).sort())
  for (const [coordinate, { min, max }] of Object.entries(NUMBER_INPUTS))
    expect(inputs.get(coordinate)?.description).toContain(`From ${min} to ${max}`)
})

test('a number is rounded to the step of its range; NaN, infinities and numbers outside are refused', () => {
  for (const wrong of [Number.NaN, Infinity, -Infinity, 90.000001, -1e308, '1', null, 1n, {}])
    expect(inRange(wrong, RANGES.latitude)).toBeNull()
  for (const tiny of [5e-324, -5e-324, -0, 4e-7]) expect(inRange(tiny, RANGES.latitude)).toBe(0)
  expect(inRange(50.98765432, RANGES.latitude)).toBe(50.987654)
  expect(inRange(-90, RANGES.latitude)).toBe(-90)
  expect(inRange(1.5, RANGES.page)).toBeNull()
  expect(inRange(5e-324, RANGES.page)).toBeNull()
  expect(inRange(-0, RANGES.price)).toBe(0)
  for (const range of Object.values(RANGES))
    for (const bound of [range.min, range.max]) expect(inRange(bound, range)).toBe(bound)
})

const NEAR = 'query ($near: NearInput!) { events(near: $near) { edges { node { id } } } }'

test('a search near a point is answered, whatever coordinates are stored or given', async () => {
  const stored = [
    '5e-324',
    '-5e-324',
    '1e-300',
    '90',
    '-90',
    '91',
    '1e308',
    '-1e308',
    'Infinity',
    'NaN',
    '-0',
  ]
  const rows = stored.flatMap((latitude) => stored.map((longitude) => [latitude, longitude] as const))
  const ids: string[] = []
  for (let i = 0; i < 11; i++) ids.push((await insertEvent(server.app.db)).id)
  for (const [i, [latitude, longitude]] of rows.entries()) {
    const id = ids[i % ids.length]
    await server.app.db.pool.query(
      'update events set latitude = $2::float8, longitude = $3::float8 where id = $1',
      [id, latitude, longitude],
    )
    if (i % ids.length < ids.length - 1) continue
    for (const edge of [0, 5e-324, -5e-324, 1e-170, 90, -90]) {
      const near = { latitude: edge, longitude: edge, km: 20_038 }
      const { data, errors } = await server.ask(NEAR, { near })
      expect(errors).toBeUndefined()
      expect(data.events.edges).toBeInstanceOf(Array)
    }
  }
  await server.app.db.pool.query('update events set latitude = 5e-324, longitude = -5e-324 where id = $1', [
    ids[0],
  ])
  const found = await server.ask(NEAR, { near: { latitude: 0, longitude: 0, km: 0 } })
  expect(found.data.events.edges).toContainEqual({ node: { id: ids[0] } })
  await server.app.db.pool.query('update events set latitude = null, longitude = null')
})

const sale = { opensAt: '2027-01-01T10:00:00Z' }
const area = { key: 'floor', name: 'Floor', capacity: 10 }
const base = {
  name: 'Numbers',
  startsAt: '2027-02-01T18:00:00Z',
  timeZone: 'Europe/Berlin',
  venue: { name: 'Hall' },
  currency: 'EUR',
  generalAdmission: [area],
  prices: [{ category: 'floor', price: 1_000 }],
  sale,
}
let slugs = 0

const create = (more: object) =>
  [
    'mutation ($input: CreateEventInput!) { createEvent(input: $input) { id } }',
    { input: { ...base, slug: `numbers-${++slugs}`, ...more } },
    'organizer',
  ] as const
const page = (field: string, as: keyof typeof tokens) => (first: unknown) =>
  [`query ($first: Int) { ${field.replace('(', '(first: $first')} }`, { first }, as] as const
const near = (field: string) => (value: unknown) =>
  [NEAR, { near: { latitude: 0, longitude: 0, km: 1, [field]: value } }, 'fan'] as const
const setting = (field: string) => (value: unknown) => create({ sale: { ...sale, [field]: value } })
const hold =
  (kind: string, more = {}) =>
  (quantity: unknown) =>
    [
      'mutation ($input: HoldInput!) { hold(input: $input) { __typename } }',
      {
        input: {
          eventId: event.id,
          idempotencyKey: `key-${++slugs}`,
          selection: { [kind]: { quantity, ...more } },
        },
      },
      'fan',
    ] as const
const update =
  (field: string, mutation: string, type: string, of = event) =>
  (value: unknown) =>
    [
      `mutation ($input: ${type}!) { ${mutation}(input: $input) { __typename } }`,
      { input: { eventId: of.id, [field]: value } },
      'ops',
    ] as const

/** For each numeric input a request that is right except perhaps for the number. */
const REQUESTS: Record<string, (value: unknown) => readonly [string, object, keyof typeof tokens]> = {
  'Query.events(first:)': page('events() { edges { cursor } }', 'fan'),
  'Query.auditTrail(first:)': page('auditTrail() { edges { cursor } }', 'ops'),
  'Query.deadLetters(first:)': page('deadLetters() { edges { cursor } }', 'ops'),
  'Query.holders(first:)': (first) => [
    'query ($id: ID!, $first: Int) { holders(eventId: $id, first: $first) { edges { cursor } } }',
    { id: event.id, first },
    'ops',
  ],
  'Viewer.orders(first:)': page('viewer { orders() { edges { cursor } } }', 'fan'),
  'NearInput.latitude': near('latitude'),
  'NearInput.longitude': near('longitude'),
  'NearInput.km': near('km'),
  'VenueInput.latitude': (latitude) => create({ venue: { name: 'Hall', latitude, longitude: 0 } }),
  'VenueInput.longitude': (longitude) => create({ venue: { name: 'Hall', latitude: 0, longitude } }),
  'PointInput.x': (x) => create({ generalAdmission: [{ ...area, outline: [{ x, y: 0 }] }] }),
  'PointInput.y': (y) => create({ generalAdmission: [{ ...area, outline: [{ x: 0, y }] }] }),
  'GeneralAdmissionAreaInput.capacity': (capacity) => create({ generalAdmission: [{ ...area, capacity }] }),
  'PriceInput.price': (price) => create({ prices: [{ category: 'floor', price }] }),
  'PriceInput.fee': (fee) => create({ prices: [{ category: 'floor', price: 1, fee }] }),
  'SaleInput.admissionRate': setting('admissionRate'),
  'SaleInput.admissionSeconds': setting('admissionSeconds'),
  'SaleInput.holdSeconds': setting('holdSeconds'),
  'SaleInput.turnSeconds': setting('turnSeconds'),
  'SaleInput.holdsPerMinute': setting('holdsPerMinute'),
  'SaleInput.unpaidHolds': setting('unpaidHolds'),
  'SaleInput.heldPerAddress': setting('heldPerAddress'),
  'SaleInput.heldPerDevice': setting('heldPerDevice'),
  'SaleInput.paymentMinutes': setting('paymentMinutes'),
  'SaleInput.shoppersPerOrder': setting('shoppersPerOrder'),
  'SaleInput.ticketLimit': setting('ticketLimit'),
  'UpdateSaleInput.ticketLimit': update('ticketLimit', 'updateSale', 'UpdateSaleInput'),
  'UpdateSaleInput.heldPerAddress': update('heldPerAddress', 'updateSale', 'UpdateSaleInput'),
  'UpdateSaleInput.heldPerDevice': update('heldPerDevice', 'updateSale', 'UpdateSaleInput'),
  'SetAdmissionInput.rate': update('rate', 'setAdmission', 'SetAdmissionInput', withRoom),
  'BestAvailableInput.quantity': hold('bestAvailable'),
  'GeneralAdmissionInput.quantity': (value) =>
    hold('generalAdmission', { sectionId: event.sectionId(2) })(value),
  'JoinWaitlistInput.quantity': (quantity) => [
    'mutation ($input: JoinWaitlistInput!) { joinWaitlist(input: $input) { __typename } }',
    { input: { eventId: event.id, quantity, acceptFewer: true } },
    'fan',
  ],
  'JoinWaitlistInput.wheelchairSeats': (wheelchairSeats) => [
    'mutation ($input: JoinWaitlistInput!) { joinWaitlist(input: $input) { __typename } }',
    { input: { eventId: withWheelchairs.id, quantity: 1_000, wheelchairSeats, acceptFewer: true } },
    'fan',
  ],
  'RefundEventInput.perSecond': (perSecond) => [
    'mutation ($input: RefundEventInput!) { refundEvent(input: $input) { perSecond } }',
    { input: { eventId: calledOff.id, reason: 'ill', perSecond } },
    'ops',
  ],
  'DeadLetterWindowInput.perSecond': (perSecond) => [
    'mutation ($input: DeadLettersInput!) { replayDeadLetters(input: $input) { replayed } }',
    {
      input: {
        window: { failedAfter: '2026-01-01T00:00:00Z', failedBefore: '2026-01-02T00:00:00Z', perSecond },
      },
    },
    'ops',
  ],
}

const EDGES = [
  ...[0, -0, 5e-324, -5e-324, 2.2e-308, 1e-45, 0.5, -1, 1.7e308, -1.7e308, 1e15],
  ...[2 ** 31 - 1, 2 ** 31, -(2 ** 31), -(2 ** 31) - 1, 2 ** 53, 2 ** 63],
]

test.each(Object.entries(NUMBER_INPUTS))(
  '%s takes its range, and refuses each other number',
  async (coordinate, range) => {
    const request = REQUESTS[coordinate]
    if (!request) throw new Error(`${coordinate} has no request here`)
    const { min, max, stepsPerUnit } = range as NumberRange
    const step = 1 / stepsPerUnit
    // A largest capacity would take seconds to insert.
    const largest = coordinate === 'GeneralAdmissionAreaInput.capacity' ? [] : [max]
    for (const value of [...EDGES, min, ...largest, min - step, max + step]) {
      const [query, variables, as] = request(value)
      const { errors } = await server.ask(query, variables, { token: tokens[as] })
      const codes = errors?.map(({ extensions }: Json) => extensions.code)
      expect([value, codes]).toEqual([value, inRange(value, range) === null ? ['BAD_USER_INPUT'] : undefined])
    }
  },
)

test('a search for words of any length is answered', async () => {
  for (const search of [
    'a'.repeat(2_047),
    'é'.repeat(3_000),
    `${'𝒳'.repeat(5_000)} b`,
    'a1'.repeat(40_000),
  ]) {
    const { data, errors } = await server.ask(
      'query ($s: String) { events(search: $s) { edges { cursor } } }',
      {
        s: search,
      },
    )
    expect(errors).toBeUndefined()
    expect(data.events.edges).toEqual([])
  }
})
