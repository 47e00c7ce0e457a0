import { afterAll, expect, test, vi } from 'vitest'
import { randomId, solveAltcha } from '../../../../clients/sdk/index.ts'
import { importKeys, makeKeys } from '../../../../src/keys.ts'
import { connectForCommands } from '../../../../src/redis/connect.ts'
import { createSharedDoor } from '../../../../src/redis/door.ts'
import type { Clock } from '../../../../src/sale/clock.ts'
import { createAltcha } from '../../../../src/sale/line/challenge/altcha.ts'
import type { Verifier } from '../../../../src/sale/line/challenge/verifier.ts'
import { accountDigest, deviceDigest } from '../../../../src/sale/line/digests.ts'
import { createDoor, type Visitor } from '../../../../src/sale/line/door/door.ts'
import { ChallengeRequired } from '../../../../src/sale/refusals.ts'
import { testRedis } from '../../../support/redis.ts'
import { whenReady } from '../../../support/room.ts'

const server = await testRedis()
const redis = connectForCommands(server.url)
await whenReady(redis)
afterAll(() => redis.disconnect())
const clock: Clock = { now: async () => new Date(), known: () => new Date(), at: async () => new Date() }
const altcha = createAltcha({ keys: await importKeys(await makeKeys()), clock })

const door = (verifier: Verifier = altcha) => createDoor({ shared: createSharedDoor(redis), verifier, clock })

function visitor(accountId: string, more: Partial<Visitor> = {}): Visitor {
  const deviceId = randomId()
  return {
    accountId,
    accountDigest: accountDigest('evt_1', accountId),
    deviceId,
    deviceDigest: deviceDigest(deviceId),
    address: null,
    answer: null,
    hasPlace: async () => false,
    ...more,
  }
}

const always = { eventId: 'evt_1', challenge: 'ALWAYS' } as const

test('of twenty who come with one answer to five processes at once, one is let in', async () => {
  const doors = Array.from({ length: 5 }, () => door())
  const refused = (await doors[0]?.enter(always, visitor('ana'))) as ChallengeRequired
  const answer = await solveAltcha(refused.challenge as object)
  // A spelling of its own for each: it is the same answer.
  const spelt = (i: number) => btoa(JSON.stringify({ ...JSON.parse(atob(answer as string)), i }))
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, i) => doors[i % 5]?.enter(always, visitor('ana', { answer: spelt(i) }))),
  )
  expect(all.filter((answered) => answered === null)).toHaveLength(1)
  expect(all.filter((answered) => answered instanceof ChallengeRequired)).toHaveLength(19)
})

test('whether there is a place is asked only where that decides', async () => {
  const hasPlace = vi.fn(async () => true)
  expect(await door().enter({ ...always, challenge: 'NEVER' }, visitor('bob', { hasPlace }))).toBeNull()
  expect(await door().enter({ ...always, challenge: 'SUSPICIOUS' }, visitor('bob', { hasPlace }))).toBeNull()
  expect(hasPlace).not.toHaveBeenCalled()
  expect(await door().enter(always, visitor('bob', { hasPlace }))).toBeNull()
  expect(hasPlace).toHaveBeenCalledOnce()
})

test('another verifier stands at the same door; its answers too are spent once', async () => {
  const widget: Verifier = {
    challenge: async () => ({ kind: 'widget', siteKey: 'k' }),
    verify: async (answer) =>
      answer.startsWith('good') ? { id: answer, expiresAt: new Date(Date.now() + 60_000) } : null,
  }
  const enter = (answer: string | null) => door(widget).enter(always, visitor('cleo', { answer }))
  expect(await enter(null)).toMatchObject({ challenge: { kind: 'widget', siteKey: 'k' } })
  expect(await enter('bad')).toBeInstanceOf(ChallengeRequired)
  expect(await enter('good 1')).toBeNull()
  expect(await enter('good 1')).toBeInstanceOf(ChallengeRequired)
  expect(await enter('good 2')).toBeNull()
})

test('a verifier that cannot tell lets nobody in', async () => {
  const away: Verifier = {
    challenge: async () => ({ kind: 'widget' }),
    verify: async () => {
      throw new Error('no answer')
    },
  }
  await expect(door(away).enter(always, visitor('dora', { answer: 'good' }))).rejects.toThrow('no answer')
})
