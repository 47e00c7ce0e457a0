import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test, vi } from 'vitest'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { readUntil } from '../support/readUntil.ts'
import { fan, fillLine, nextTick, type TestFan } from '../support/room.ts'
import { type Json, testServer } from '../support/server.ts'

// `pm_slow` takes 3 s, and this latency comes on top (half to one and a half times): over the limit of 3 s.
const { url, app, db, ask, token, socket } = await testServer({ SANDBOX_LATENCY_MS: '800' })
const ops = { authorization: `Bearer ${await token('olga', { roles: ['ops'] })}` }
const METRICS = `subscription ($id: ID!) { saleMetrics(eventId: $id) { rate rateCeiling rateReason } }`
const HALL = { waitingRoom: true, sections: [{ seats: 2_000 }], rate: 20 }

// Loads of the last ten seconds, which an earlier test has made.
beforeEach(() => app.redis.flushall())

/** Waits until the sale's metrics are as expected. */
async function expectMetrics(id: string, expected: object): Promise<void> {
  const values = socket(ops).iterate<Json>({ query: METRICS, variables: { id } })
  try {
    await readUntil(
      async () => (await values.next()).value.data.saleMetrics,
      (metrics) => expect(metrics).toEqual(expected),
    )
  } finally {
    await values.return?.()
  }
}

async function gauges({ id }: TestEvent) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const found = text.matchAll(new RegExp(`^fairgate_sale_(rate\\w*)\\{event="${id}",?(.*)\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...found].map(([, name, labels, value]) => [`${name}${labels}`, Number(value)]))
}

/** A line in which the first tick has called as many fans as the rate allows. */
async function line() {
  const event = await insertEvent(db, HALL)
  const fans = Array.from({ length: 200 }, () => fan())
  const tokens = await fillLine(app, event.id, fans)
  // On a busy machine the joins alone may have waited so long for connections that the first tick is cut.
  const wait = async () => (await app.load.recent(event.id)).poolWaitMs ?? 0
  await expect.poll(wait, { timeout: 30_000 }).toBeLessThan(50)
  expect(await nextTick(app, event.id)).toMatchObject({ called: 20 })
  return { event, who: fans[0] as TestFan, queueToken: tokens[0] as string }
}

/** Expects the next tick to halve the rate, and the sale's metrics, the gauges and the log to show it with the reason. */
async function expectCut(event: TestEvent, reason: RegExp, label: string) {
  await expectMetrics(event.id, { rate: 20, rateCeiling: 20, rateReason: '' })
  const warn = vi.spyOn(app.log, 'warn')
  try {
    expect(await nextTick(app, event.id)).toMatchObject({ called: 10 })
    const said = warn.mock.calls.filter(([, message]) => message === 'the rate of admission changed')
    const cut = { rate: 10, rateCeiling: 20, rateReason: expect.stringMatching(reason) }
    expect(said.map(([fields]) => fields)).toEqual([{ eventId: event.id, ...cut }])
    await expectMetrics(event.id, cut)
    await expect
      .poll(() => gauges(event), { timeout: 10_000 })
      .toMatchObject({ rate: 10, rate_ceiling: 20, [`rate_inforeason="${label}"`]: 1 })
  } finally {
    warn.mockRestore()
  }
}

test('a slow checkout halves the rate; the sale’s metrics, the gauges and the log show it with ceiling and reason', async () => {
  const { event, who, queueToken } = await line()
  const { admission } = await app.waitingRoom.position(queueToken, who)
  const credentials = {
    token: await token(who.account.id),
    device: who.deviceId as string,
    admission: admission?.token as string,
  }
  const selection = { seats: [event.seatId(1)] }
  const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }'
  const PAY = 'mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename } }'
  const { data } = await ask(
    HOLD,
    { input: { eventId: event.id, selection, idempotencyKey: randomUUID() } },
    credentials,
  )
  const input = { holdId: data.hold.id, paymentMethod: 'pm_slow', idempotencyKey: randomUUID() }
  expect((await ask(PAY, { input }, credentials)).data.checkout.__typename).toBe('Order')
  // The process writes a sample a second.
  const p99 = async () => (await app.load.recent(event.id)).checkoutP99Ms
  await expect.poll(p99, { timeout: 10_000 }).toBeGreaterThan(3_000)
  await expectCut(event, /^checkout p99 \d\.\d s over 3 s$/, 'checkout')
})

test('a payment provider that refuses halves the rate', async () => {
  const { event } = await line()
  for (let i = 0; i < 40; i++) app.load.authorization(i < 10)
  const share = async () => (await app.load.recent(event.id)).providerRefusedShare
  await expect.poll(share, { timeout: 10_000 }).toBeGreaterThan(0.02)
  await expectCut(event, /^payment provider refuses 2\d(\.\d)? percent/, 'provider')
})

test('a wait for database connections halves the rate', async () => {
  // Among so many the refusals of the provider are a negligible share.
  for (let i = 0; i < 2_000; i++) app.load.authorization(false)
  const share = async () => (await app.load.recent('evt_any')).providerRefusedShare ?? 0
  await expect.poll(share, { timeout: 10_000 }).toBeLessThan(0.02)
  const { event } = await line()
  for (let i = 0; i < 5_000; i++) app.load.poolWait(80)
  const wait = async () => (await app.load.recent(event.id)).poolWaitMs
  await expect.poll(wait, { timeout: 10_000 }).toBeGreaterThan(50)
  await expectCut(event, /wait for the database pool \d\d ms/, 'pool')
})
