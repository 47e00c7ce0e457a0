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

/** One round's piece of work for the event. */
async function runRound(eventId: string) {
  const pieces = await callPlaces.find(app)
  await pieces.find(({ subject }) => subject === eventId)?.run()
}
const isBusy = async (eventId: string) =>
  (await callPlaces.find(app)).some(({ subject }) => subject === eventId)

test('a tick that comes a little early, since the last one was late, still calls places', async () => {
  const event = await insertEvent(db, line)
  const fans = Array.from({ length: 50 }, () => fan())
  await fillLine(app, event.id, fans)
  await expect.poll(async () => (await nextTick(app, event.id))?.called, { timeout: 15_000 }).toBe(5)
  const before = await admittedUpTo(event.id)
  await db.sql("update rooms set ticked_at = now() - interval '0.75 seconds' where event_id = $1", [event.id])
  await runRound(event.id)
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
  await runRound(event.id)
  expect(await admittedUpTo(event.id)).toBe(before)
})

test('a room is quiet until a fan joins, and again once the last turn and the last visit are over', async () => {
  const event = await insertEvent(db, { ...line, turnSeconds: 60 })
  await db.sql('update rooms set size = null where event_id = $1', [event.id])
  expect(await isBusy(event.id)).toBe(true)
  // This tick freezes the line.
  await runRound(event.id)
  expect(await isBusy(event.id)).toBe(false)
  const [token] = await fillLine(app, event.id, [fan()])
  expect(token).toBeDefined()
  expect(await isBusy(event.id)).toBe(true)
  await expect.poll(async () => (await nextTick(app, event.id))?.called, { timeout: 15_000 }).toBe(1)
  // The turn runs.
  expect(await isBusy(event.id)).toBe(true)
  await db.sql("update calls set at = at - interval '65 seconds' where event_id = $1", [event.id])
  expect(await isBusy(event.id)).toBe(true)
  await db.sql("update calls set at = at - interval '10 seconds' where event_id = $1", [event.id])
  expect(await isBusy(event.id)).toBe(false)
  await db.sql('update rooms set inside = 1 where event_id = $1', [event.id])
  expect(await isBusy(event.id)).toBe(true)
  await db.sql("update rooms set inside = 0, rate = 2, rate_reason = 'cut' where event_id = $1", [event.id])
  expect(await isBusy(event.id)).toBe(true)
})

test('the line of a quiet room is open: no time of it counts as closed', async () => {
  const event = await insertEvent(db, { ...line, turnSeconds: 60 })
  const never = await insertEvent(db, line)
  await fillLine(app, event.id, [fan()])
  await expect.poll(async () => (await nextTick(app, event.id))?.called, { timeout: 15_000 }).toBe(1)
  await runRound(never.id)
  const room = async (eventId: string) =>
    (
      await db.sql(
        `select tick::int, closed, ticked_at, now() - ticked_at < interval '4 seconds' as recent
         from rooms where event_id = $1`,
        [eventId],
      )
    )[0]
  const before = await room(event.id)
  const untouched = await room(never.id)
  for (let i = 0; i < 30; i++) {
    // Five seconds pass.
    await db.sql("update calls set at = at - interval '5 seconds' where event_id = $1", [event.id])
    await db.sql("update rooms set ticked_at = ticked_at - interval '5 seconds' where event_id = $1", [
      event.id,
    ])
    if (await isBusy(event.id)) await nextTick(app, event.id)
  }
  expect(await isBusy(event.id)).toBe(false)
  const after = await room(event.id)
  expect(after?.recent).toBe(true)
  expect(after?.closed).toBe(before?.closed)
  // A room that never called a fan is not written.
  expect(await room(never.id)).toEqual(untouched)
})

test('a room with a line that has not opened is repaired, and no place is called', async () => {
  const event = await insertEvent(db, { ...line, preQueueOpensInSeconds: -60, opensInSeconds: 600 })
  expect(await isBusy(event.id)).toBe(false)
  await fillLine(app, event.id, [fan()])
  expect(await isBusy(event.id)).toBe(true)
  await runRound(event.id)
  expect(await admittedUpTo(event.id)).toBe(0)
})
