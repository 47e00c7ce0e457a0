import { describe, expect, test } from 'vitest'
import { connectForCommands } from '../../../src/redis/connect.ts'
import { createSharedJoinGuard } from '../../../src/redis/joinGuard.ts'
import { joinAttemptOf } from '../../../src/sale/joinGuard/joinAttempt.ts'
import { createLimits, LIMITS } from '../../../src/sale/joinGuard/joinLimits.ts'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { testRedis } from '../../support/redis.ts'
import { whenReady } from '../../support/room.ts'

const server = await testRedis()
let events = 0

interface Comer {
  account?: string
  device?: string
  address?: string | null
}

/** What a process knows of the door of a new event; its clock stands until it is moved. */
function door({ processes = 1, redis = connectForCommands(server.url) } = {}) {
  const eventId = `evt_${++events}`
  let now = 0
  let strangers = 0
  const limits = Array.from({ length: processes }, () =>
    createLimits(createSharedJoinGuard(redis), () => now),
  )
  return {
    redis,
    pass(seconds: number) {
      now += seconds * 1_000
    },
    come({ account = `fan ${++strangers}`, device = `of ${account}`, address = null }: Comer, process = 0) {
      const arrival = joinAttemptOf(eventId, accountDigest(eventId, account), deviceDigest(device), address)
      return limits[process]?.take(arrival)
    },
  }
}

async function comeTogether(times: number, come: (i: number) => number | Promise<number> | undefined) {
  const waits: number[] = []
  for (let i = 0; i < times; i++) waits.push((await come(i)) ?? 0)
  return { letIn: waits.filter((wait) => wait === 0).length, waits }
}

describe.each(['there', 'away'] as const)('with Redis %s', (where) => {
  const ready = async () => {
    if (where === 'away') return door({ redis: connectForCommands('redis://127.0.0.1:9') })
    const opened = door()
    await whenReady(opened.redis)
    return opened
  }

  test('an account may ask so often in a minute, and then again', async () => {
    const { come, pass, redis } = await ready()
    const { letIn, waits } = await comeTogether(30, () => come({ account: 'ana' }))
    expect(letIn).toBe(LIMITS.account)
    expect(Math.max(...waits)).toBeGreaterThan(1)
    pass(240)
    // Redis counts by a clock of its own.
    if (where === 'away') expect(await come({ account: 'ana' })).toBe(0)
    redis.disconnect()
  })

  test('a device may bring so many accounts', async () => {
    const { come, redis } = await ready()
    const { letIn } = await comeTogether(30, (i) => come({ account: `a${i}`, device: 'farm' }))
    expect(letIn).toBe(LIMITS.device)
    expect(await come({})).toBe(0)
    redis.disconnect()
  })

  test('an address may bring so many, whichever of its 2^64 spellings it takes', async () => {
    const { come, redis } = await ready()
    const { letIn } = await comeTogether(700, (i) => come({ address: `2001:db8::${i.toString(16)}` }))
    expect(letIn).toBe(LIMITS.address)
    expect(await come({ address: '2001:db8:0:1::1' })).toBe(0)
    expect(await come({ address: null })).toBe(0)
    redis.disconnect()
  })
})

test('hundreds behind one address that come at once are let in, each however often it reloads', async () => {
  const { come, redis } = door()
  await whenReady(redis)
  for (let round = 0; round < 3; round++) {
    const { letIn } = await comeTogether(500, (i) => come({ account: `student ${i}`, address: '192.0.2.1' }))
    expect(letIn).toBe(500)
  }
  redis.disconnect()
})

test('four processes count together what is near a limit', async () => {
  const { come, redis } = door({ processes: 4 })
  await whenReady(redis)
  const { letIn } = await comeTogether(3_000, (i) => come({ address: '192.0.2.1' }, i % 4))
  expect(letIn).toBeLessThanOrEqual(LIMITS.address * (1 + 3 / 4))
  expect(letIn).toBeGreaterThanOrEqual(LIMITS.address)
  redis.disconnect()
})

test('accounts that have nothing in common ask Redis nothing', async () => {
  const { come, redis } = door()
  await whenReady(redis)
  const before = (await redis.info('stats')).match(/total_commands_processed:(\d+)/)?.[1]
  for (let i = 0; i < 5_000; i++) expect(come({ address: `198.18.${i >> 8}.${i & 255}` })).toBe(0)
  const after = (await redis.info('stats')).match(/total_commands_processed:(\d+)/)?.[1]
  expect(Number(after) - Number(before)).toBe(1)
  redis.disconnect()
})

test('at a pace that no place excuses it refuses outright', async () => {
  const { come, redis } = door()
  await whenReady(redis)
  const calls = Array.from({ length: 301 }, () => async () => come({ account: 'hammer' }))
  for (const call of calls.slice(0, 300)) await call()
  await expect(calls[300]?.()).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  redis.disconnect()
})
