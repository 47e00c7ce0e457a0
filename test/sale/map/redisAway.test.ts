import pino from 'pino'
import { expect, test } from 'vitest'
import { createChannelHub } from '../../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../../src/redis/connect.ts'
import { createClock } from '../../../src/sale/clock.ts'
import { createCatalogue } from '../../../src/sale/events/catalogue.ts'
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

/** As a hold that is committed; its changes. */
async function hold({ id }: TestEvent, seatNo: number) {
  const [row] = await db.sql<{ revision: number }>(
    'update seats set status = 3, revision = revision + 1 where event_id = $1 and no = $2 returning revision',
    [id, seatNo],
  )
  return [{ seatNo, status: 3 as const, revision: row?.revision as number }]
}

/** What one who begins to follow the section is told first. */
async function firstTold(seatMap: SeatMap, { id }: TestEvent) {
  const updates = seatMap.updates(id, 1)
  const { value } = await updates.next()
  await updates.return?.()
  return value
}

test('who comes from another process when Redis is gone is told nothing older, and that seats cannot be told', async () => {
  const [here, there] = [await newProcess(), await newProcess()]
  const event = await insertEvent(db)
  expect(await there.section(event.id, 1)).toMatchObject({ version: 0, statuses: expect.any(Uint8Array) })
  await here.publish(event.id, await hold(event, 1))
  const told = await firstTold(here, event)
  expect(told).toMatchObject({ version: 1, available: 39 })
  await server.kill()
  // What it has in memory is not a second old, and is behind.
  expect(await firstTold(there, event)).toMatchObject({
    version: 1,
    available: 39,
    whole: { statuses: null },
  })

  // What it has counted is not two seconds old, and is behind.
  await hold(event, 2)
  expect(await there.latest(event.id, 1)).toBe(2)
  expect(await firstTold(there, event)).toMatchObject({
    version: 2,
    available: 38,
    whole: { statuses: null },
  })

  await server.restart('kept')
  await expect
    .poll(async () => (await firstTold(there, event)).whole.statuses, { timeout: 10_000 })
    .toEqual(expect.any(Uint8Array))
  expect(await firstTold(there, event)).toMatchObject({ version: 2, available: 38 })
})
