import { afterAll, expect, test, vi } from 'vitest'
import { randomId, solveAltcha } from '../../../clients/sdk/index.ts'
import { importKeys, makeKeys } from '../../../src/keys.ts'
import { connectForCommands } from '../../../src/redis/connect.ts'
import { createSharedJoinGuard } from '../../../src/redis/joinGuard.ts'
import type { Clock } from '../../../src/sale/clock.ts'
import { createAltcha } from '../../../src/sale/joinGuard/altcha.ts'
import {
  createJoinGuard,
  type JoinPermission,
  type JoinRequest,
} from '../../../src/sale/joinGuard/joinGuard.ts'
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
const clock: Clock = { now: async () => new Date(), estimate: () => new Date(), at: async () => new Date() }
const altcha = createAltcha({ keys: await importKeys(await makeKeys()), clock })

const guardOf = (verifier: Verifier = altcha) =>
  createJoinGuard({ shared: createSharedJoinGuard(redis), verifier, clock })

function request(accountId: string, more: Partial<JoinRequest> = {}): JoinRequest {
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

/** Null where the guard permits the join. */
const refusal = (answered: ChallengeRequired | JoinPermission | undefined) =>
  answered instanceof ChallengeRequired ? answered : null

test('an answer permits its account on every server and in every encoding, until the account has its place', async () => {
  const guards = Array.from({ length: 5 }, () => guardOf())
  const refused = (await guards[0]?.check(always, request('ana'))) as ChallengeRequired
  const answer = await solveAltcha(refused.challenge as object)
  // Each has its own encoding of the same answer.
  const encoded = (i: number) => btoa(JSON.stringify({ ...JSON.parse(atob(answer as string)), i }))
  const join = (count: number) =>
    Promise.all(
      Array.from({ length: count }, (_, i) =>
        guards[i % 5]?.check(always, request('ana', { answer: encoded(i) })),
      ),
    )
  const permissions = await join(10)
  expect(permissions.map(refusal)).toEqual(Array(10).fill(null))
  await (permissions[3] as JoinPermission).placeTaken()
  expect((await join(10)).map(refusal)).toEqual(Array(10).fill(expect.any(ChallengeRequired)))
})

test('a fan whose join failed because the room’s database was away does not do the work again', async () => {
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
    // The answer is still good for only one place.
    await room.waitingRoom.leave(queueToken, ana)
    expect(await room.waitingRoom.join(ana, { eventId, challenge })).toBeInstanceOf(ChallengeRequired)
  } finally {
    room.close()
  }
})

test('after Redis has lost its data a spent answer is good again for its account, and for no other', async () => {
  const { challenge } = (await guardOf().check(always, request('fay'))) as ChallengeRequired
  const answer = await solveAltcha(challenge as object)
  const join = (who: string) => guardOf().check(always, request(who, { answer }))
  await ((await join('fay')) as JoinPermission).placeTaken()
  expect(await join('fay')).toBeInstanceOf(ChallengeRequired)
  await redis.flushall()
  expect(await join('gus')).toBeInstanceOf(ChallengeRequired)
  expect(refusal(await join('fay'))).toBeNull()
})

test('the guard looks up the account’s place only where that decides', async () => {
  const hasPlace = vi.fn(async () => true)
  expect(
    refusal(await guardOf().check({ ...always, challenge: 'NEVER' }, request('bob', { hasPlace }))),
  ).toBeNull()
  expect(
    refusal(await guardOf().check({ ...always, challenge: 'SUSPICIOUS' }, request('bob', { hasPlace }))),
  ).toBeNull()
  expect(hasPlace).not.toHaveBeenCalled()
  expect(refusal(await guardOf().check(always, request('bob', { hasPlace })))).toBeNull()
  expect(hasPlace).toHaveBeenCalledOnce()
})

test('with another verifier, too, an answer belongs to one account and is good for one place', async () => {
  const widget: Verifier = {
    challenge: async () => ({ kind: 'widget', siteKey: 'k' }),
    verify: async (answer) =>
      answer.startsWith('good') ? { id: answer, expiresAt: new Date(Date.now() + 60_000) } : null,
  }
  const join = (answer: string | null, who = 'cleo') =>
    guardOf(widget).check(always, request(who, { answer }))
  expect(await join(null)).toMatchObject({ challenge: { kind: 'widget', siteKey: 'k' } })
  expect(await join('bad')).toBeInstanceOf(ChallengeRequired)
  const permission = await join('good 1')
  expect(refusal(permission)).toBeNull()
  expect(await join('good 1', 'dan')).toBeInstanceOf(ChallengeRequired)
  expect(refusal(await join('good 1'))).toBeNull()
  await (permission as JoinPermission).placeTaken()
  expect(await join('good 1')).toBeInstanceOf(ChallengeRequired)
  expect(refusal(await join('good 2'))).toBeNull()
})

test('while the verifier cannot decide, no fan can join with an answer', async () => {
  const away: Verifier = {
    challenge: async () => ({ kind: 'widget' }),
    verify: async () => {
      throw new Error('no answer')
    },
  }
  await expect(guardOf(away).check(always, request('dora', { answer: 'good' }))).rejects.toThrow('no answer')
})
