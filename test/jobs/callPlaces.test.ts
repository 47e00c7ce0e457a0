import { afterAll, expect, test } from 'vitest'
import { callPlaces } from '../../src/jobs/callPlaces.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { testJobApp } from '../support/jobs.ts'
import { testRedis } from '../support/redis.ts'
import { fan, fillLine, nextTick, whenReady } from '../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const app = await testJobApp(db.url, redis.url)
afterAll(() => app.close())
await whenReady(app.roomRedis)

const line = { waitingRoom: true, sections: [{ seats: 400 }], rate: 5 }

async function admittedUpTo(eventId: string) {
  const [row] = await db.sql('select admitted_up_to from rooms where event_id = $1', [eventId])
  return row?.admitted_up_to
}

test('a tick that comes a little early, since the last one was late, still calls places', async () => {
  const event = await insertEvent(db, line)
  const fans = Array.from({ length: 50 }, () => fan())
  await fillLine(app, event.id, fans)
  await expect.poll(async () => (await nextTick(app, event.id))?.called, { timeout: 15_000 }).toBe(5)
  const before = await admittedUpTo(event.id)
  await db.sql("update rooms set ticked_at = now() - interval '0.75 seconds' where event_id = $1", [event.id])
  await callPlaces.read({ eventId: event.id }).run(app)
  expect(await admittedUpTo(event.id)).toBe(before + 5)
})

test('a second in which another worker has called places calls no more', async () => {
  const event = await insertEvent(db, line)
  const fans = Array.from({ length: 50 }, () => fan())
  await fillLine(app, event.id, fans)
  await expect.poll(async () => (await nextTick(app, event.id))?.called, { timeout: 15_000 }).toBe(5)
  const before = await admittedUpTo(event.id)
  // The last tick is a minute ahead, which is longer than any wait of the job.
  await db.sql("update rooms set ticked_at = now() + interval '1 minute' where event_id = $1", [event.id])
  await callPlaces.read({ eventId: event.id }).run(app)
  expect(await admittedUpTo(event.id)).toBe(before)
})
