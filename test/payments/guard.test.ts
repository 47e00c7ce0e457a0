import { afterAll, expect, test } from 'vitest'
import { type GuardedProvider, guard } from '../../src/payments/guard.ts'
import { createLimiter } from '../../src/payments/limiter.ts'
import {
  CannotCharge,
  type PaymentProvider,
  type PaymentStatus,
  ProviderBusy,
} from '../../src/payments/provider.ts'
import { connectForCommands } from '../../src/redis/connect.ts'
import { keys } from '../../src/redis/keys.ts'
import { testRedis } from '../support/redis.ts'

const redis = await testRedis()
const connections = [connectForCommands(redis.url), connectForCommands(redis.url)] as const
afterAll(() => {
  for (const connection of connections) connection.disconnect()
})

const request = {
  orderId: 'ord_x_1',
  eventId: 'evt_x',
  amount: { amount: 1n, currency: 'EUR' },
  paymentMethod: 'pm_card_visa',
  returnUrl: '',
  intentId: 'pi_1',
}
const yes: PaymentStatus = { state: 'authorized', authorizedUntil: new Date() }
const no: PaymentStatus = { state: 'declined', reason: 'OTHER' }

function provider(
  confirm: PaymentProvider['confirm'],
  prepare: PaymentProvider['prepare'] = async () => ({ intentId: 'pi_1' }),
): PaymentProvider {
  return {
    name: 'test',
    publishableKey: null,
    prepare,
    confirm,
    retrieve: async () => null,
    cancel: async () => 'cancelled',
    capture: async () => ({ outcome: 'done' }),
    refund: async () => ({ outcome: 'done', providerId: 're_1' }),
    async *list() {},
  }
}

/** One checkout: it reserves its calls, prepares and confirms. */
async function buy(guarded: GuardedProvider): Promise<PaymentStatus> {
  const reserved = await guarded.reserve('evt_x')
  try {
    const { intentId } = await reserved.prepare(request)
    return await reserved.confirm({ ...request, intentId })
  } finally {
    reserved.end()
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

test.each([
  ['an hour back', 3_600],
  ['a minute back', 60],
])("where Redis's clock goes %s, the next permit is free within a second", async (_, seconds) => {
  await ready()
  const provider = `clock-${seconds}`
  const takePermit = createLimiter(connections[0], provider, 5)
  for (let i = 0; i < 5; i++) expect(await takePermit()).toBe(0)
  // The same list as after five permits and the step of the clock.
  const key = keys.permits(provider)
  const times = await connections[0].lrange(key, 0, -1)
  await connections[0].del(key)
  await connections[0].rpush(key, ...times.map((time) => String(Number(time) + seconds * 1_000_000)))
  const wait = await takePermit()
  expect(wait).toBeGreaterThan(0)
  expect(wait).toBeLessThanOrEqual(1_000)
  await expect.poll(takePermit, { timeout: 10_000 }).toBe(0)
})

test('a checkout is refused before it begins where no permit is free soon', async () => {
  const full = guard(
    provider(async () => yes),
    { takePermit: async () => 3_000 },
  )
  const refused = await full.reserve('evt_x').catch((error) => error)
  expect(refused).toBeInstanceOf(ProviderBusy)
  expect(refused.retryAfterSeconds).toBeGreaterThanOrEqual(3)
})

test('a checkout waits for a permit that is free within a second', async () => {
  const waits = [200, 0]
  const waiting = guard(
    provider(async () => yes),
    { takePermit: async () => waits.shift() ?? 0 },
  )
  expect(await buy(waiting)).toEqual(yes)
})

test("the crowd of one event does not take another event's permits", async () => {
  let isOpen = false
  let left = 0
  const limited = guard(
    provider(async () => yes),
    { takePermit: async () => (isOpen && left-- > 0 ? 0 : 10) },
  )
  const served: string[] = []
  const reserve = (eventId: string) =>
    limited.reserve(eventId).then(
      () => served.push(eventId),
      () => {},
    )
  const crowd = Array.from({ length: 40 }, () => reserve('evt_crowd'))
  const others = Array.from({ length: 4 }, () => reserve('evt_x'))
  isOpen = true
  left = 8
  await Promise.all([...crowd, ...others])
  expect(served.filter((event) => event === 'evt_x')).toHaveLength(4)
  expect(served).toHaveLength(8)
})

test('one permit covers one call, and the reserved one covers the first', async () => {
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
  await buy(counting)
  expect(permits).toBe(2)
  await counting.cancel({ eventId: 'evt_x', intentId: 'pi_1' })
  expect(permits).toBe(3)
})

test('of ten simultaneous checkouts three call, three wait and four are refused', async () => {
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
  const settled = Promise.allSettled(Array.from({ length: 10 }, () => buy(small)))
  resolve()
  const results = await settled
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
  for (const result of results) {
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ProviderBusy)
  }
  expect(most).toBe(3)
})

test('as many checkouts as there are slots, each of which makes further calls, all end', async () => {
  const small = guard(
    provider(async () => yes),
    { takePermit: free, slots: 4 },
  )
  const nested = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const reserved = await small.reserve('evt_x')
      // Another order's call, in the middle of this checkout.
      const [status] = await Promise.all([reserved.confirm(request), small.confirm(request)])
      reserved.end()
      return status
    }),
  )
  expect(nested).toEqual(Array.from({ length: 4 }, () => yes))
})

