import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import { keys } from '../../../src/redis/keys.ts'
import type { Fault } from '../../../src/sale/faults.ts'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { createJournal } from '../../../src/sql/room/journal.ts'
import { testDatabase } from '../../support/database.ts'
import { takeDatabaseAway } from '../../support/databaseAway.ts'
import { insertEvent } from '../../support/event.ts'
import { persist } from '../../support/line.ts'
import { seededRandom } from '../../support/random.ts'
import { fan, placed, type TestFan, type TestRoom, testRoom, whenReady } from '../../support/room.ts'
import { twoServers } from '../../support/twoServers.ts'

const { db, redis, first, second } = await twoServers()

const preQueue = { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600 }

async function arrivalOf({ waitingRoom }: TestRoom, who: TestFan, eventId: string): Promise<number> {
  return placed(await waitingRoom.join(who, { eventId })).arrival
}

/** Joins, and retries as clients do. */
const persistentArrivalOf = (room: TestRoom, who: TestFan, eventId: string) =>
  persist(() => arrivalOf(room, who, eventId))

/** Every answered place is in the journal, and no account or index is there twice. */
async function expectJournalled(eventId: string, answered: ReadonlyMap<string, number>) {
  const rows = await db.sql<{ arrival: number; account: Buffer }>(
    'select arrival, account from places where event_id = $1',
    [eventId],
  )
  expect(new Set(rows.map(({ account }) => account.toString('hex'))).size).toBe(rows.length)
  const byArrival = new Map(rows.map(({ arrival, account }) => [arrival, account]))
  for (const [account, arrival] of answered) {
    expect(byArrival.get(arrival)).toEqual(accountDigest(eventId, account))
  }
  expect(new Set(answered.values()).size).toBe(answered.size)
}

for (const loss of [
  'flushed',
  'restarted empty',
  'restarted as it was',
  'restarted with an older copy',
] as const) {
  test(`Redis is ${loss} during joins: every fan keeps the place, and no place is assigned twice`, async () => {
    const random = seededRandom()
    const event = await insertEvent(db, preQueue)
    const answered = new Map<string, number>()
    const join = async (who: TestFan) => {
      const arrival = await persistentArrivalOf(random() < 0.5 ? first : second, who, event.id)
      expect(answered.get(who.account.id) ?? arrival).toBe(arrival)
      answered.set(who.account.id, arrival)
    }
    const early = Array.from({ length: 100 }, () => fan())
    const late = Array.from({ length: 100 }, () => fan())
    const admin = new Redis(redis.url)
    await Promise.all(early.slice(0, 50).map(join))
    const olderCopy = await dump(admin)
    await Promise.all(early.slice(50).map(join))

    const joining = Promise.all([...early, ...late].sort(() => random() - 0.5).map(join))
    if (loss === 'flushed') await admin.flushall()
    else if (loss === 'restarted empty') await redis.restart('lost')
    else await redis.restart('kept')
    if (loss === 'restarted with an older copy') {
      await whenReady(admin)
      await restore(admin, olderCopy)
    }
    await joining
    await Promise.all([...early, ...late, fan()].map(join))
    admin.disconnect()
    await expectJournalled(event.id, answered)
  })
}

/** A copy of all keys that do not expire: a restored counter of joins would stay for good. */
async function dump(admin: Redis): Promise<[string, Buffer][]> {
  const names = (await admin.keys('*')).filter((name) => !name.includes(':joins:'))
  return Promise.all(
    names.map(async (name): Promise<[string, Buffer]> => [name, (await admin.dumpBuffer(name)) as Buffer]),
  )
}

async function restore(admin: Redis, copy: [string, Buffer][]) {
  const write = admin.multi().flushall()
  for (const [name, value] of copy) write.restore(name, 0, value)
  await write.exec()
}

test('an index that Redis assigned before a loss is not journalled after it, since another fan may have it by then', async () => {
  const event = await insertEvent(db, preQueue)
  await arrivalOf(first, fan(), event.id)
  const [{ copy } = { copy: 0 }] = await db.sql('select places_copy as copy from rooms where event_id = $1', [
    event.id,
  ])
  const admin = new Redis(redis.url)
  await admin.flushall()
  admin.disconnect()
  // Ana's server received her index before the loss, and journals it after Bob has received the same one.
  const bob = fan()
  expect(await arrivalOf(second, bob, event.id)).toBe(2)
  const ana = fan()
  const late = {
    eventId: event.id,
    arrival: 2,
    account: accountDigest(event.id, ana.account.id),
    device: deviceDigest('x'),
    copy,
  }
  expect(await createJournal(db).append(late)).toBe('stale')
  expect(await createJournal(db).append({ ...late, arrival: 3 })).toBe('stale')
  expect(await arrivalOf(first, ana, event.id)).toBe(3)
  expect(await arrivalOf(first, bob, event.id)).toBe(2)
})

