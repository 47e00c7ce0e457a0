import { randomUUID } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { fan, fillLine, nextTick, type TestFan } from '../support/room.ts'
import { type Json, testServer } from '../support/server.ts'

// On top of the 3 s that `pm_slow` takes, half to one and a half times as long: over the 3 s at which trouble begins.
const { url, app, db, ask, token, socket } = await testServer({ SANDBOX_LATENCY_MS: '800' })
const ops = { authorization: `Bearer ${await token('olga', { roles: ['ops'] })}` }
const METRICS = `subscription ($id: ID!) { saleMetrics(eventId: $id) { rate rateCeiling rateReason } }`
const HALL = { waitingRoom: true, sections: [{ seats: 2_000 }], rate: 20 }

/** The first that fits of what the sale's metrics tell from now on. */
async function told(id: string, fits: (metrics: Json) => boolean): Promise<Json> {
  const values = socket(ops).iterate<Json>({ query: METRICS, variables: { id } })
  try {
    for (;;) {
      const { value, done } = await values.next()
      if (done) throw new Error('it ended')
      if (fits(value.data.saleMetrics)) return value.data.saleMetrics
    }
  } finally {
    await values.return?.()
  }
}

async function gauges({ id }: TestEvent) {
  const text = await (await fetch(`${url}/metrics`)).text()
  const found = text.matchAll(new RegExp(`^fairgate_sale_(rate\\w*)\\{event="${id}",?(.*)\\} (\\S+)$`, 'gm'))
  return Object.fromEntries([...found].map(([, name, labels, value]) => [`${name}${labels}`, Number(value)]))
}

/** A line of which as many are called as the rate allows. */
async function line() {
  const event = await insertEvent(db, HALL)
  const fans = Array.from({ length: 200 }, () => fan())
  const tokens = await fillLine(app, event.id, fans)
  expect(await nextTick(app, event.id)).toMatchObject({ called: 20 })
  return { event, who: fans[0] as TestFan, queueToken: tokens[0] as string }
}

/** The next tick halves the rate: the sale's metrics, the gauges and the log all say so, and why. */
async function expectCut(event: TestEvent, reason: RegExp, label: string) {
  expect(await told(event.id, () => true)).toEqual({ rate: 20, rateCeiling: 20, rateReason: '' })
  const warn = vi.spyOn(app.log, 'warn')
  try {
    expect(await nextTick(app, event.id)).toMatchObject({ called: 10 })
    const said = warn.mock.calls.filter(([, message]) => message === 'the rate of admission changed')
    const cut = { rate: 10, rateCeiling: 20, rateReason: expect.stringMatching(reason) }
    expect(said.map(([fields]) => fields)).toEqual([{ eventId: event.id, ...cut }])
    expect(await told(event.id, ({ rate }) => rate !== 20)).toEqual(cut)
    await expect
      .poll(() => gauges(event), { timeout: 10_000 })
      .toMatchObject({ rate: 10, rate_ceiling: 20, [`rate_inforeason="${label}"`]: 1 })
  } finally {
    warn.mockRestore()
  }
}

test('a checkout that took too long cuts the rate: the sale’s metrics, the gauges and the log tell it, with its ceiling and its reason', async () => {
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
  // The process has written what it counted: a sample a second.
  const p99 = async () => (await app.load.recent(event.id)).checkoutP99Ms
  await expect.poll(p99, { timeout: 10_000 }).toBeGreaterThan(3_000)
  await expectCut(event, /^checkout p99 \d\.\d s over 3 s$/, 'checkout')
})

test('so does a provider that refuses', async () => {
  const { event } = await line()
  for (let i = 0; i < 40; i++) app.load.authorization(i < 10)
  const share = async () => (await app.load.recent(event.id)).providerRefusedShare
  await expect.poll(share, { timeout: 10_000 }).toBeGreaterThan(0.02)
  await expectCut(event, /^payment provider refuses 2\d(\.\d)? percent/, 'provider')
})

test('and a database whose connections are waited for', async () => {
  // Of so many, those that the provider refused are nothing.
  for (let i = 0; i < 2_000; i++) app.load.authorization(false)
  const share = async () => (await app.load.recent('evt_any')).providerRefusedShare ?? 0
  await expect.poll(share, { timeout: 10_000 }).toBeLessThan(0.02)
  const { event } = await line()
  for (let i = 0; i < 5_000; i++) app.load.poolWait(80)
  const wait = async () => (await app.load.recent(event.id)).poolWaitMs
  await expect.poll(wait, { timeout: 10_000 }).toBeGreaterThan(50)
  await expectCut(event, /wait for the database pool \d\d ms/, 'pool')
})
