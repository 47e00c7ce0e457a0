import { expect, test } from 'vitest'
import { removeMaps } from '../../src/jobs/removeMaps.ts'
import { keys } from '../../src/redis/keys.ts'
import { opsAccount } from '../support/checkout.ts'
import { cleanUp } from '../support/cleanUp.ts'

import { testDatabase } from '../support/database.ts'
import { endSale, insertEvent } from '../support/event.ts'
import { testJobApp } from '../support/jobs.ts'
import { testRedis } from '../support/redis.ts'

const db = await testDatabase()
const redis = await testRedis()
const app = await testJobApp(db.url, redis.url)
cleanUp(() => app.close())

const hall = () => insertEvent(db, { sections: [{ seats: 4 }, { places: 3 }] })
const keysOf = (eventId: string) => app.redis.keys(`fg:{${eventId}}:map*`)

async function run(): Promise<string[]> {
  const pieces = await removeMaps.find(app)
  for (const piece of pieces) await piece.run()
  return pieces.map(({ subject }) => subject)
}

test('the map of an event that is over leaves Redis, and comes back with the same version for a reader', async () => {
  const [over, open, unread] = await Promise.all([hall(), hall(), hall()])
  await app.seatMap.rebuild(over.id)
  await app.seatMap.rebuild(open.id)
  const before = await app.seatMap.section(over.id, 1)
  expect((await keysOf(over.id)).length).toBe(5)
  expect(await run()).toEqual([])

  for (const event of [over, unread]) {
    await endSale(db, event.id)
    await db.sql(
      `update sales set ends_at = now() - interval '61 minutes',
      opens_at = now() - interval '62 minutes', pre_queue_opens_at = now() - interval '63 minutes' where event_id = $1`,
      [event.id],
    )
  }
  expect(await run()).toEqual([over.id])
  expect(await keysOf(over.id)).toEqual([])
  expect(await app.redis.exists(keys.sections(open.id))).toBe(1)

  // A seat that changes after the sale.
  const request = { eventId: over.id, seats: [over.seatId(2)], reason: 'a broken seat' }
  await app.blocks.block(opsAccount(), request)
  const other = await testJobApp(db.url, redis.url)
  cleanUp(() => other.close())
  const after = await other.seatMap.section(over.id, 1)
  expect([before.version, before.available, after.version, after.available]).toEqual([0, 4, 1, 3])
  expect(await run()).toEqual([over.id])
  expect(await keysOf(over.id)).toEqual([])
})
