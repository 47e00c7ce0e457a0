import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createChannelHub } from '../../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../../src/redis/connect.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { createClock } from '../../../src/sale/clock.ts'
import { createSeatMap } from '../../../src/sale/map/seatMap.ts'
import { createDatabase } from '../../../src/sql/database/database.ts'
import { insertEvent } from '../../support/event.ts'
import { testPostgres } from '../../support/postgres.ts'
import { testRedis } from '../../support/redis.ts'
import { whenReady } from '../../support/room.ts'

const postgres = await testPostgres()
const server = await testRedis()
const db = createDatabase(postgres.url)
const redis = connectForCommands(server.url)
const hub = createChannelHub(connectForWaiting(server.url))
await whenReady(redis)
const seatMap = createSeatMap({
  db,
  redis,
  hub,
  catalogue: createCatalogue(db),
  clock: createClock(db),
  log: pino({ enabled: false }),
})
afterAll(async () => {
  hub.close()
  redis.disconnect()
  await db.close()
})

/** More sections than rounds: each section without writes is compared once in that many rounds. */
const SECTIONS = 40
const ROUNDS = 30

/** An event of which each section has been compared at least once. */
async function comparedEvent() {
  const event = await insertEvent(db, { sections: Array.from({ length: SECTIONS }, () => ({ seats: 2 })) })
  for (let i = 0; i < ROUNDS; i++) await seatMap.rebuildHot(event.id)
  return {
    ...event,
    /** The sections' seats are 1 and 2, 3 and 4, … */
    change: (seatNo: number, client: Pick<typeof db.pool, 'query'> = db.pool) =>
      client.query('update seats set status = 3, revision = revision + 1 where event_id = $1 and no = $2', [
        event.id,
        seatNo,
      ]),
    /** Gives a section's first seat in Redis a revision that no commit has written. */
    damage: (sectionNo: number) =>
      redis.setrange(`fg:{${event.id}}:map:${sectionNo}:revisions`, 0, Buffer.from([0, 0, 0, 5]) as never),
    compare: async () => (await seatMap.rebuildHot(event.id)).differed,
  }
}

test('a seat that was written since the last comparison is found, in any section, and found once', async () => {
  const { change, compare } = await comparedEvent()
  expect(await compare()).toBe(0)
  for (const no of [1, 42, 43, 80]) await change(no)
  expect(await compare()).toBe(4)
  expect(await compare()).toBe(0)
  await change(42)
  expect(await compare()).toBe(1)
})

test('a transaction that outlives a comparison is found by the first comparison after its commit', async () => {
  const { change, compare } = await comparedEvent()
  const slow = await db.pool.connect()
  await slow.query('begin')
  await change(5, slow)
  for (const no of [11, 12, 13]) {
    await change(no)
    expect(await compare()).toBe(1)
  }
  await slow.query('commit')
  slow.release()
  expect(await compare()).toBe(1)
  expect(await compare()).toBe(0)
})

test('a section without writes is compared in its round, and not before', async () => {
  const { damage, compare } = await comparedEvent()
  // Rounds begin at one: the next one is the round of sections 2 and 32.
  await damage(25)
  const found: number[] = []
  for (let i = 1; i <= ROUNDS; i++) if ((await compare()) === 1) found.push(i)
  expect(found).toHaveLength(1)
  expect(found[0]).toBeGreaterThan(20)
})

test('the next comparison restores a map that Redis has lost', async () => {
  const { id, change, compare } = await comparedEvent()
  await change(7)
  await redis.flushall()
  await compare()
  expect(await redis.hget(`fg:{${id}}:map`, '4:3')).toBe('1')
  expect(
    await redis.exists(...Array.from({ length: SECTIONS }, (_, i) => `fg:{${id}}:map:${i + 1}:statuses`)),
  ).toBe(SECTIONS)
})

test('old maps that Redis restores are brought up to date, even if their seats were compared since', async () => {
  const { id, change, compare } = await comparedEvent()
  const keys = await redis.keys(`fg:{${id}}:map*`)
  const before = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
  for (const no of [9, 10]) await change(no)
  expect(await compare()).toBe(2)
  for (const [i, key] of keys.entries()) await redis.restore(key, 0, before[i] as Buffer, 'REPLACE')
  expect(await compare()).toBe(2)
})

test('after a crash of the database every section is compared: the crash may have taken commits back', async () => {
  const { damage, compare } = await comparedEvent()
  // The next round is not this section's.
  await damage(20)
  expect(await compare()).toBe(0)
  await postgres.kill()
  await postgres.restart()
  await expect
    .poll(
      () =>
        db.pool.query('select 1').then(
          () => true,
          () => false,
        ),
      { timeout: 20_000 },
    )
    .toBe(true)
  expect(await compare()).toBe(1)
  expect(await compare()).toBe(0)
})
