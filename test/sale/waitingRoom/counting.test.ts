import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { testApps } from '../../support/apps.ts'
import { runOut } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { isHold } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { until } from '../../support/jobs.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, nextTick, type TestFan } from '../../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const startApp = await testApps({ databaseUrl: db.url, redisUrl: redis.url })
const app = await startApp()

/** Ten seats are four orders, so four fans may look for seats at once. */
const HALL = { waitingRoom: true, sections: [{ seats: 10 }], rate: 100 }

/** A hall with four called fans who all look for seats, so that no other fan is called. */
async function busyHall(options: object = {}) {
  const event = await insertEvent(db, { ...HALL, ...options })
  const line = Array.from({ length: 30 }, () => fan())
  const tokens = await fillLine(app, event.id, line)

  const enter = async (i: number): Promise<TestFan> => {
    const who = line[i] as TestFan
    const { admission } = await app.waitingRoom.position(tokens[i] as string, who)
    if (!admission) throw new Error(`fan ${i} was not let in`)
    return { ...who, admissionToken: admission.token }
  }
  /** How many fans the next tick calls, once the map has the new counts. */
  const called = async (available: number) => {
    const isCounted = async () => (await app.sales.refresh(event.id))?.counts.available === available
    await until(isCounted, `${available} available`)
    return (await nextTick(app, event.id))?.called
  }
  return {
    event,
    enter,
    called,
    leave: (i: number) => app.waitingRoom.leave(tokens[i] as string, line[i] as TestFan),
    /** Without the account, so that its turn is not taken. */
    look: async (i: number) => {
      const { deviceId } = line[i] as TestFan
      const withoutAccount = { account: null, deviceId, admissionToken: null }
      return (await app.waitingRoom.position(tokens[i] as string, withoutAccount)).state
    },
    /** Calls the first four; the fans of these indexes take their turn. */
    async begin(come: readonly number[] = [0, 1, 2, 3]) {
      expect(await called(10)).toBe(4)
      const inside: TestFan[] = []
      for (const i of come) inside.push(await enter(i))
      expect(await called(10)).toBe(0)
      return inside as [TestFan, TestFan, TestFan, TestFan]
    },
    async hold(who: TestFan, seatNos: readonly number[]) {
      const seats = seatNos.map(event.seatId)
      const made = await app.holds.hold(who, {
        eventId: event.id,
        seats,
        idempotencyKey: randomUUID(),
      })
      if (!isHold(made)) throw new Error(`refused: ${made.constructor.name}`)
      return made
    },
  }
}

const pay = (who: TestFan, holdId: string) =>
  app.checkout.checkout(who.account, { holdId, paymentMethod: 'pm_card_visa', idempotencyKey: randomUUID() })

test.concurrent('a purchase makes room for one fan, once: neither the hold before nor the order after counts again', async () => {
  const { event, begin, called, hold } = await busyHall()
  const [ana] = await begin()
  const { id } = await hold(ana, [1, 2])
  // Eight seats are four orders, and three fans look for seats.
  expect(await called(8)).toBe(1)
  expect(await called(8)).toBe(0)
  expect(await pay(ana, id)).toMatchObject({ state: 'CONFIRMED' })
  expect(await called(8)).toBe(0)
  expect(await called(8)).toBe(0)
  await expectInvariants(db, event.id)
})

test.concurrent('a hold and purchase between two ticks makes room for one fan, once', async () => {
  const { event, begin, called, hold } = await busyHall()
  const [ana] = await begin()
  // No tick comes during the hold: the purchase alone ends the search.
  expect(await pay(ana, (await hold(ana, [1, 2])).id)).toMatchObject({ state: 'CONFIRMED' })
  expect(await called(8)).toBe(1)
  expect(await called(8)).toBe(0)
  await expectInvariants(db, event.id)
})

test.concurrent('a fan who leaves makes room for one other, once, before and after the turn is taken', async () => {
  const { begin, called, leave } = await busyHall()
  await begin([0, 1, 2])
  await leave(0)
  expect(await called(10)).toBe(1)
  expect(await called(10)).toBe(0)
  await leave(3)
  expect(await called(10)).toBe(1)
  expect(await called(10)).toBe(0)
  await leave(3)
  expect(await called(10)).toBe(0)
})

test.concurrent('an admission that runs out makes room for one fan, once', async () => {
  const { event, begin, called, enter, look } = await busyHall()
  await begin([0, 1, 2])
  await db.sql('update sales set admission_seconds = 4 where event_id = $1', [event.id])
  await app.sales.refresh(event.id)
  await enter(3)
  expect(await called(10)).toBe(0)
  await until(async () => (await look(3)) === 'LAPSED', 'the admission to run out')
  expect(await called(10)).toBe(1)
  expect(await called(10)).toBe(0)
})

test.concurrent('a turn that lapses makes room for one fan, once', async () => {
  const { event, begin, called, look } = await busyHall({ turnSeconds: 6 })
  await begin([0, 1, 2])
  // A turn's time runs while the line is open: the pacer ticks meanwhile, as it does each second.
  let others = 0
  await until(async () => {
    others += (await app.pacer.tick(event.id))?.called ?? 0
    return others > 0 && (await look(3)) === 'LAPSED'
  }, 'the turn to lapse and another to be called')
  expect(others).toBe(1)
  expect(await called(10)).toBe(0)
})

test.concurrent('when everything is held no fan is called; a swept hold makes room for as many as its seats, less its owner, who looks again', async () => {
  const { event, begin, called, hold, leave } = await busyHall({ ticketLimit: 10 })
  const [ana] = await begin()
  const held = await hold(ana, event.seatNos)
  for (const i of [1, 2, 3]) await leave(i)
  expect(await called(0)).toBe(0)
  await runOut(db, held)
  // As the sweeper does it repeatedly.
  await until(async () => (await app.holds.sweep(event.id)) === 1, 'the hold to be swept')
  expect((await app.holds.find(ana.account, held.id))?.state).toBe('EXPIRED')
  expect(await called(10)).toBe(3)
  expect(await called(10)).toBe(0)
  expect(await app.holds.sweep(event.id)).toBe(0)
  expect(await called(10)).toBe(0)
  await expectInvariants(db, event.id)
})

test.concurrent('a hold that runs out during its payment gives no seat back: it counts as the purchase alone', async () => {
  const { event, begin, called, hold } = await busyHall({ holdSeconds: 5 })
  const [ana] = await begin()
  const { id, expiresAt } = await hold(ana, [1, 2])
  expect(await called(8)).toBe(1)
  await until(async () => (await app.clock.now()) > expiresAt, 'the hold to run out')
  // No other fan took the seats meanwhile, and no sweeper ran. The owner of the hold looks for seats again, and so does the
  // fan called in her place.
  expect(await called(8)).toBe(0)
  expect(await pay(ana, id)).toMatchObject({ state: 'CONFIRMED' })
  expect(await app.holds.sweep(event.id)).toBe(0)
  expect(await called(8)).toBe(0)
  await expectInvariants(db, event.id)
})
