import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { channels } from '../../../src/redis/keys.ts'
import { createPulse } from '../../../src/sale/holds/databasePulse.ts'
import { SeatsTaken } from '../../../src/sale/refusals.ts'
import type { Database } from '../../../src/sql/database/database.ts'
import { renewPulse } from '../../../src/sql/database/pulse.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { until } from '../../support/jobs.ts'
import { seededRandom } from '../../support/random.ts'

const db = await testDatabase()
const sale = testCheckout(db)
const { publish, mapChanges, published } = sale
const seatMap = {
  publish: (eventId: string, changes: typeof mapChanges) =>
    mapChanges.push(...changes.map((change) => ({ ...change, eventId }))),
}
const pulse = createPulse({ db, seatMap: seatMap as never, publish, log: pino({ enabled: false }) })

/** As if no process had reached the database for so many seconds. */
const away = (seconds: number) =>
  db.sql(
    `insert into pulse (id, beat_at) values (1, now() - make_interval(secs => $1))
     on conflict (id) do update set beat_at = excluded.beat_at`,
    [seconds],
  )
const ends = (event: TestEvent) =>
  db.sql<{ id: string; left: number }>(
    `select id, extract(epoch from expires_at - now())::float8 as left from holds where event_id = $1 order by created_at`,
    [event.id],
  )
/** The seconds that the event's first hold has left. */
const leftOf = async (event: TestEvent) => (await ends(event))[0]?.left
/** The seconds that the event's first hold had left at the last pulse. */
async function leftAtPulse(event: TestEvent): Promise<number> {
  const [hold] = await db.sql<{ left: number }>(
    `select extract(epoch from h.expires_at - p.beat_at)::float8 as left
       from pulse p, holds h where h.event_id = $1 order by h.created_at`,
    [event.id],
  )
  return (hold as { left: number }).left
}
/** Renews the pulse, and returns what it extended in this event. */
const renewedIn = async (event: TestEvent) =>
  (await renewPulse(db, 5)).filter(({ eventId }) => eventId === event.id)
const tryToHold = (event: TestEvent, seatNo: number) =>
  sale.holds.hold(
    { account: testAccount(), deviceId: null, admissionToken: null },
    { eventId: event.id, seats: [event.seatId(seatNo)], idempotencyKey: sale.key() },
  )

/** Ana's hold of seats 1 and 2 has so many seconds left at the moment at which an outage of 40 s begins. */
async function outage(secondsLeft: number) {
  const event = await insertEvent(db)
  const ana = testAccount()
  const hold = await sale.hold(ana, event, [1, 2])
  await db.sql(`update holds set created_at = created_at - interval '5 minutes' where event_id = $1`, [
    event.id,
  ])
  await away(40)
  await runOut(db, hold, 40 - secondsLeft)
  return { event, ana, hold }
}

beforeEach(() => away(0))

test('after an outage of the database a hold has the time left that it had before, and no other fan gets its seats', async () => {
  const { event, ana, hold } = await outage(10)
  expect(await tryToHold(event, 1)).toBeInstanceOf(SeatsTaken)
  expect(await sale.holds.sweep(event.id)).toBe(0)
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'ACTIVE' })
  expect(await sale.holds.active(ana)).toHaveLength(1)

  mapChanges.length = published.length = 0
  const left = await leftAtPulse(event)
  expect(left).toBeGreaterThan(5)
  await pulse.renew()
  expect(await leftAtPulse(event)).toBe(left)
  const { expiresAt } = (await sale.holds.find(ana, hold.id)) as { expiresAt: Date }
  const seats = await db.sql(
    'select no, held_until, revision from seats where event_id = $1 and hold_id = $2',
    [event.id, hold.id],
  )
  expect(seats).toEqual([1, 2].map((no) => ({ no, held_until: expiresAt, revision: 2 })))
  // The pulse extends the holds of the other tests too.
  expect(mapChanges.filter(({ eventId }) => eventId === event.id)).toEqual(
    [1, 2].map((seatNo) => ({ eventId: event.id, seatNo, status: 1, revision: 2 })),
  )
  expect(published.filter((channel) => channel.includes(event.id))).toEqual([
    channels.hold(event.id, hold.id),
  ])
  expect(await tryToHold(event, 1)).toBeInstanceOf(SeatsTaken)
  expect(await sale.pay(ana, hold)).toMatchObject({ state: 'CONFIRMED' })
  await expectInvariants(db, event.id)
})

