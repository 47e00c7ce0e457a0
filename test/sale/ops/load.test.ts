import { expect, test } from 'vitest'
import { connectForCommands } from '../../../src/redis/connect.ts'
import { badInput } from '../../../src/sale/faults.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { newEventId, newId } from '../../../src/sale/ids.ts'
import { instrumentCheckout, instrumentHolds } from '../../../src/sale/ops/instrumented.ts'
import { createLoad, type Load } from '../../../src/sale/ops/load.ts'
import { CheckoutBusy, HoldNotFound, PaymentDeclined, TooManyHolds } from '../../../src/sale/refusals.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { testRedis } from '../../support/redis.ts'

const redis = await testRedis()

/** Load as processes have it, each with its own connection. */
function process() {
  const connection = connectForCommands(redis.url)
  const load = createLoad({ redis: connection })
  cleanUp(() => {
    load.close()
    connection.disconnect()
  })
  return { load, connection, connected: new Promise<void>((resolve) => connection.once('ready', resolve)) }
}

const WAIT = { timeout: 30_000, interval: 200 }

const NOTHING = {
  checkoutP99Ms: null,
  poolWaitMs: null,
  providerRefusedShare: null,
  holdsPerSecond: 0,
  holdsRefusedPerSecond: 0,
  checkoutsPerSecond: 0,
}

const first = process()
const second = process()
const reader = process()
await Promise.all([first, second, reader].map(({ connected }) => connected))

test('what all processes counted in the last ten seconds is told as one, for each event apart', async () => {
  const event = newEventId()
  const other = newEventId()
  expect(await reader.load.recent(event)).toEqual(NOTHING)
  for (const { load } of [first, second]) {
    for (let i = 0; i < 30; i++) load.hold(event, true)
    for (let i = 0; i < 10; i++) load.hold(event, false)
    for (let i = 0; i < 99; i++) load.checkout(event, 200)
    load.poolWait(1)
    for (let i = 0; i < 5; i++) load.authorization(false)
    load.authorization(true)
  }
  for (let i = 0; i < 3; i++) second.load.checkout(event, 4_000)
  for (let i = 0; i < 2; i++) second.load.authorization(true)
  for (let i = 0; i < 2; i++) second.load.authorization(false)
  second.load.poolWait(80)
  first.load.hold(other, true)

  await expect.poll(async () => (await reader.load.recent(event)).checkoutsPerSecond, WAIT).toBe(20.1)
  const figures = await reader.load.recent(event)
  expect(figures).toMatchObject({ holdsPerSecond: 6, holdsRefusedPerSecond: 2, providerRefusedShare: 0.25 })
  expect(figures.checkoutP99Ms).toBeGreaterThan(4_000 * 0.95)
  expect(figures.checkoutP99Ms).toBeLessThan(4_000 * 1.05)
  expect(figures.poolWaitMs).toBeGreaterThan(80 * 0.95)
  expect(await reader.load.recent(other)).toMatchObject({ holdsPerSecond: 0.1, checkoutP99Ms: null })

  // Nobody serves any more: ten seconds later nothing is told of it.
  await expect.poll(() => reader.load.recent(event), WAIT).toEqual(NOTHING)
})

test('with Redis away nothing was measured and nobody is disturbed; afterwards all goes on', async () => {
  const event = newEventId()
  await redis.kill()
  first.load.hold(event, true)
  first.load.poolWait(3)
  expect(await reader.load.recent(event)).toEqual(NOTHING)
  await redis.restart('kept')
  await expect
    .poll(async () => {
      first.load.hold(event, true)
      return (await reader.load.recent(event)).holdsPerSecond
    }, WAIT)
    .toBeGreaterThan(0)
})

test('of holds those made and those refused are counted, of checkouts those that came to pay', async () => {
  const eventId = newEventId()
  const counts: string[] = []
  const load: Pick<Load, 'hold' | 'checkout'> = {
    hold: (event, made) => counts.push(`${event === eventId} ${made ? 'held' : 'refused'}`),
    checkout: (event, ms) => counts.push(`${event === eventId} checkout ${ms >= 0}`),
  }
  const answers: unknown[] = [
    { id: 'hld' } as HoldView,
    new TooManyHolds(1),
    badInput({ path: [], message: 'x' }),
  ]
  const holds = instrumentHolds(standIn('hold', answers), load)
  const input = { eventId, seats: [], idempotencyKey: 'k' }
  await holds.hold(undefined as never, null, input)
  await holds.hold(undefined as never, null, input)
  await expect(holds.hold(undefined as never, null, input)).rejects.toThrow()
  expect(counts.splice(0)).toEqual(['true held', 'true refused'])

  const outcomes: unknown[] = [
    { id: 'ord' },
    new PaymentDeclined('ord'),
    new HoldNotFound(),
    new CheckoutBusy(1),
    badInput({ path: [], message: 'x' }),
    new Error('Query read timeout'),
  ]
  const checkout = instrumentCheckout(standIn('checkout', outcomes), load)
  for (const outcome of [...outcomes]) {
    const buying = checkout.checkout(undefined as never, {
      holdId: newId('hld', eventId),
      paymentMethod: 'pm_card_visa',
      idempotencyKey: 'k',
    })
    if (outcome instanceof Error) await expect(buying).rejects.toBe(outcome)
    else expect(await buying).toBe(outcome)
  }
  // Bought, declined, and what failed for a reason of ours.
  expect(counts).toEqual(Array(3).fill('true checkout true'))
})

/** Answers each call of `method` with the next of `answers`. */
function standIn<T>(method: keyof T, answers: unknown[]): T {
  return {
    [method]: async () => {
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer
    },
  } as T
}

test('one or two authorizations that failed are chance, and no share', async () => {
  const event = newEventId()
  for (const refused of [true, true, false]) first.load.authorization(refused)
  first.load.hold(event, true)
  await expect.poll(async () => (await reader.load.recent(event)).holdsPerSecond, WAIT).toBe(0.1)
  expect((await reader.load.recent(event)).providerRefusedShare).toBe(0)
  first.load.authorization(true)
  await expect.poll(async () => (await reader.load.recent(event)).providerRefusedShare, WAIT).toBe(0.75)
})