test('jobs leave slots to checkouts, however many jobs wait', async () => {
  const { promise: open, resolve } = Promise.withResolvers<void>()
  const slow = guard(
    {
      ...provider(async () => yes),
      async capture() {
        await open
        return { outcome: 'done' }
      },
    },
    { takePermit: free, slots: 4 },
  )
  const jobs = Array.from({ length: 5 }, () => slow.capture(request))
  expect(await buy(slow)).toEqual(yes)
  resolve()
  await Promise.all(jobs)
})

test('a call that takes too long has an unknown outcome and is aborted', async () => {
  let aborted = false
  const silent = guard(
    provider(({ signal }) => {
      signal.addEventListener('abort', () => {
        aborted = true
      })
      return new Promise(() => {})
    }),
    { takePermit: free, timeoutMs: 50 },
  )
  const error = await silent.confirm(request).catch((reason) => reason)
  expect(error).toBeInstanceOf(Error)
  expect(error).not.toBeInstanceOf(ProviderBusy)
  expect(aborted).toBe(true)
})

test('a provider that ignores the abort has no more calls under way than there are slots', async () => {
  let running = 0
  let most = 0
  const ends: (() => void)[] = []
  const deaf = guard(
    provider(async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise<void>((resolve) => ends.push(resolve))
      running -= 1
      return yes
    }),
    { takePermit: free, slots: 3, timeoutMs: 20 },
  )
  const results = await Promise.allSettled(Array.from({ length: 3 }, () => buy(deaf)))
  for (const result of results) expect(result).toMatchObject({ reason: { message: /did not answer/ } })
  // The callers have their answer, and the calls go on: a fourth one waits.
  const fourth = buy(deaf)
  expect([running, most]).toEqual([3, 3])
  ends[0]?.()
  await expect(fourth).rejects.toThrow('did not answer')
  expect(most).toBe(3)
  for (const end of ends) end()
})

test('a provider that does not answer gets no calls for a while, and no checkout begins meanwhile', async () => {
  let calls = 0
  const down = guard(
    provider(async () => {
      calls += 1
      throw new Error('connection refused')
    }),
    { takePermit: free },
  )
  expect(down.isOut).toBe(false)
  for (let i = 0; i < 10; i++) await expect(down.confirm(request)).rejects.toThrow('connection refused')
  expect(down.isOut).toBe(true)
  await expect(down.reserve('evt_x')).rejects.toBeInstanceOf(ProviderBusy)
  await expect(down.confirm(request)).rejects.toBeInstanceOf(ProviderBusy)
  expect(calls).toBe(10)
})

test('declines, busy answers and amounts that no card can pay do not open the circuit', async () => {
  const busy = guard(
    provider(async () => {
      throw new ProviderBusy(1)
    }),
    { takePermit: free },
  )
  const strict = guard(
    provider(async () => no),
    { takePermit: free },
  )
  const refused: boolean[] = []
  const exact = guard(
    provider(async () => {
      throw new CannotCharge('in steps of 10 minor units')
    }),
    { takePermit: free, onAuthorization: (isRefused) => refused.push(isRefused) },
  )
  for (let i = 0; i < 15; i++) {
    await busy.confirm(request).catch(() => {})
    await strict.confirm(request)
    await exact.confirm(request).catch(() => {})
  }
  expect(refused).toEqual([])
  for (const one of [busy, strict, exact]) (await one.reserve('evt_x')).end()
})

test('each authorization is reported once, as refused where a limit, the breaker or a missing answer stopped it', async () => {
  const reports: boolean[] = []
  const onAuthorization = (refused: boolean) => reports.push(refused)
  const answering = guard(
    provider(async () => yes),
    { takePermit: free, onAuthorization },
  )
  await answering.confirm(request)
  await buy(answering)
  // No authorization was requested.
  ;(await answering.reserve('evt_x')).end()
  const declining = guard(
    provider(async () => no),
    { takePermit: free, onAuthorization },
  )
  await declining.confirm(request)
  expect(reports.splice(0)).toEqual([false, false, false])

  const failing = guard(
    provider(() => Promise.reject(new Error('no answer'))),
    { takePermit: free, onAuthorization },
  )
  await expect(failing.confirm(request)).rejects.toThrow('no answer')
  await expect(buy(failing)).rejects.toThrow('no answer')
  const unprepared = guard(
    provider(
      async () => yes,
      () => Promise.reject(new Error('no intent')),
    ),
    { takePermit: free, onAuthorization },
  )
  await expect(buy(unprepared)).rejects.toThrow('no intent')
  const limited = guard(
    provider(async () => yes),
    { takePermit: async () => 60_000, onAuthorization },
  )
  await expect(limited.reserve('evt_x')).rejects.toThrow(ProviderBusy)
  await expect(limited.confirm(request)).rejects.toThrow(ProviderBusy)
  expect(reports).toEqual([true, true, true, true, true])
})