test('a copy in Redis that contradicts the journal is rebuilt, even if it is marked as complete', async () => {
  const event = await insertEvent(db, preQueue)
  const fans = Array.from({ length: 5 }, () => fan())
  for (const [i, who] of fans.entries()) expect(await arrivalOf(first, who, event.id)).toBe(i + 1)
  const admin = new Redis(redis.url)
  // The counter falls back, and an account's index is lost. Either would assign an index a second time.
  await admin.set(keys.arrivals(event.id), 2)
  expect(await arrivalOf(second, fan(), event.id)).toBe(6)
  const buckets = await admin.keys(`${keys.placesMark(event.id)}:*`)
  await admin.del(...buckets)
  admin.disconnect()
  for (const [i, who] of fans.entries()) expect(await arrivalOf(second, who, event.id)).toBe(i + 1)
  expect(await arrivalOf(first, fan(), event.id)).toBe(12)
})

test('a few wrong places are corrected one by one; where there are many, the copy is rebuilt', async () => {
  const event = await insertEvent(db, preQueue)
  const fans = Array.from({ length: 60 }, () => fan())
  const joinAll = (room: TestRoom) => Promise.all(fans.map((who) => arrivalOf(room, who, event.id)))
  const arrivals = await joinAll(first)
  const copy = async () => {
    const [row] = await db.sql('select places_copy as copy from rooms where event_id = $1', [event.id])
    return row?.copy as number
  }
  const before = await copy()
  const admin = new Redis(redis.url)
  const buckets = await admin.keys(`${keys.placesMark(event.id)}:*`)
  await admin.del(...buckets)
  admin.disconnect()
  const ana = fans[30] as TestFan
  const again = await Promise.all([1, 2, 3].map(() => arrivalOf(second, ana, event.id)))
  expect(again).toEqual(Array(3).fill(arrivals[30]))
  expect(await copy()).toBe(before)
  for (const who of fans.slice(0, 25)) await arrivalOf(second, who, event.id)
  expect(await copy()).not.toBe(before)
  expect(await joinAll(first)).toEqual(arrivals)
  // The wrong indexes that Redis assigned belong to no fan.
  expect(await arrivalOf(first, fan(), event.id)).toBeLessThan(90)
})

test('a copy whose commit failed is not used', async () => {
  const event = await insertEvent(db, preQueue)
  const ana = fan()
  expect(await arrivalOf(first, ana, event.id)).toBe(1)
  const admin = new Redis(redis.url)
  const [run] = ((await admin.get(keys.placesMark(event.id))) as string).split('/')
  await admin.set(keys.placesMark(event.id), `${run}/12345`)
  admin.disconnect()
  expect(await arrivalOf(first, fan(), event.id)).toBe(2)
  expect(await arrivalOf(second, ana, event.id)).toBe(1)
})

test('while Redis is away no fan can join, and afterwards every fan has the same place', async () => {
  const event = await insertEvent(db, preQueue)
  const ana = fan()
  expect(await arrivalOf(first, ana, event.id)).toBe(1)
  await redis.kill()
  for (const who of [ana, fan()]) {
    const fault = await first.waitingRoom.join(who, { eventId: event.id }).catch((error: Fault) => error)
    expect(fault).toMatchObject({ code: 'OVERLOADED' })
    expect((fault as Fault).extensions.retryAfterSeconds).toBeGreaterThanOrEqual(2)
  }
  await redis.restart('kept')
  expect(await persistentArrivalOf(first, fan(), event.id)).toBe(2)
  expect(await persistentArrivalOf(second, ana, event.id)).toBe(1)
})

test('while the room’s database is away no fan can join, and afterwards every fan has the same place', async () => {
  const roomDb = await testDatabase()
  const event = await insertEvent(db, preQueue, roomDb)
  const room = await testRoom({ db, roomDb, redisUrl: redis.url })
  try {
    const ana = fan()
    expect(await arrivalOf(room, ana, event.id)).toBe(1)
    const bringBack = await takeDatabaseAway(db, roomDb)
    await expect(arrivalOf(room, fan(), event.id)).rejects.toMatchObject({ code: 'OVERLOADED' })
    await bringBack()
    expect(await persistentArrivalOf(room, ana, event.id)).toBe(1)
    // Bob's earlier index was never journalled: no fan has it, or a fan has it for the first time.
    expect(await persistentArrivalOf(room, fan(), event.id)).toBeGreaterThan(1)
  } finally {
    room.close()
  }
})

test('a line longer than one page of the journal is copied completely', async () => {
  const event = await insertEvent(db, preQueue)
  await db.sql(
    `insert into places (event_id, arrival, account, device)
     select $1, i, substr(sha256(int4send(i)), 1, 12), '\\x0000000000000000' from generate_series(1, 25000) i`,
    [event.id],
  )
  expect(await arrivalOf(first, fan(), event.id)).toBe(25_001)
  const admin = new Redis(redis.url)
  const buckets = await admin.keys(`${keys.placesMark(event.id)}:*`)
  const lengths = await Promise.all(buckets.map((bucket) => admin.hlen(bucket)))
  admin.disconnect()
  expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(25_001)
})
