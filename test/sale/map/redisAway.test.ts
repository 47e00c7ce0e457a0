import pino from 'pino'
import { expect, test } from 'vitest'
import { createChannelHub } from '../../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../../src/redis/connect.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { createClock } from '../../../src/sale/clock.ts'
import { createSeatMap, type SeatMap } from '../../../src/sale/map/seatMap.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { testRedis } from '../../support/redis.ts'

const db = await testDatabase()
const server = await testRedis()

/** A process with connections and a memory of its own. */
async function newProcess(): Promise<SeatMap> {
  const redis = connectForCommands(server.url)
  const hub = createChannelHub(connectForWaiting(server.url))
  await new Promise((resolve) => redis.once('ready', resolve))
  cleanUp(() => {
    redis.disconnect()
    hub.close()
  })
  const log = pino({ enabled: false })
  return createSeatMap({ db, redis, hub, catalogue: createCatalogue(db), clock: createClock(db), log })
}

/** Changes a seat as a committed hold does; returns the changes. */
async function hold({ id }: TestEvent, seatNo: number) {
  const [row] = await db.sql<{ revision: number }>(
    'update seats set status = 3, revision = revision + 1 where event_id = $1 and no = $2 returning revision',
    [id, seatNo],
  )
  return [{ seatNo, status: 3 as const, revision: row?.revision as number }]
}

/** Returns the first update of a new subscriber. */
async function firstUpdate(seatMap: SeatMap, { id }: TestEvent) {
  const updates = seatMap.updates(id, 1)
  const { value } = await updates.next()
  await updates.return?.()
  return value
}

test('a client that changes process while Redis is away gets counts that are no older, and no statuses', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const event = await insertEvent(db)
  expect(await there.section(event.id, 1)).toMatchObject({ version: 0, statuses: expect.any(Uint8Array) })
  await here.publish(event.id, await hold(event, 1))
  expect(await firstUpdate(here, event)).toMatchObject({ version: 1, available: 39 })
  await server.kill()
  // The section in the other process's memory may be fresh, but it is behind.
  expect(await firstUpdate(there, event)).toMatchObject({
    version: 1,
    available: 39,
    whole: { statuses: null },
  })

  // The counts in the other process's memory may be fresh, but they are behind.
  await hold(event, 2)
  expect(await there.latest(event.id, 1)).toBe(2)
  expect(await firstUpdate(there, event)).toMatchObject({
    version: 2,
    available: 38,
    whole: { statuses: null },
  })

  await server.restart('kept')
  await expect
    .poll(async () => (await firstUpdate(there, event)).whole.statuses, { timeout: 10_000 })
    .toEqual(expect.any(Uint8Array))
  expect(await firstUpdate(there, event)).toMatchObject({ version: 2, available: 38 })
})

test('a Redis that comes back with older maps has every map compared within the next rounds, without a hold', async () => {
  const process = await newProcess()
  // More than one: the turn of a quiet event may be the next round.
  const events = await Promise.all(Array.from({ length: 4 }, () => insertEvent(db)))
  const ids = events.map(({ id }) => id)
  const withoutMap = await insertEvent(db)
  for (const { id } of events) await process.section(id, 1)
  await process.toCompare(ids, [])
  const older = server.copy()
  for (const event of events) await process.publish(event.id, await hold(event, 1))

  await server.restart(older)
  const round = () => process.toCompare([...ids, withoutMap.id], [])
  await expect.poll(() => round().catch(() => []), { timeout: 10_000 }).toEqual(ids)
  // A run that ends before its work is done leaves it to the next rounds.
  expect(await round()).toEqual(ids)
  for (const id of ids) expect(await process.rebuildHot(id)).toEqual({ differed: 1 })
  for (let i = 0; i < 30; i++) await round()
  expect((await round()).length).toBeLessThan(ids.length)
})

test('a change that does not reach a Redis that hangs has its map compared within the next rounds', async () => {
  const process = await newProcess()
  const events = await Promise.all(Array.from({ length: 4 }, () => insertEvent(db)))
  const ids = events.map(({ id }) => id)
  for (const { id } of events) await process.section(id, 1)
  // No start of Redis is in its last minute.
  for (let i = 0; i < 31; i++) await process.toCompare(ids, [])
  server.hang()
  for (const event of events) await process.publish(event.id, await hold(event, 1))
  server.resume()

  const round = () => process.toCompare(ids, [])
  await expect.poll(() => round().catch(() => []), { timeout: 10_000, interval: 500 }).toEqual(ids)
})
