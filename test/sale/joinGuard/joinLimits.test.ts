import { describe, expect, test } from 'vitest'
import { connectForCommands } from '../../../src/redis/connect.ts'
import { createSharedJoinGuard } from '../../../src/redis/joinGuard.ts'
import { joinAttemptOf } from '../../../src/sale/joinGuard/joinAttempt.ts'
import { createJoinLimits, LIMITS } from '../../../src/sale/joinGuard/joinLimits.ts'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { testRedis } from '../../support/redis.ts'
import { whenReady } from '../../support/room.ts'

const server = await testRedis()
let events = 0

interface Source {
  account?: string
  device?: string
  address?: string | null
}

/** The limits of each process at a new event. Their clock stands still until a test moves it. */
function testLimits({ processes = 1, redis = connectForCommands(server.url) } = {}) {
  const eventId = `evt_${++events}`
  let now = 0
  let unrelated = 0
  const limits = Array.from({ length: processes }, () =>
    createJoinLimits(createSharedJoinGuard(redis), () => now),
  )
  return {
    redis,
    passTime(seconds: number) {
      now += seconds * 1_000
    },
    join({ account = `fan ${++unrelated}`, device = `of ${account}`, address = null }: Source, process = 0) {
      const attempt = joinAttemptOf(eventId, accountDigest(eventId, account), deviceDigest(device), address)
      return limits[process]?.count(attempt)
    },
  }
}

async function joinTimes(times: number, join: (i: number) => number | Promise<number> | undefined) {
  const waits: number[] = []
  for (let i = 0; i < times; i++) waits.push((await join(i)) ?? 0)
  return { permitted: waits.filter((wait) => wait === 0).length, waits }
}

describe.each(['there', 'away'] as const)('with Redis %s', (redisIs) => {
  const ready = async () => {
    if (redisIs === 'away') return testLimits({ redis: connectForCommands('redis://127.0.0.1:9') })
    const limits = testLimits()
    await whenReady(limits.redis)
    return limits
  }

  test('an account may join a limited number of times in a minute, and again after it', async () => {
    const { join, passTime, redis } = await ready()
    const { permitted, waits } = await joinTimes(30, () => join({ account: 'ana' }))
    expect(permitted).toBe(LIMITS.account)
    expect(Math.max(...waits)).toBeGreaterThan(1)
    passTime(240)
    // Redis counts by its own clock.
    if (redisIs === 'away') expect(await join({ account: 'ana' })).toBe(0)
    redis.disconnect()
  })

  test('a limited number of accounts may join on one device', async () => {
    const { join, redis } = await ready()
    const { permitted } = await joinTimes(30, (i) => join({ account: `a${i}`, device: 'farm' }))
    expect(permitted).toBe(LIMITS.device)
    expect(await join({})).toBe(0)
    redis.disconnect()
  })

  test('a limited number of accounts may join from one network, whichever of its 2^64 addresses they use', async () => {
    const { join, redis } = await ready()
    const { permitted } = await joinTimes(700, (i) => join({ address: `2001:db8::${i.toString(16)}` }))
    expect(permitted).toBe(LIMITS.address)
    expect(await join({ address: '2001:db8:0:1::1' })).toBe(0)
    expect(await join({ address: null })).toBe(0)
    redis.disconnect()
  })
})

test('hundreds of fans behind one address may join at once, however often each of them reloads', async () => {
  const { join, redis } = testLimits()
  await whenReady(redis)
  for (let round = 0; round < 3; round++) {
    const { permitted } = await joinTimes(500, (i) => join({ account: `student ${i}`, address: '192.0.2.1' }))
    expect(permitted).toBe(500)
  }
  redis.disconnect()
})

test('four servers count together near a limit', async () => {
  const { join, redis } = testLimits({ processes: 4 })
  await whenReady(redis)
  const { permitted } = await joinTimes(3_000, (i) => join({ address: '192.0.2.1' }, i % 4))
  expect(permitted).toBeLessThanOrEqual(LIMITS.address * (1 + 3 / 4))
  expect(permitted).toBeGreaterThanOrEqual(LIMITS.address)
  redis.disconnect()
})

test('joins of unrelated accounts cost Redis no command', async () => {
  const { join, redis } = testLimits()
  await whenReady(redis)
  const before = (await redis.info('stats')).match(/total_commands_processed:(\d+)/)?.[1]
  for (let i = 0; i < 5_000; i++) expect(join({ address: `198.18.${i >> 8}.${i & 255}` })).toBe(0)
  const after = (await redis.info('stats')).match(/total_commands_processed:(\d+)/)?.[1]
  expect(Number(after) - Number(before)).toBe(1)
  redis.disconnect()
})

test('an account that calls hundreds of times in a minute is refused, even with a place', async () => {
  const { join, redis } = testLimits()
  await whenReady(redis)
  const calls = Array.from({ length: 301 }, () => async () => join({ account: 'hammer' }))
  for (const call of calls.slice(0, 300)) await call()
  await expect(calls[300]?.()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  redis.disconnect()
})
