import { afterAll, expect, test } from 'vitest'
import { guard } from '../../src/payments/guard.ts'
import { createLimiter } from '../../src/payments/limiter.ts'
import { type Authorization, type PaymentProvider, ProviderBusy } from '../../src/payments/provider.ts'
import { connectForCommands } from '../../src/redis/connect.ts'
import { testRedis } from '../support/redis.ts'

const redis = await testRedis()
const connections = [connectForCommands(redis.url), connectForCommands(redis.url)] as const
afterAll(() => {
  for (const connection of connections) connection.disconnect()
})

const request = { orderId: 'ord_x_1', amount: { amount: 1n, currency: 'EUR' }, paymentMethod: 'pm_card_visa' }
const yes: Authorization = { outcome: 'authorized', authorizationId: 'a', authorizedUntil: new Date() }

function provider(authorize: () => Promise<Authorization>): PaymentProvider {
  return {
    name: 'test',
    publishableKey: null,
    authorize,
    capture: async () => ({ outcome: 'done' }),
    void: async () => ({ outcome: 'done' }),
    find: async () => null,
    async *list() {},
  }
}

const free = async () => 0

function ready() {
  return Promise.all(
    connections.map((connection) =>
      connection.status === 'ready' ? undefined : new Promise((resolve) => connection.once('ready', resolve)),
    ),
  )
}

test('all processes together take no more permits in a second than the limit', async () => {
  await ready()
  const processes = connections.map((connection) => createLimiter(connection, 'shared', 100))
  let taken = 0
  const began = performance.now()
  while (performance.now() < began + 2_500 || taken < 200) {
    const waits = await Promise.all(
      processes.flatMap((takePermit) => Array.from({ length: 20 }, () => takePermit())),
    )
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(1_000)
    taken += waits.filter((wait) => wait === 0).length
  }
  // The first hundred come at once, then at most a hundred a second.
  const most = 100 * (1 + (performance.now() - began) / 1_000)
  expect(taken).toBeGreaterThanOrEqual(200)
  expect(taken).toBeLessThanOrEqual(most)
})

test('without Redis a process keeps to a quarter of the limit, and afterwards to the whole limit again', async () => {
  await ready()
  await redis.kill()
  const takePermit = createLimiter(connections[0], 'alone', 40)
  const granted = async (requests: number) =>
    (await Promise.all(Array.from({ length: requests }, takePermit))).filter((wait) => wait === 0).length
  expect(await granted(30)).toBe(10)
  await redis.restart('kept')
  await ready()
  expect(await granted(60)).toBe(40)
})

test('work begins only with a permit', async () => {
  const full = guard(
    provider(async () => yes),
    { takePermit: async () => 3_000 },
  )
  let begun = 0
  const refused = await full
    .withPermit(async () => {
      begun += 1
    })
    .catch((error) => error)
  expect(refused).toBeInstanceOf(ProviderBusy)
  expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(3)
  expect(begun).toBe(0)
})

test('a checkout waits for a permit that is free within a second', async () => {
  const waits = [200, 0]
  const waiting = guard(
    provider(async () => yes),
    { takePermit: async () => waits.shift() ?? 0 },
  )
  expect(await waiting.withPermit((authorize) => authorize(request))).toEqual(yes)
})

test('one permit covers one call, and a second try takes another permit', async () => {
  let permits = 0
  const counting = guard(
    provider(async () => yes),
    {
      takePermit: async () => {
        permits += 1
        return 0
      },
    },
  )
  await counting.withPermit(async (authorize) => {
    await authorize(request)
    expect(permits).toBe(1)
    await authorize(request)
    expect(permits).toBe(2)
  })
  await counting.void({ orderId: 'ord_x_1', authorizationId: 'a' })
  expect(permits).toBe(3)
})

test('of ten simultaneous calls three run in the slots, three wait and four are refused', async () => {
  let running = 0
  let most = 0
  const { promise: open, resolve } = Promise.withResolvers<void>()
  const small = guard(
    provider(async () => {
      running += 1
      most = Math.max(most, running)
      await open
      running -= 1
      return yes
    }),
    { takePermit: free, slots: 3 },
  )
  const calls = Array.from({ length: 10 }, () => small.withPermit((authorize) => authorize(request)))
  const settled = Promise.allSettled(calls)
  resolve()
  const results = await settled
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ProviderBusy)
  }
  expect(most).toBe(3)
})

test('a call that takes too long has an unknown outcome and is not refused', async () => {
  const silent = guard(
    provider(() => new Promise(() => {})),
    { takePermit: free, timeoutMs: 50 },
  )
  const error = await silent.authorize(request).catch((reason) => reason)
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(ProviderBusy)
})

test('a provider that does not answer gets no calls for a while, and no work begins meanwhile', async () => {
  let calls = 0
  const down = guard(
    provider(async () => {
      calls += 1
      throw new Error('connection refused')
    }),
    { takePermit: free },
  )
  for (let i = 0; i < 10; i++) await expect(down.authorize(request)).rejects.toThrow('connection refused')
  let begun = 0
  const refused = await down
    .withPermit(async () => {
      begun += 1
    })
    .catch((error) => error)
  expect(refused).toBeInstanceOf(ProviderBusy)
  await expect(down.authorize(request)).rejects.toBeInstanceOf(ProviderBusy)
  expect([calls, begun]).toEqual([10, 0])
})

test('declines and busy answers do not open the circuit', async () => {
  const busy = guard(
    provider(async () => {
      throw new ProviderBusy(1)
    }),
    { takePermit: free },
  )
  const strict = guard(
    provider(async () => ({ outcome: 'declined', reason: 'OTHER' })),
    { takePermit: free },
  )
  for (let i = 0; i < 15; i++) {
    await busy.authorize(request).catch(() => {})
    await strict.authorize(request)
  }
  let begun = 0
  const begin = async () => {
    begun += 1
  }
  await busy.withPermit(begin)
  await strict.withPermit(begin)
  expect(begun).toBe(2)
})

test('each authorization is reported once, as refused where a limit, the breaker or a missing answer stopped it', async () => {
  const reports: boolean[] = []
  const onAuthorization = (refused: boolean) => reports.push(refused)
  const answering = guard(
    provider(async () => yes),
    { takePermit: free, onAuthorization },
  )
  await answering.authorize(request)
  await answering.withPermit((authorize) => authorize(request))
  // No authorization was requested.
  await expect(answering.withPermit(() => Promise.reject(new Error('the claim failed')))).rejects.toThrow()
  const declining = guard(
    provider(async () => ({ outcome: 'declined', reason: 'OTHER' })),
    { takePermit: free, onAuthorization },
  )
  await declining.authorize(request)
  expect(reports.splice(0)).toEqual([false, false, false])

  const failing = guard(
    provider(() => Promise.reject(new Error('no answer'))),
    { takePermit: free, onAuthorization },
  )
  await expect(failing.authorize(request)).rejects.toThrow('no answer')
  await expect(failing.withPermit((authorize) => authorize(request))).rejects.toThrow('no answer')
  const limited = guard(
    provider(async () => yes),
    { takePermit: async () => 60_000, onAuthorization },
  )
  await expect(limited.withPermit((authorize) => authorize(request))).rejects.toThrow(ProviderBusy)
  await expect(limited.authorize(request)).rejects.toThrow(ProviderBusy)
  expect(reports).toEqual([true, true, true, true])
})
