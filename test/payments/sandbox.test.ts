import { expect, test } from 'vitest'
import { type AuthorizeRequest, ProviderBusy } from '../../src/payments/provider.ts'
import { createSandbox, type SandboxSettings } from '../../src/payments/sandbox.ts'
import { newId } from '../../src/sale/ids.ts'
import { testDatabase } from '../support/database.ts'

const database = await testDatabase()
const amount = { amount: 4_550n, currency: 'EUR' }

function network(settings: Partial<SandboxSettings> = {}) {
  const calm = { latencyMs: 0, declineRate: 0, timeoutRate: 0, lostReplyRate: 0, rateLimit: 0 }
  return createSandbox(database, { ...calm, ...settings })
}

const sandbox = network()

function request(paymentMethod = 'pm_card_visa'): AuthorizeRequest {
  return { orderId: newId('ord', 'evt_x'), amount, paymentMethod }
}

async function authorized(paymentMethod?: string) {
  const authorization = request(paymentMethod)
  const answer = await sandbox.authorize(authorization)
  if (answer.outcome !== 'authorized') throw new Error(answer.outcome)
  return { orderId: authorization.orderId, authorizationId: answer.authorizationId, amount }
}

test.each([
  ['pm_card_declined', 'OTHER'],
  ['pm_card_insufficient_funds', 'INSUFFICIENT_FUNDS'],
  ['pm_card_expired', 'CARD_EXPIRED'],
  ['pm_card_authentication_failed', 'AUTHENTICATION_FAILED'],
  ['pm_card_try_later', 'TRY_LATER'],
])('%s is declined: %s', async (paymentMethod, reason) => {
  expect(await sandbox.authorize(request(paymentMethod))).toEqual({ outcome: 'declined', reason })
})

test('an order is authorized once: the same request gets the same answer in every process', async () => {
  const authorization = request()
  const answers = await Promise.all(
    [sandbox, network(), network()].map((one) => one.authorize(authorization)),
  )
  expect(answers[0]).toMatchObject({ outcome: 'authorized', authorizedUntil: expect.any(Date) })
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  const { capture } = sandbox
  await capture({ orderId: authorization.orderId, authorizationId: 'any', amount })
  expect(await sandbox.authorize(authorization)).toEqual(answers[0])
})

test('a known order with other parameters is an error, as at a real provider', async () => {
  const authorization = request()
  await sandbox.authorize(authorization)
  await expect(sandbox.authorize({ ...authorization, paymentMethod: 'pm_other' })).rejects.toThrow(
    'other parameters',
  )
  const more = { ...amount, amount: 5_000n }
  await expect(sandbox.authorize({ ...authorization, amount: more })).rejects.toThrow('other parameters')
})

test('a request whose reply was lost is done, and the next request returns its answer', async () => {
  const authorization = request('pm_lost_reply')
  await expect(sandbox.authorize(authorization)).rejects.toThrow('the reply was lost')
  expect(await sandbox.find(authorization.orderId)).toEqual({ state: 'authorized', amount })
  expect(await sandbox.authorize(authorization)).toMatchObject({ outcome: 'authorized' })
})

test('a request that gets no answer the first time gets one the second time', async () => {
  const authorization = request('pm_timeout')
  let isAnswered = false
  sandbox.authorize(authorization).then(() => {
    isAnswered = true
  })
  await expect
    .poll(
      () => database.sql('select state from sandbox_payments where order_id = $1', [authorization.orderId]),
      {
        timeout: 20_000,
      },
    )
    .toEqual([{ state: 'pending' }])
  expect(await sandbox.find(authorization.orderId)).toBeNull()
  expect(await sandbox.authorize(authorization)).toMatchObject({ outcome: 'authorized' })
  expect(isAnswered).toBe(false)
})

test('a network that is down has no record of its requests', async () => {
  const authorization = request('pm_down')
  await expect(sandbox.authorize(authorization)).rejects.toThrow('out of order')
  await expect(sandbox.authorize(authorization)).rejects.toThrow('out of order')
  expect(await sandbox.find(authorization.orderId)).toBeNull()
})

test('money is captured once, and voided once after that', async () => {
  const payment = await authorized()
  expect(await sandbox.capture(payment)).toEqual({ outcome: 'done' })
  expect(await sandbox.capture(payment)).toEqual({ outcome: 'done' })
  expect(await sandbox.find(payment.orderId)).toEqual({ state: 'captured', amount })
  expect(await sandbox.void(payment)).toEqual({ outcome: 'done' })
  expect(await sandbox.void(payment)).toEqual({ outcome: 'done' })
  expect(await sandbox.capture(payment)).toMatchObject({ outcome: 'final' })
  expect(await sandbox.find(payment.orderId)).toEqual({ state: 'voided', amount })
})

test('a capture is refused for good without an authorization, for another amount, after a week, and by some banks', async () => {
  const nothing = { orderId: newId('ord', 'evt_x'), authorizationId: 'none', amount }
  expect(await sandbox.capture(nothing)).toMatchObject({ outcome: 'final' })
  expect(await sandbox.void(nothing)).toMatchObject({ outcome: 'final' })
  const payment = await authorized()
  const more = { ...amount, amount: 5_000n }
  expect(await sandbox.capture({ ...payment, amount: more })).toMatchObject({ outcome: 'final' })
  await database.sql(
    `update sandbox_payments set created_at = now() - interval '8 days' where order_id = $1`,
    [payment.orderId],
  )
  expect(await sandbox.capture(payment)).toMatchObject({ outcome: 'final' })
  expect(await sandbox.capture(await authorized('pm_capture_refused'))).toMatchObject({ outcome: 'final' })
})

test('the settings cause for any card what the special cards cause', async () => {
  expect(await network({ declineRate: 1 }).authorize(request())).toEqual({
    outcome: 'declined',
    reason: 'OTHER',
  })
  const authorization = request()
  await expect(network({ lostReplyRate: 1 }).authorize(authorization)).rejects.toThrow('the reply was lost')
  expect(await sandbox.find(authorization.orderId)).toMatchObject({ state: 'authorized' })
  const limited = network({ rateLimit: 1 })
  const answers = await Promise.allSettled([1, 2, 3, 4, 5].map(() => limited.authorize(request())))
  const refused = answers.filter(({ status }) => status === 'rejected') as PromiseRejectedResult[]
  expect(refused.length).toBeGreaterThanOrEqual(3)
  for (const { reason } of refused) expect(reason).toBeInstanceOf(ProviderBusy)
})
