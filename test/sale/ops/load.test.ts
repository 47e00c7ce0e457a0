import { expect, test } from 'vitest'
import { connectForCommands } from '../../../src/redis/connect.ts'
import { badInput } from '../../../src/sale/faults.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { newEventId, newId } from '../../../src/sale/ids.ts'
import { instrumentCheckout, instrumentHolds } from '../../../src/sale/ops/instrumented.ts'
import { createLoad, type Load, type LoadFigures } from '../../../src/sale/ops/load.ts'
import { CheckoutBusy, HoldNotFound, PaymentDeclined, TooManyHolds } from '../../../src/sale/refusals.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { testRedis } from '../../support/redis.ts'

const redis = await testRedis()

/** The load of one process, with a connection of its own. */
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
  limitedAccounts: [],
  checkoutsPerSecond: 0,
}

const first = process()
const second = process()
const reader = process()
await Promise.all([first, second, reader].map(({ connected }) => connected))

/** Waits until the last ten seconds are without samples: those of the processes count for every event. */
async function noSamples() {
  await expect.poll(() => reader.load.recent(newEventId()), WAIT).toEqual(NOTHING)
}

test('the counts of all processes in the last ten seconds are added up for each event', async () => {
  const event = newEventId()
  const other = newEventId()
  await noSamples()
  for (const { load } of [first, second]) {
    for (let i = 0; i < 30; i++) load.hold(event, true)
    for (let i = 0; i < 10; i++) load.hold(event, false, i === 0 ? 'ana' : undefined)
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

  // Both are read together: ten seconds later the samples are gone.
  let ofEvent: LoadFigures = NOTHING
  let ofOther: LoadFigures = NOTHING
  await expect
    .poll(async () => {
      ;[ofEvent, ofOther] = await Promise.all([reader.load.recent(event), reader.load.recent(other)])
      return [ofEvent, ofOther]
    }, WAIT)
    .toMatchObject([
      {
        checkoutsPerSecond: 20.1,
        holdsPerSecond: 6,
        holdsRefusedPerSecond: 2,
        limitedAccounts: ['ana'],
        providerRefusedShare: 0.25,
      },
      { holdsPerSecond: 0.1, checkoutP99Ms: null },
    ])
  expect(ofEvent.checkoutP99Ms).toBeGreaterThan(4_000 * 0.95)
  expect(ofEvent.checkoutP99Ms).toBeLessThan(4_000 * 1.05)
  expect(ofEvent.poolWaitMs).toBeGreaterThan(80 * 0.95)

  // No process counts any more: ten seconds later the figures are empty.
  await expect.poll(() => reader.load.recent(event), WAIT).toEqual(NOTHING)
})

test('with Redis away there are no measurements and no errors; afterwards measuring goes on', async () => {
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

test('holds are counted as made or refused, and checkouts only if they start a payment', async () => {
  const eventId = newEventId()
  const counts: string[] = []
  const load: Pick<Load, 'hold' | 'checkout'> = {
    hold: (event, made, limited) =>
      counts.push(`${event === eventId} ${made ? 'held' : 'refused'}${limited ? ` ${limited}` : ''}`),
    checkout: (event, ms) => counts.push(`${event === eventId} checkout ${ms >= 0}`),
  }
  const answers: unknown[] = [
    { id: 'hld' } as HoldView,
    new TooManyHolds('ACCOUNT', 1),
    badInput({ path: [], message: 'x' }),
  ]
  const holds = instrumentHolds(standIn('hold', answers), load)
  const input = { eventId, seats: [], idempotencyKey: 'k' }
  const caller = { account: { id: 'ana' } } as never
  await holds.hold(caller, input)
  await holds.hold(caller, input)
  await expect(holds.hold(caller, input)).rejects.toThrow()
  expect(counts.splice(0)).toEqual(['true held', 'true refused ana'])

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
  // Bought, declined, and failed by our own error.
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

test('one or two failed authorizations count as a share of zero', async () => {
  const event = newEventId()
  await noSamples()
  for (const refused of [true, true, false]) first.load.authorization(refused)
  first.load.hold(event, true)
  await expect
    .poll(() => reader.load.recent(event), WAIT)
    .toMatchObject({ holdsPerSecond: 0.1, providerRefusedShare: 0 })
  first.load.authorization(true)
  await expect.poll(async () => (await reader.load.recent(event)).providerRefusedShare, WAIT).toBe(0.75)
})