test('a hold that ran out before the outage is over, and the next fan gets its seats', async () => {
  const { event, ana, hold } = await outage(-1)
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'EXPIRED' })
  expect(await tryToHold(event, 1)).toMatchObject({ state: 'ACTIVE' })
  await pulse.renew()
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'EXPIRED' })
  expect(await tryToHold(event, 2)).toMatchObject({ state: 'ACTIVE' })
  await expectInvariants(db, event.id)
})

test('a hold that began during the outage gets the part that it lived through', async () => {
  const event = await insertEvent(db, { holdSeconds: 600 })
  await sale.hold(testAccount(), event, [1])
  await sale.hold(testAccount(), event, [2])
  await away(40)
  await db.sql(
    `update holds set created_at = now() - interval '1 minute', expires_at = now() + interval '1 minute'
    where event_id = $1 and id = (select hold_id from seats where event_id = $1 and no = 1)`,
    [event.id],
  )
  await db.sql(
    `update holds set created_at = now() - interval '15 seconds', expires_at = now() + interval '1 minute'
    where event_id = $1 and id = (select hold_id from seats where event_id = $1 and no = 2)`,
    [event.id],
  )
  await db.sql(
    `update seats s set held_until = h.expires_at from holds h where s.event_id = $1 and h.id = s.hold_id`,
    [event.id],
  )
  await renewPulse(db, 5)
  const [before, during] = (await ends(event)).map(({ left }) => left) as [number, number]
  expect(before).toBeGreaterThan(95)
  expect(before).toBeLessThanOrEqual(100.5)
  expect(during).toBeGreaterThan(70)
  expect(during).toBeLessThanOrEqual(75.5)
})

test('a gap of a few seconds is no outage', async () => {
  const { event, ana, hold } = await outage(60)
  await away(3)
  expect(await renewPulse(db, 5)).toEqual([])
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'ACTIVE' })
  const left = await leftOf(event)
  expect(left).toBeLessThanOrEqual(20)
})

test('of all processes that find the outage at the same time, one extends the holds, and once', async () => {
  const { event, hold } = await outage(10)
  const before = await leftAtPulse(event)
  const processes = Array.from({ length: 4 }, () => db.another())
  const found = (
    await Promise.all(Array.from({ length: 20 }, (_, i) => renewPulse(processes[i % 4] as Database, 5)))
  ).flat()
  expect(found.filter(({ eventId }) => eventId === event.id)).toMatchObject([{ holdIds: [hold.id] }])
  // As after a reply that was lost.
  expect(await renewPulse(db, 5)).toEqual([])
  expect(await leftAtPulse(event)).toBeLessThanOrEqual(before)
})

test('a process that dies while it extends the holds leaves them alive, and the next process extends them once', async () => {
  const { event, ana, hold } = await outage(10)
  const before = await leftAtPulse(event)
  const claim = await db.pool.connect()
  await claim.query('begin')
  await claim.query('select from holds where event_id = $1 and id = $2 for no key update', [
    event.id,
    hold.id,
  ])
  const dying = renewPulse(db.another(), 5).catch(() => 'died')
  const waiting = `select pid from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%renew_pulse%'`
  await until(async () => (await db.sql(waiting)).length === 1, 'the renewal to wait for the hold')
  // Another process neither waits for it nor extends anything.
  expect(await renewPulse(db, 5)).toEqual([])
  const [{ pid }] = (await db.sql(waiting)) as [{ pid: number }]
  await db.sql('select pg_terminate_backend($1)', [pid])
  expect(await dying).toBe('died')
  // The client learns of the end before the backend lets go of its locks.
  const backend = () => db.sql('select from pg_stat_activity where pid = $1', [pid])
  await until(async () => (await backend()).length === 0, 'the backend to end')
  await claim.query('rollback')
  claim.release()
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'ACTIVE', expiresAt: expect.any(Date) })
  expect(await tryToHold(event, 1)).toBeInstanceOf(SeatsTaken)
  expect(await renewedIn(event)).toMatchObject([{ holdIds: [hold.id] }])
  const left = await leftAtPulse(event)
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThanOrEqual(before)
})

