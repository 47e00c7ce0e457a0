import { expect, test } from 'vitest'
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

/** Lets the hold of a seat run out in so many seconds. */
const runOut = (event: TestEvent, holdId: string, seconds: number) =>
  db.sql(
    `with h as (update holds set expires_at = now() + make_interval(secs => $3) where event_id = $1 and id = $2
       returning id, expires_at)
     update seats s set held_until = h.expires_at from h where s.event_id = $1 and s.hold_id = h.id`,
    [event.id, holdId, seconds],
  )

/** The times are of now, by the database's clock. */
async function expectNow(times: string[]) {
  const asked = await now()
  for (const time of times) expect(Math.abs(Date.parse(time) - asked)).toBeLessThan(30_000)
}

test('with its machine’s clock an hour off, either way, a process holds, refuses, frees and sells as all others', async () => {
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
      // The same request again, and somebody else's.
      const again = await hold(other, event, ana, first)
      expect(again).toMatchObject({ id: held.id, state: 'ACTIVE', expiresAt: held.expiresAt })
      const refused = await hold(other, event, bob, first, `${bob} ${Math.random()}`)
      expect(refused.__typename).toBe('SeatsTaken')
      expect(refused.retryAfterSeconds).toBeGreaterThan(500)
      expect(refused.retryAfterSeconds).toBeLessThanOrEqual(661)
    }

    // Run out: for all of them, and free to the next taker through any of them.
    await runOut(event, held.id, -1)
    for (const other of apis) {
      const { data } = await other.ask(READ, { id: held.id }, { token: await token(ana) })
      expect(data.hold.state).toBe('EXPIRED')
    }
    const taken = await hold(api, event, bob, first, 'taken over')
    expect(taken).toMatchObject({ __typename: 'Hold', state: 'ACTIVE' })
    const released = await api.ask(RELEASE, { id: taken.id }, { token: await token(bob) })
    expect(released.data.releaseHold.state).toBe('RELEASED')

    // The first checkout extends it by five minutes, whatever comes of it, and the second by none.
    const wanted = await hold(api, event, ana, second)
    const pay = async (paymentMethod: string) => {
      const input = { holdId: wanted.id, paymentMethod, idempotencyKey: paymentMethod }
      return (await api.ask(CHECKOUT, { input }, { token: await token(ana) })).data.checkout as Json
    }
    const expiresAt = async () =>
      Date.parse((await api.ask(READ, { id: wanted.id }, { token: await token(ana) })).data.hold.expiresAt)
    expect((await pay('pm_card_declined')).__typename).toBe('PaymentDeclined')
    expect(await expiresAt()).toBe(Date.parse(wanted.expiresAt) + 300_000)
    expect((await pay('pm_card_expired')).__typename).toBe('PaymentDeclined')
    expect(await expiresAt()).toBe(Date.parse(wanted.expiresAt) + 300_000)
    const order = await pay('pm_card_visa')
    expect(order).toMatchObject({ __typename: 'Order', state: 'CONFIRMED' })
    await expectNow([order.placedAt])

    // A hold that ran out is sold as long as nobody took it.
    const late = await hold(api, event, ana, third)
    await runOut(event, late.id, -1)
    const input = { holdId: late.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'late' }
    const { data } = await api.ask(CHECKOUT, { input }, { token: await token(ana) })
    expect(data.checkout).toMatchObject({ __typename: 'Order', state: 'CONFIRMED' })
  }
  await expectInvariants(db, event.id)
})

test('the end of a hold is told when it has come, and not before, by all of them', async () => {
  const event = await insertEvent(db, { holdSeconds: 600 })
  const ana = await token('ana')
  const held = await hold(apis[1] as Client, event, 'ana', 1)
  await runOut(event, held.id, 3)
  const told = await Promise.all(
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
  for (const states of told) {
    expect(states.map(({ state }) => state)).toEqual(['ACTIVE', 'EXPIRED'])
    for (const { state, asOf, expiresAt } of states)
      expect(Date.parse(asOf) >= Date.parse(expiresAt)).toBe(state === 'EXPIRED')
  }
})

test('maps are as fresh, by the database’s clock, whatever the machine’s says', async () => {
  const event = await insertEvent(db)
  for (const [i, api] of apis.entries()) {
    const { data } = await api.ask(MAP, { id: event.id })
    const { sale, sections } = data.event
    await expectNow([sale.asOf, ...sections.map(({ availability }: Json) => availability.asOf)])
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
