import { createHash } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { connectForCommands } from '../../src/redis/connect.ts'
import { keys } from '../../src/redis/keys.ts'
import { createRedisPlaces } from '../../src/redis/places.ts'
import { testRedis } from '../support/redis.ts'
import { whenReady } from '../support/room.ts'

const server = await testRedis()
const redis = connectForCommands(server.url)
await whenReady(redis)
afterAll(() => redis.disconnect())
const places = createRedisPlaces(redis)

const account = (i: number) => createHash('sha256').update(`account ${i}`).digest().subarray(0, 12)

/** Places 1 … n of accounts 1 … n, as pages of the journal. */
async function* pages(n: number) {
  for (let from = 1; from <= n; from += 4_000) {
    const to = Math.min(n, from + 3_999)
    const page = Buffer.alloc(16 * (to - from + 1))
    for (let i = from; i <= to; i++) {
      account(i).copy(page, 16 * (i - from))
      page.writeUInt32BE(i, 16 * (i - from) + 12)
    }
    yield page
  }
}

test('no account can join before Redis has all places', async () => {
  expect(await places.join('evt_a', account(1), 0)).toBeNull()
  expect(await places.copyNumber('evt_a')).toBeNull()
})

test('each account gets the next arrival index once, and one new index where its place is over', async () => {
  await places.rebuild('evt_b', 7, 0, pages(0))
  expect(await places.copyNumber('evt_b')).toBe(7)
  expect(await places.join('evt_b', account(1), 0)).toEqual({ arrival: 1, copy: 7 })
  expect(await places.join('evt_b', account(2), 0)).toEqual({ arrival: 2, copy: 7 })
  expect(await places.join('evt_b', account(1), 0)).toEqual({ arrival: 1, copy: 7 })
  const replaced = await Promise.all([1, 2, 3].map(() => places.join('evt_b', account(1), 1)))
  expect(replaced).toEqual(Array(3).fill({ arrival: 3, copy: 7 }))
  expect(await places.join('evt_b', account(2), 9)).toEqual({ arrival: 2, copy: 7 })
})

test('joins at the same moment share calls of the script, and each account still gets its own index at each event', async () => {
  await places.rebuild('evt_many', 1, 0, pages(0))
  await places.rebuild('evt_other', 2, 0, pages(0))
  const calls = async () =>
    Number((await redis.info('commandstats')).match(/cmdstat_evalsha:calls=(\d+)/)?.[1] ?? 0)
  // The first join on a connection also loads the script.
  expect(await places.join('evt_other', account(0), 0)).toEqual({ arrival: 1, copy: 2 })
  const before = await calls()
  const thousand = Array.from({ length: 1_000 }, (_, i) => i)
  const joined = await Promise.all(
    [...thousand, ...thousand].map((i) => places.join('evt_many', account(i), 0)),
  )
  expect(joined.slice(0, 1_000)).toEqual(joined.slice(1_000))
  const arrivals = joined.slice(0, 1_000).map((place) => place?.arrival)
  expect(arrivals).toEqual(thousand.map((i) => i + 1))
  expect((await calls()) - before).toBe(8)

  const mixed = await Promise.all([
    places.join('evt_many', account(1), 0),
    places.join('evt_other', account(1), 0),
    places.join('evt_many', account(2), 3),
    places.join('evt_nowhere', account(1), 0),
    places.join('evt_many', account(2), 3),
    places.join('evt_many', account(3), 3),
  ])
  expect(mixed.map((place) => place && [place.arrival, place.copy])).toEqual([
    [2, 1],
    [2, 2],
    [1_001, 1],
    null,
    [1_001, 1],
    [4, 1],
  ])
})

test('a rebuilt copy has exactly the journal’s places, and continues after the last index', async () => {
  await places.rebuild('evt_c', 1, 0, pages(0))
  await places.join('evt_c', Buffer.alloc(12, 9), 0)
  await places.rebuild('evt_c', 2, 10_003, pages(10_000))
  expect(await places.join('evt_c', account(1), 0)).toEqual({ arrival: 1, copy: 2 })
  expect(await places.join('evt_c', account(10_000), 0)).toEqual({ arrival: 10_000, copy: 2 })
  expect(await places.join('evt_c', Buffer.alloc(12, 9), 0)).toEqual({ arrival: 10_004, copy: 2 })
})

test('of several places of one account the last one counts', async () => {
  async function* twice() {
    const page = Buffer.alloc(32)
    for (const [i, arrival] of [3, 8].entries()) {
      account(1).copy(page, 16 * i)
      page.writeUInt32BE(arrival, 16 * i + 12)
    }
    yield page
  }
  await places.rebuild('evt_d', 1, 8, twice())
  expect(await places.join('evt_d', account(1), 0)).toEqual({ arrival: 8, copy: 1 })
})

test('a wrong place is corrected once, and not where it has changed in between', async () => {
  await places.rebuild('evt_w', 3, 9, pages(9))
  await places.correct('evt_w', account(5), 5, 2)
  await places.correct('evt_w', account(5), 5, 8)
  await places.correct('evt_w', account(77), 5, 8)
  expect(await places.join('evt_w', account(5), 0)).toEqual({ arrival: 2, copy: 3 })
  expect(await places.join('evt_w', account(77), 0)).toEqual({ arrival: 10, copy: 3 })
})

test('after a restart of Redis no account can join until the copy is rebuilt, whatever data Redis has', async () => {
  await places.rebuild('evt_e', 1, 0, pages(0))
  expect(await places.join('evt_e', account(1), 0)).not.toBeNull()
  await server.restart('kept')
  await whenReady(redis)
  expect(await redis.get(keys.arrivals('evt_e'))).toBe('1')
  expect(await places.join('evt_e', account(1), 0)).toBeNull()
  expect(await places.copyNumber('evt_e')).toBeNull()
})

/** A sixteenth of two million places: those in the first sixteenth of the buckets. */
async function* sixteenth() {
  const page = Buffer.alloc(16 * SIXTEENTH)
  for (let i = 0; i < SIXTEENTH; i++) {
    account(i).copy(page, 16 * i)
    page.writeUInt16BE(i % (32_768 / 16), 16 * i)
    page.writeUInt32BE(16 * (i + 1), 16 * i + 12)
  }
  for (let from = 0; from < page.length; from += 64_000) yield page.subarray(from, from + 64_000)
}
const SIXTEENTH = 125_000

test('at two million places one place takes at most 32 bytes of Redis’s memory', async () => {
  await redis.flushall()
  const used = async () => Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
  const before = await used()
  await places.rebuild('evt_k3v9x2m4q8wz', 1_234_567_890, 2_000_000, sixteenth())
  const bytes = ((await used()) - before) / SIXTEENTH
  console.log(`${bytes.toFixed(1)} bytes a place`)
  expect(await redis.dbsize()).toBe(32_768 / 16 + 2)
  expect(bytes).toBeLessThanOrEqual(32)
  expect(bytes).toBeGreaterThan(16)
})
