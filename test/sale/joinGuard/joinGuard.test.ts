import { afterAll, expect, test, vi } from 'vitest'
import { randomId, solveAltcha } from '../../../clients/sdk/index.ts'
import { importKeys, makeKeys } from '../../../src/keys.ts'
import { connectForCommands } from '../../../src/redis/connect.ts'
import { createSharedJoinGuard } from '../../../src/redis/joinGuard.ts'
import type { Clock } from '../../../src/sale/clock.ts'
import { createAltcha } from '../../../src/sale/joinGuard/altcha.ts'
import { createJoinGuard, type Entry, type Visitor } from '../../../src/sale/joinGuard/joinGuard.ts'
import type { Verifier } from '../../../src/sale/joinGuard/verifier.ts'
import { ChallengeRequired } from '../../../src/sale/refusals.ts'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, placed, testRoom, whenReady } from '../../support/room.ts'

const server = await testRedis()
const redis = connectForCommands(server.url)
await whenReady(redis)
afterAll(() => redis.disconnect())
const clock: Clock = { now: async () => new Date(), known: () => new Date(), at: async () => new Date() }
const altcha = createAltcha({ keys: await importKeys(await makeKeys()), clock })

const door = (verifier: Verifier = altcha) =>
  createJoinGuard({ shared: createSharedJoinGuard(redis), verifier, clock })

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

/** Null: let in, and no place taken yet. */
const refusal = (answered: ChallengeRequired | Entry | undefined) =>
  answered instanceof ChallengeRequired ? answered : null

test('an answer lets in its account, however spelt and at whichever process, until that has its place', async () => {
  const doors = Array.from({ length: 5 }, () => door())
  const refused = (await doors[0]?.enter(always, visitor('ana'))) as ChallengeRequired
  const answer = await solveAltcha(refused.challenge as object)
  // A spelling of its own for each: it is the same answer.
  const spelt = (i: number) => btoa(JSON.stringify({ ...JSON.parse(atob(answer as string)), i }))
  const come = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        doors[i % 5]?.enter(always, visitor('ana', { answer: spelt(i) })),
      ),
    )
  const entries = await come(10)
  expect(entries.map(refusal)).toEqual(Array(10).fill(null))
  await (entries[3] as Entry).placeTaken()
  expect((await come(10)).map(refusal)).toEqual(Array(10).fill(expect.any(ChallengeRequired)))
})

test('while the queue’s database is away nobody has to do the work again', async () => {
  const [db, queue] = [await testDatabase(), await testDatabase()]
  const room = await testRoom({ db, roomDb: queue, redisUrl: server.url })
  try {
    const preQueue = { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600 }
    const { id: eventId } = await insertEvent(db, preQueue, queue)
    await db.sql(`update sales set challenge = 'ALWAYS' where event_id = $1`, [eventId])
    const ana = fan('ana', randomId())
    const refused = (await room.waitingRoom.join(ana, { eventId })) as ChallengeRequired
    const challenge = await solveAltcha(refused.challenge as object)
    await queue.sql('alter table places rename to places_away')
    await expect(room.waitingRoom.join(ana, { eventId, challenge })).rejects.toMatchObject({
      code: 'OVERLOADED',
    })
    await queue.sql('alter table places_away rename to places')
    const { arrival, queueToken } = placed(await room.waitingRoom.join(ana, { eventId, challenge }))
    expect(arrival).toBeGreaterThan(0)
    // And still it is good for one place.
    await room.waitingRoom.leave(queueToken, ana)
    expect(await room.waitingRoom.join(ana, { eventId, challenge })).toBeInstanceOf(ChallengeRequired)
  } finally {
    room.close()
  }
})

test('with what Redis has forgotten an answer is good again for its account, and for nobody else', async () => {
  const { challenge } = (await door().enter(always, visitor('fay'))) as ChallengeRequired
  const answer = await solveAltcha(challenge as object)
  const come = (who: string) => door().enter(always, visitor(who, { answer }))
  await ((await come('fay')) as Entry).placeTaken()
  expect(await come('fay')).toBeInstanceOf(ChallengeRequired)
  await redis.flushall()
  expect(await come('gus')).toBeInstanceOf(ChallengeRequired)
  expect(refusal(await come('fay'))).toBeNull()
})

test('whether there is a place is asked only where that decides', async () => {
  const hasPlace = vi.fn(async () => true)
  expect(
    refusal(await door().enter({ ...always, challenge: 'NEVER' }, visitor('bob', { hasPlace }))),
  ).toBeNull()
  expect(
    refusal(await door().enter({ ...always, challenge: 'SUSPICIOUS' }, visitor('bob', { hasPlace }))),
  ).toBeNull()
  expect(hasPlace).not.toHaveBeenCalled()
  expect(refusal(await door().enter(always, visitor('bob', { hasPlace })))).toBeNull()
  expect(hasPlace).toHaveBeenCalledOnce()
})

test('another verifier stands at the same door; its answers too are one account’s, and good for one place', async () => {
  const widget: Verifier = {
    challenge: async () => ({ kind: 'widget', siteKey: 'k' }),
    verify: async (answer) =>
      answer.startsWith('good') ? { id: answer, expiresAt: new Date(Date.now() + 60_000) } : null,
  }
  const enter = (answer: string | null, who = 'cleo') => door(widget).enter(always, visitor(who, { answer }))
  expect(await enter(null)).toMatchObject({ challenge: { kind: 'widget', siteKey: 'k' } })
  expect(await enter('bad')).toBeInstanceOf(ChallengeRequired)
  const entry = await enter('good 1')
  expect(refusal(entry)).toBeNull()
  expect(await enter('good 1', 'dan')).toBeInstanceOf(ChallengeRequired)
  expect(refusal(await enter('good 1'))).toBeNull()
  await (entry as Entry).placeTaken()
  expect(await enter('good 1')).toBeInstanceOf(ChallengeRequired)
  expect(refusal(await enter('good 2'))).toBeNull()
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
