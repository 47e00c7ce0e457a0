import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { newId } from '../../src/sale/ids.ts'
import { expireHolds } from '../../src/sql/holds/endedHolds.ts'
import { cancelOrder } from '../../src/sql/orders/orderTransitions.ts'
import { offerWaitlist } from '../../src/sql/waitlist.ts'
import { apiProcesses } from '../support/apiProcess.ts'
import { type Json, testClient } from '../support/client.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const start = await apiProcesses(db.url, redis.url)
const preload = (hours: number) => new URL(`../support/clockOff.ts?hours=${hours}`, import.meta.url).href

const apis = await Promise.all(
  [-1, 0, 1].map(async (hours) => {
    const { url, listeningSince } = await start({ preload: preload(hours) })
    expect(Math.round((listeningSince.getTime() - Date.now()) / 3_600_000)).toBeCloseTo(hours)
    return testClient(url)
  }),
)
type Client = (typeof apis)[number]

const HOLD_FIELDS = 'id state expiresAt asOf order { id }'
const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) {
  __typename ... on Hold { ${HOLD_FIELDS} } ... on Refusal { retryAfterSeconds } } }`
const RELEASE = `mutation ($id: ID!) { releaseHold(input: { holdId: $id }) {
  __typename ... on Hold { ${HOLD_FIELDS} } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) {
  __typename ... on Order { state placedAt hold { expiresAt } } } }`
const UPDATES = `subscription ($id: ID!) { holdUpdated(id: $id) { state asOf expiresAt } }`
const READ = `query ($id: ID!) { hold(id: $id) { ${HOLD_FIELDS} } }`
const MAP = `query ($id: ID!) { event(id: $id) { sale { asOf } sections { availability { asOf version } } } }`
const FOLLOW = `subscription ($id: ID!) { seatSection(eventId: $id, sectionId: "A") {
  asOf available snapshot { asOf } } }`

const token = (account: string) => (apis[1] as Client).token(account)
const now = async () => (await db.sql('select clock_timestamp() as now'))[0]?.now.getTime() as number

async function hold(
  api: Client,
  event: TestEvent,
  account: string,
  seatNo: number,
  key = `${account} ${seatNo}`,
) {
  const input = { eventId: event.id, selection: { seats: [event.seatId(seatNo)] }, idempotencyKey: key }
  return (await api.ask(HOLD, { input }, { token: await token(account) })).data.hold as Json
}

const SELL = `mutation ($input: CheckoutInput!) { checkout(input: $input) { ... on Order { id state } } }`
const JOIN = `mutation ($input: JoinWaitlistInput!) { joinWaitlist(input: $input) {
  __typename ... on WaitlistEntry { state } } }`
const OFFER = `query ($id: ID!) { viewer { waitlist(eventId: $id) {
  state hold { id state asOf expiresAt } } } }`

function expectTenMinutes({ asOf, expiresAt }: Json) {
  const seconds = (Date.parse(expiresAt) - Date.parse(asOf)) / 1_000
  expect(seconds).toBeGreaterThanOrEqual(590)
  expect(seconds).toBeLessThanOrEqual(661)
}

async function select(api: Client, event: TestEvent, account: string, selection: object) {
  const input = { eventId: event.id, selection, idempotencyKey: `${Math.random()}` }
  return (await api.ask(HOLD, { input }, { token: await token(account) })).data.hold as Json
}

/** Moves the account's holds so far into the past. */
const letTimePass = (event: TestEvent, account: string, minutes: number) =>
  db.sql(
    `with h as (update holds set created_at = created_at - m, expires_at = expires_at - m
       from make_interval(mins => $3) m where event_id = $1 and account_id = $2 returning id, expires_at)
     update seats s set held_until = h.expires_at from h where s.event_id = $1 and s.hold_id = h.id`,
    [event.id, account, minutes],
  )

/** Makes the hold of a seat run out in so many seconds. The clock of holds may be a second or two late. */
const runOut = (event: TestEvent, holdId: string, seconds: number) =>
  db.sql(
    `with h as (update holds set expires_at = now() + make_interval(secs => $3) where event_id = $1 and id = $2
       returning id, expires_at)
     update seats s set held_until = h.expires_at from h where s.event_id = $1 and s.hold_id = h.id`,
    [event.id, holdId, seconds],
  )

/** Expects times that are now, by the database's clock. */
async function expectNow(times: string[]) {
  const checkedAt = await now()
  for (const time of times) expect(Math.abs(Date.parse(time) - checkedAt)).toBeLessThan(30_000)
}

test('a process whose clock is an hour wrong holds, refuses, frees and sells as every other process does', async () => {
  const event = await insertEvent(db, { holdSeconds: 600 })
  for (const [i, api] of apis.entries()) {
    const [ana, bob] = [`ana-${i}`, `bob-${i}`]
    const [first, second, third] = [3 * i + 1, 3 * i + 2, 3 * i + 3] as const
    const held = await hold(api, event, ana, first)
    expect(held).toMatchObject({ __typename: 'Hold', state: 'ACTIVE' })
    await expectNow([held.asOf])
    const seconds = (Date.parse(held.expiresAt) - Date.parse(held.asOf)) / 1_000
    expect(seconds).toBeGreaterThanOrEqual(599)
    expect(seconds).toBeLessThanOrEqual(661)

    for (const other of apis) {
      // The same request again, and another account's.
      const again = await hold(other, event, ana, first)
      expect(again).toMatchObject({ id: held.id, state: 'ACTIVE', expiresAt: held.expiresAt })
      const refused = await hold(other, event, bob, first, `${bob} ${Math.random()}`)
      expect(refused.__typename).toBe('SeatsTaken')
      expect(refused.retryAfterSeconds).toBeGreaterThan(500)
      expect(refused.retryAfterSeconds).toBeLessThanOrEqual(661)
    }

    // The hold has run out for every process, and any of them gives the seat to the next fan.
    await runOut(event, held.id, -5)
    for (const other of apis) {
      const { data } = await other.ask(READ, { id: held.id }, { token: await token(ana) })
      expect(data.hold.state).toBe('EXPIRED')
    }
    const taken = await hold(api, event, bob, first, 'taken over')
    expect(taken).toMatchObject({ __typename: 'Hold', state: 'ACTIVE' })
    const released = await api.ask(RELEASE, { id: taken.id }, { token: await token(bob) })
    expect(released.data.releaseHold.state).toBe('RELEASED')

    // A declined card leaves the hold its own end.
    const wanted = await hold(api, event, ana, second)
    const pay = async (paymentMethod: string) => {
      const input = { holdId: wanted.id, paymentMethod, idempotencyKey: paymentMethod }
      return (await api.ask(CHECKOUT, { input }, { token: await token(ana) })).data.checkout as Json
    }
    const expiresAt = async () =>
      Date.parse((await api.ask(READ, { id: wanted.id }, { token: await token(ana) })).data.hold.expiresAt)
    expect((await pay('pm_card_declined')).__typename).toBe('PaymentDeclined')
    expect(await expiresAt()).toBe(Date.parse(wanted.expiresAt))
    expect((await pay('pm_card_expired')).__typename).toBe('PaymentDeclined')
    expect(await expiresAt()).toBe(Date.parse(wanted.expiresAt))
    // With little time left the hold ends a minute from now, by the database's clock.
    const short = await hold(api, event, ana, 3 * apis.length + 1 + i)
    await runOut(event, short.id, 20)
    const declined = { holdId: short.id, paymentMethod: 'pm_card_declined', idempotencyKey: 'short' }
    await api.ask(CHECKOUT, { input: declined }, { token: await token(ana) })
    const after = (await api.ask(READ, { id: short.id }, { token: await token(ana) })).data.hold as Json
    const left = (Date.parse(after.expiresAt) - Date.parse(after.asOf)) / 1_000
    expect(left).toBeGreaterThan(30)
    expect(left).toBeLessThanOrEqual(60)
    const order = await pay('pm_card_visa')
    expect(order).toMatchObject({ __typename: 'Order', state: 'CONFIRMED' })
    await expectNow([order.placedAt])

    // A hold that has run out can still be bought until another fan takes its seats.
    const late = await hold(api, event, ana, third)
    await runOut(event, late.id, -5)
    const input = { holdId: late.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'late' }
    const { data } = await api.ask(CHECKOUT, { input }, { token: await token(ana) })
    expect(data.checkout).toMatchObject({ __typename: 'Order', state: 'CONFIRMED' })
  }
  await expectInvariants(db, event.id)
})

test('a process whose clock is an hour wrong picks the best seats and enforces every limit as every other process does', async () => {
  const sections = [{ seats: 40 }, { places: 40 }]
  const busy = await insertEvent(db, { sections, holdsPerMinute: 2 })
  const squatted = await insertEvent(db, { sections, unpaidHolds: 1 })
  const best = { bestAvailable: { quantity: 1 } }
  for (const [i, api] of apis.entries()) {
    const places = { generalAdmission: { sectionId: busy.sectionId(2), quantity: 2 } }
    const fan = `busy-${i}`
    for (const selection of [best, places]) {
      const held = await select(api, busy, fan, selection)
      expect(held).toMatchObject({ __typename: 'Hold', state: 'ACTIVE' })
      await expectNow([held.asOf])
      expectTenMinutes(held)
    }
    for (const other of apis) {
      const refused = await select(other, busy, fan, best)
      expect(refused.__typename).toBe('TooManyHolds')
      expect(refused.retryAfterSeconds).toBeGreaterThan(0)
      expect(refused.retryAfterSeconds).toBeLessThanOrEqual(60)
    }
    await letTimePass(busy, fan, 2)
    for (const other of [api, apis[(i + 1) % apis.length] as Client])
      expect((await select(other, busy, fan, best)).__typename).toBe('Hold')

    const squatter = `squatter-${i}`
    const unpaid = await select(api, squatted, squatter, best)
    await runOut(squatted, unpaid.id, -5)
    for (const other of apis) {
      const refused = await select(other, squatted, squatter, best)
      expect(refused.__typename).toBe('TooManyHolds')
      expect(refused.retryAfterSeconds).toBeLessThanOrEqual(60)
    }
    // It no longer counts. A clock an hour wrong would have allowed it at once, or not for an hour.
    await letTimePass(squatted, squatter, 2)
    expect((await select(api, squatted, squatter, best)).__typename).toBe('Hold')
  }
  for (const { id } of [busy, squatted]) await expectInvariants(db, id)
})

test('a process whose clock is an hour wrong makes and ends waitlist offers as every other process does', async () => {
  for (const [i, api] of apis.entries()) {
    const event = await insertEvent(db, { sections: [{ seats: 2 }] })
    const ana = { token: await token(`waiting-${i}`) }
    const sold = await select(api, event, `seller-${i}`, { seats: [1, 2].map(event.seatId) })
    const input = { holdId: sold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'sell' }
    const { checkout } = (await api.ask(SELL, { input }, { token: await token(`seller-${i}`) })).data
    expect(checkout.state).toBe('CONFIRMED')
    const join = { input: { eventId: event.id, quantity: 2 } }
    await expect
      .poll(async () => (await api.ask(JOIN, join, ana)).data.joinWaitlist, { timeout: 20_000 })
      .toEqual({ __typename: 'WaitlistEntry', state: 'WAITING' })
    const entry = async (other: Client) =>
      (await other.ask(OFFER, { id: event.id }, ana)).data.viewer.waitlist[0] as Json

    await cancelOrder(db, event.id, checkout.id)
    const offer = () => offerWaitlist(db, event.id, newId('hld', event.id))
    expect(await offer()).toMatchObject({ outcome: 'offered' })
    for (const other of apis) {
      const { state, hold } = await entry(other)
      expect([state, hold.state]).toEqual(['OFFERED', 'ACTIVE'])
      await expectNow([hold.asOf])
      expectTenMinutes(hold)
      // No other account can take the seat, whatever the clock of its process says.
      const refused = await select(other, event, `other-${i}`, { seats: [event.seatId(1)] })
      expect(['SeatsTaken', 'SaleOver']).toContain(refused.__typename)
    }
    await runOut(event, (await entry(api)).hold.id, -5)
    for (const other of apis) expect((await entry(other)).hold.state).toBe('EXPIRED')
    // The jobs do the same.
    await expireHolds(db, event.id, 10)
    await offer()
    for (const other of apis) expect((await entry(other)).state).toBe('LAPSED')
    await expectInvariants(db, event.id)
  }
})

test('every process reports the end of a hold when it comes, and not before', async () => {
  const event = await insertEvent(db, { holdSeconds: 600 })
  const ana = await token('ana')
  const held = await hold(apis[1] as Client, event, 'ana', 1)
  await runOut(event, held.id, 3)
  const seen = await Promise.all(
    apis.map(async (api) => {
      const states: Json[] = []
      await new Promise<void>((resolve, reject) => {
        const stop = api.socket({ authorization: `Bearer ${ana}` }).subscribe<Json>(
          { query: UPDATES, variables: { id: held.id } },
          {
            next({ data }: Json) {
              states.push(data.holdUpdated)
              if (data.holdUpdated.state !== 'EXPIRED') return
              stop()
              resolve()
            },
            error: reject,
            complete: resolve,
          },
        )
      })
      return states
    }),
  )
  for (const states of seen) {
    expect(states.map(({ state }) => state)).toEqual(['ACTIVE', 'EXPIRED'])
    for (const { state, asOf, expiresAt } of states)
      expect(Date.parse(asOf) >= Date.parse(expiresAt)).toBe(state === 'EXPIRED')
  }
})

test('maps are as fresh by the database’s clock, whatever the machine’s clock says', async () => {
  const event = await insertEvent(db)
  for (const [i, api] of apis.entries()) {
    const ages = { sale: [] as number[], map: [] as number[] }
    for (let ask = 0; ask < 9; ask++) {
      const before = await now()
      const { sale, sections } = (await api.ask(MAP, { id: event.id })).data.event
      ages.sale.push(before - Date.parse(sale.asOf))
      ages.map.push(before - Date.parse(sections[0].availability.asOf))
      await sleep(100)
    }
    // On a busy machine a single answer may be late.
    for (const seen of [ages.sale, ages.map]) {
      const median = seen.sort((a, b) => a - b)[4] as number
      expect(median).toBeGreaterThan(-1_000)
      expect(median).toBeLessThan(2_000)
    }
    const followed: Json[] = []
    const stop = api
      .socket()
      .subscribe<Json>(
        { query: FOLLOW, variables: { id: event.id } },
        { next: ({ data }: Json) => followed.push(data.seatSection), error: () => {}, complete: () => {} },
      )
    await expect.poll(() => followed.length, { timeout: 20_000 }).toBeGreaterThan(0)
    await hold(api, event, `fan-${i}`, i + 1)
    await expect.poll(() => followed.at(-1)?.available, { timeout: 20_000 }).toBe(40 - i - 1)
    stop()
    await expectNow(followed.map(({ asOf }) => asOf))
  }
})
