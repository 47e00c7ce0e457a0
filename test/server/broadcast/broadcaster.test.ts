import { setTimeout as sleep } from 'node:timers/promises'
import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { unpackStatuses } from '../../../clients/sdk/statuses.ts'
import { schema } from '../../../src/resolvers/schema.ts'
import { GROUP_BOUNDS } from '../../../src/server/broadcast/bounds.ts'
import { insertEvent } from '../../support/event.ts'
import { seededRandom } from '../../support/random.ts'
import { type Json, testServer } from '../../support/server.ts'
import { followBySse } from '../../support/sse.ts'

const { app, db, url, ask, token, socket } = await testServer()

const SEATS = `subscription ($id: ID!) { seatSection(eventId: $id, sectionId: "A") {
  version previousVersion available snapshot { version statuses } changes { index status } } }`
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }`
const RELEASE = 'mutation ($id: ID!) { releaseHold(input: { holdId: $id }) { __typename } }'

const PATIENT = { timeout: 20_000 }

async function gauge(name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
}

/** Follows the section as a client does. */
function follow(id: string) {
  const state = { version: 0, statuses: [] as number[], available: -1, gaps: 0, snapshots: 0 }
  const names = ['AVAILABLE', 'HELD', 'SOLD', 'NOT_FOR_SALE']
  const stop = socket().subscribe<Json>(
    { query: SEATS, variables: { id } },
    {
      next({ data }: Json) {
        const { version, previousVersion, available, snapshot, changes } = data.seatSection
        if (snapshot) {
          state.snapshots++
          state.statuses = [...unpackStatuses(snapshot.statuses, 40)]
        } else if (previousVersion !== state.version) state.gaps++
        if (version < state.version) state.gaps++
        for (const { index, status } of changes) state.statuses[index] = names.indexOf(status)
        Object.assign(state, { version, available })
      },
      error: () => {},
      complete: () => {},
    },
  )
  return { state, stop }
}

test('sockets with the same operation form one group, whose updates are read once', async () => {
  const event = await insertEvent(db)
  let reads = 0
  const { updates } = app.seatMap
  Object.assign(app.seatMap, {
    updates: (...args: Parameters<typeof updates>) => {
      reads++
      return updates(...args)
    },
  })
  const peers = Array.from({ length: 30 }, () => follow(event.id))
  await expect.poll(() => peers.map(({ state }) => state.snapshots), PATIENT).toEqual(peers.map(() => 1))
  expect(reads).toBe(1)
  expect(await gauge('fairgate_broadcast_groups')).toBe(1)
  expect(await gauge('fairgate_broadcast_followers')).toBe(30)
  for (const { stop } of peers) stop()
  await expect.poll(() => gauge('fairgate_broadcast_groups'), PATIENT).toBe(0)
  Object.assign(app.seatMap, { updates })
})

test('followers of a sale form one group, whose updates are read and executed once', async () => {
  const event = await insertEvent(db)
  let reads = 0
  const { updates } = app.sales
  Object.assign(app.sales, {
    updates: (...args: Parameters<typeof updates>) => {
      reads++
      return updates(...args)
    },
  })
  // One execution serves all answers: each execution reads the settings of payments once.
  let executions = 0
  const { payments } = app
  Object.defineProperty(app, 'payments', {
    configurable: true,
    get() {
      executions++
      return payments
    },
  })
  const SALE = `subscription ($id: ID!) { saleUpdated(eventId: $id) { state available held payments { provider } } }`
  const received = Array.from({ length: 30 }, () => [] as Json[])
  const stops = received.map((values) =>
    socket().subscribe<Json>(
      { query: SALE, variables: { id: event.id } },
      { next: ({ data }: Json) => values.push(data.saleUpdated), error() {}, complete() {} },
    ),
  )
  await expect.poll(() => received.map(({ length }) => length), PATIENT).toEqual(received.map(() => 1))
  expect(reads).toBe(1)
  expect(await gauge('fairgate_broadcast_groups')).toBe(1)
  expect(await gauge('fairgate_broadcast_followers')).toBe(30)

  const before = executions
  const input = { eventId: event.id, selection: { seats: [event.seatId(7)] }, idempotencyKey: 'one' }
  expect((await ask(HOLD, { input }, { token: await token() })).data.hold.__typename).toBe('Hold')
  await expect
    .poll(() => received.map((values) => values.at(-1)?.held), PATIENT)
    .toEqual(received.map(() => 1))
  // An update that is executed may not have arrived yet.
  await expect
    .poll(() => received.map(({ length }) => length - 1), PATIENT)
    .toSatisfy((lengths: number[]) => lengths.every((length) => length === executions - before))
  expect(received[0]?.at(-1)).toMatchObject({ state: 'ON_SALE', available: 39, held: 1 })
  expect(received).toEqual(received.map(() => received[0]))
  for (const stop of stops) stop()
  await expect.poll(() => gauge('fairgate_broadcast_groups'), PATIENT).toBe(0)
  Object.assign(app.sales, { updates })
  Object.defineProperty(app, 'payments', { configurable: true, value: payments, writable: true })
})

/** Follows with any document. Resolves with the first message: a value, or the refusal. */
function followAs(query: string, variables: object, address?: string) {
  const received: Json[] = []
  const stop = socket({}, address ? { 'x-forwarded-for': address } : {}).subscribe<Json>(
    { query, variables: variables as Record<string, unknown> },
    {
      next: (value) => received.push(value),
      error: (errors) => received.push({ errors }),
      complete() {},
    },
  )
  return { received, stop }
}

test('operations that select the same form one group, in whatever words', async () => {
  const event = await insertEvent(db)
  const { id } = event
  const documents: [string, object][] = [
    ['subscription ($id: ID!) { saleUpdated(eventId: $id) { state available } }', { id }],
    ['subscription Named($event: ID!) { saleUpdated(eventId: $event) { available state } }', { event: id }],
    [`subscription { saleUpdated(eventId: "${id}") { state state available: available } }`, {}],
    [
      `subscription { ...All } fragment All on Subscription { saleUpdated(eventId: "${id}") { ...Part } }
      fragment Part on Sale { available ... on Sale { state } }`,
      {},
    ],
    [
      `subscription { saleUpdated(eventId: "${id}") { state } ... { saleUpdated(eventId: "${id}") { available } } }`,
      {},
    ],
    [
      `subscription ($no: Boolean = false, $id: ID!) { saleUpdated(eventId: $id) {
      state available held @include(if: $no) id @skip(if: true) } }`,
      { id },
    ],
  ]
  const peers = documents.map(([query, variables]) => followAs(query, variables))
  await expect.poll(() => peers.map(({ received }) => received.length), PATIENT).toEqual(peers.map(() => 1))
  expect(peers.map(({ received }) => received[0])).toEqual(
    peers.map(() => ({ data: { saleUpdated: { state: 'ON_SALE', available: 40 } } })),
  )
  expect(await gauge('fairgate_broadcast_groups')).toBe(1)
  expect(await gauge('fairgate_broadcast_followers')).toBe(documents.length)
  for (const { stop } of peers) stop()
  await expect.poll(() => gauge('fairgate_broadcast_groups'), PATIENT).toBe(0)
})

test('a directive at the root of a subscription is refused: it would need an execution of its own', async () => {
  const { id } = await insertEvent(db)
  const query = `subscription ($yes: Boolean = true) { saleUpdated(eventId: "${id}") @include(if: $yes) { state } }`
  const { received, stop } = followAs(query, {})
  await expect.poll(() => received.length, PATIENT).toBe(1)
  expect(received[0]).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] })
  stop()
})

test('an address brings few selections of a sale, and many addresses do not shut a fan out', async () => {
  const { id } = await insertEvent(db)
  const aliased = (name: string) => `subscription { ${name}: saleUpdated(eventId: "${id}") { state } }`
  const codes = (peers: ReturnType<typeof followAs>[]) =>
    peers.map(({ received }) => received[0]?.errors?.[0].extensions.code ?? (received[0] ? 'ok' : null))
  const greedy = Array.from({ length: 20 }, (_, i) => followAs(aliased(`a${i}`), {}, '2001:db8::7'))
  await expect.poll(() => codes(greedy).includes(null), PATIENT).toBe(false)
  expect(codes(greedy).filter((code) => code === 'ok').length).toBe(GROUP_BOUNDS.ofSubjectByAddress)
  expect(codes(greedy).filter((code) => code === 'RATE_LIMITED').length).toBe(
    20 - GROUP_BOUNDS.ofSubjectByAddress,
  )
  // Another address of the same subscriber, and another operation.
  const again = followAs(aliased('b'), {}, '2001:db8::8')
  await expect.poll(() => codes([again])[0], PATIENT).toBe('RATE_LIMITED')

  const crowd = Array.from({ length: 30 }, (_, from) =>
    Array.from({ length: GROUP_BOUNDS.ofSubjectByAddress }, (_, i) =>
      followAs(aliased(`c${from}_${i}`), {}, `192.0.2.${from}`),
    ),
  ).flat()
  await expect.poll(() => codes(crowd).includes(null), PATIENT).toBe(false)
  expect(await gauge('fairgate_broadcast_groups')).toBeLessThanOrEqual(GROUP_BOUNDS.ofSubject)
  const fan = followAs(
    'subscription ($id: ID!) { saleUpdated(eventId: $id) { state } }',
    { id },
    '198.51.100.1',
  )
  await expect.poll(() => fan.received.length, PATIENT).toBe(1)
  const more = Array.from({ length: 20 }, (_, i) => followAs(aliased(`d${i}`), {}, `203.0.113.${i >> 1}`))
  await expect.poll(() => codes(more).includes(null), PATIENT).toBe(false)
  // The groups that ended to make room are those of the addresses that brought the most.
  expect(fan.received).toEqual([{ data: { saleUpdated: { state: 'ON_SALE' } } }])
  expect(await gauge('fairgate_broadcast_groups')).toBeLessThanOrEqual(GROUP_BOUNDS.ofSubject)
  for (const { stop } of [...greedy, again, ...crowd, ...more, fan]) stop()
  await expect.poll(() => gauge('fairgate_broadcast_groups'), PATIENT).toBe(0)
})

test('clients that come and go at random end with the map of the database, and miss no update', async () => {
  const pick = seededRandom()
  const event = await insertEvent(db)
  const peers = new Set<ReturnType<typeof follow>>()
  const held: string[] = []
  const fans = await Promise.all(Array.from({ length: 10 }, () => token()))
  for (let i = 0; i < 150; i++) {
    if (pick() < 0.3) peers.add(follow(event.id))
    const [someone] = peers
    if (pick() < 0.1 && someone) {
      someone.stop()
      peers.delete(someone)
    }
    const fan = { token: fans[i % 10] as string }
    if (pick() < 0.5 && held.length > 0) await ask(RELEASE, { id: held.shift() }, fan)
    else {
      const seats = [event.seatId(1 + Math.floor(pick() * 40))]
      const input = { eventId: event.id, selection: { seats }, idempotencyKey: `k${i}` }
      const { data } = await ask(HOLD, { input }, fan)
      if (data?.hold?.id) held.push(data.hold.id)
    }
    await sleep(pick() * 20)
  }
  const truth = async () =>
    (await db.sql('select status from seats where event_id = $1 order by no', [event.id])).map(
      ({ status }) => status,
    )
  const statuses = await truth()
  await expect
    .poll(() => [...peers].filter(({ state }) => state.statuses.join() !== statuses.join()).length, PATIENT)
    .toBe(0)
  expect(statuses.includes(1)).toBe(true)
  expect([...peers].map(({ state }) => state.gaps)).toEqual([...peers].map(() => 0))
  for (const { stop } of peers) stop()
})

test('server-sent events send the same updates as a socket', async () => {
  const event = await insertEvent(db)
  const received: Json[] = []
  const stop = socket().subscribe<Json>(
    { query: SEATS, variables: { id: event.id } },
    { next: (value) => received.push(value), error() {}, complete() {} },
  )
  const sse = await followBySse(url, SEATS, { id: event.id })
  const bothHave = (count: number) =>
    expect.poll(() => [received.length, sse.results.length], PATIENT).toEqual([count, count])
  await bothHave(1)
  const fan = { token: await token() }
  const seats = [2, 3, 40].map(event.seatId)
  const { data } = await ask(
    HOLD,
    { input: { eventId: event.id, selection: { seats }, idempotencyKey: 'both' } },
    fan,
  )
  await bothHave(2)
  await ask(RELEASE, { id: data.hold.id }, fan)
  await bothHave(3)
  expect(sse.results).toEqual(received)
  expect(received.map((value) => value.data.seatSection)).toMatchObject([
    { available: 40, snapshot: { statuses: expect.any(String) }, changes: [] },
    { available: 37, snapshot: null, changes: [1, 2, 39].map((index) => ({ index, status: 'HELD' })) },
    { available: 40, snapshot: null, changes: [1, 2, 39].map((index) => ({ index, status: 'AVAILABLE' })) },
  ])
  stop()
  await sse.stop()
})

test('a subscription that cannot start is refused with its code', async () => {
  const refusal = (query: string, variables = {}) =>
    new Promise<Json>((resolve) => {
      socket().subscribe<Json>({ query, variables }, { next: resolve, error: resolve, complete() {} })
    })
  expect(await refusal('subscription { saleUpdated(eventId: "evt_x") { id } }')).toMatchObject({
    errors: [{ path: ['saleUpdated'], extensions: { code: 'BAD_USER_INPUT' } }],
  })
  const event = await insertEvent(db, { waitingRoom: true })
  expect(await refusal(SEATS, { id: event.id })).toMatchObject({
    errors: [{ path: ['seatSection'], extensions: { code: 'ADMISSION_REQUIRED' } }],
  })
  expect(await refusal(SEATS)).toMatchObject({ errors: [{ message: expect.stringContaining('$id') }] })
})

test('no field below a broadcast depends on the caller', () => {
  const seen = new Set<GraphQLObjectType>()
  const guarded: string[] = []
  function walk(type: unknown) {
    const named = getNamedType(type as GraphQLObjectType)
    if (!isObjectType(named) || seen.has(named)) return
    seen.add(named)
    for (const field of Object.values(named.getFields())) {
      const options = field.extensions.pothosOptions as { authScopes?: unknown } | undefined
      if (options?.authScopes || /viewer/i.test(field.name)) guarded.push(`${named.name}.${field.name}`)
      walk(field.type)
    }
  }
  const fields = Object.values(schema.getSubscriptionType()?.getFields() ?? {})
  const broadcasts = fields.filter(({ extensions }) => extensions.broadcast)
  expect(broadcasts.map(({ name }) => name).sort()).toEqual(['saleUpdated', 'seatSection'])
  for (const field of broadcasts) {
    expect((field.extensions.pothosOptions as { authScopes?: unknown }).authScopes).toBeUndefined()
    walk(field.type)
  }
  expect(seen.size).toBeGreaterThan(5)
  expect(guarded).toEqual([])
})