test('an admission gets the time of the outage; one that had ended or run out gets none', async () => {
  const event = await insertEvent(db, { waitingRoom: true })
  await away(40)
  await db.sql(
    `insert into admissions (event_id, account_id, arrival, place, device, admitted_at, expires_at, ended_at)
     select $1, who, n, n, '\\x00', now() - interval '5 minutes', now() - make_interval(secs => ago), ended
     from (values ('inside', 1, 30, null), ('over', 2, 50, null), ('bought', 3, 30, now())) x (who, n, ago, ended)`,
    [event.id],
  )
  expect(await renewedIn(event)).toMatchObject([
    { eventId: event.id, holdIds: [], changes: [], admissions: 1 },
  ])
  const rows = await db.sql(
    `select account_id, round(extract(epoch from expires_at - now()))::int as left from admissions where event_id = $1 order by place`,
    [event.id],
  )
  expect(rows.map(({ left }) => left > 0)).toEqual([true, false, false])
  expect(rows[0]?.left).toBeLessThanOrEqual(10)
})

test('a clock that jumps back ends no hold, and later outages are measured again', async () => {
  const event = await insertEvent(db)
  const ana = testAccount()
  const hold = await sale.hold(ana, event, [1])
  await away(-3_600)
  expect(await renewPulse(db, 5)).toEqual([])
  expect(await db.sql(`select beat_at <= now() as "isBack" from pulse`)).toEqual([{ isBack: true }])
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'ACTIVE', expiresAt: hold.expiresAt })
  await runOut(db, hold, 1)
  await away(0)
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'EXPIRED' })
})

test('where no process has renewed the pulse, holds end by the database’s clock', async () => {
  await db.sql('delete from pulse')
  const event = await insertEvent(db)
  const ana = testAccount()
  const hold = await sale.hold(ana, event, [1])
  await runOut(db, hold, 0)
  expect(await sale.holds.find(ana, hold.id)).toMatchObject({ state: 'EXPIRED' })
  expect(await tryToHold(event, 1)).toMatchObject({ state: 'ACTIVE' })
  // The first renewal finds no gap.
  expect(await renewPulse(db, 5)).toEqual([])
  expect(await db.sql('select id from pulse')).toEqual([{ id: 1 }])
})

test('holds, checkouts, releases and sweeps go on while outages are found, and every seat is held and sold once', async () => {
  const random = seededRandom()
  const event = await insertEvent(db, { sections: [{ seats: 20 }] })
  const processes = [sale, testCheckout(db.another()), testCheckout(db.another())]
  let isOver = false
  const outages = (async () => {
    const other = db.another()
    while (!isOver) {
      await away(20)
      await renewPulse(other, 5)
    }
  })()
  const fan = async (own: typeof sale) => {
    for (let turn = 0; turn < 12; turn++) {
      const account = testAccount()
      const first = 1 + Math.floor(random() * 19)
      const seats = [first, first + 1].map(event.seatId)
      const held = await own.holds.hold(
        { account, deviceId: null, admissionToken: null },
        { eventId: event.id, seats, idempotencyKey: own.key() },
      )
      if (!('expiresAt' in held)) continue
      const dice = random()
      if (dice < 0.2) await own.pay(account, held)
      else if (dice < 0.6) await own.holds.release(account, held.id)
      else if (dice < 0.8) await runOut(db, held, 60)
      if (random() < 0.3) await own.holds.sweep(event.id)
    }
  }
  await Promise.all(Array.from({ length: 9 }, (_, i) => fan(processes[i % 3] as typeof sale)))
  isOver = true
  await outages
  await away(0)
  await expectInvariants(db, event.id)
})
