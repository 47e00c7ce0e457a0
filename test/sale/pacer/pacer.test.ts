import pino from 'pino'
import { expect, test } from 'vitest'
import { createHolds, type HoldView } from '../../../src/sale/holds/holds.ts'
import { countSearches } from '../../../src/sql/ops/history.ts'
import { countCrowd } from '../../../src/sql/room/admissions.ts'
import { advanceRoom } from '../../../src/sql/room/advance.ts'
import { createBarrier } from '../../support/barrier.ts'
import { runOut, testCheckout, testOrigins } from '../../support/checkout.ts'
import { insertEvent } from '../../support/event.ts'
import { ask, isHold } from '../../support/holds.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, nextTick, passClosed, passSecond, testRoom } from '../../support/room.ts'
import { twoServers } from '../../support/twoServers.ts'

const { db, redis, first, second } = await twoServers()

const unmeasured = { checkoutP99Ms: null, poolWaitMs: null, providerRefusedShare: null }

/** What a tick writes about rate and chances where the rate is not cut and no time has passed. */
const uncut = {
  rateCeiling: 5,
  cutTo: null,
  rateReason: '',
  rateChangedAt: null,
  troubledRate: null,
  cutAt: null,
  chances: 0,
  chanceMarks: [],
}

/** 400 seats are 160 orders. */
const hall = { waitingRoom: true, sections: [{ seats: 400 }], rate: 5 }

const fans = (n: number) => Array.from({ length: n }, () => fan())

async function roomRow(eventId: string) {
  const [row] = await db.sql(
    'select admitted_up_to, tick::int, ticked_at, worked, inside from rooms where event_id = $1',
    [eventId],
  )
  return row as {
    admitted_up_to: number
    tick: number
    ticked_at: Date | null
    worked: number
    inside: number
  }
}

/** The pacer uses the map's counts, which change a moment after the seats. */
const untilCounted = (eventId: string, counts: { available: number; held?: number }) =>
  expect
    .poll(async () => (await first.sales.refresh(eventId))?.counts, { timeout: 5_000 })
    .toMatchObject(counts)

const calls = (eventId: string) =>
  db.sql('select tick::int, admitted_up_to from calls where event_id = $1 order by tick', [eventId])

test('a tick calls as many places as the rate allows, and records the call', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(12))
  expect(await first.pacer.tick(event.id)).toEqual({ called: 5, admittedUpTo: 5 })
  expect(await nextTick(second, event.id)).toEqual({ called: 5, admittedUpTo: 10 })
  expect(await nextTick(first, event.id)).toEqual({ called: 2, admittedUpTo: 12 })
  expect(await nextTick(first, event.id)).toEqual({ called: 0, admittedUpTo: 12 })
  expect(await calls(event.id)).toEqual([
    { tick: 1, admitted_up_to: 5 },
    { tick: 2, admitted_up_to: 10 },
    { tick: 3, admitted_up_to: 12 },
  ])
})

test('a tick within 0.9 s of the last one changes nothing', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(100))
  await first.pacer.tick(event.id)
  // Less than 0.9 s ago, however slow this machine is.
  await db.sql("update rooms set ticked_at = now() + interval '1 minute' where event_id = $1", [event.id])
  const before = await roomRow(event.id)
  expect(await second.pacer.tick(event.id)).toBeNull()
  expect(await first.pacer.tick(event.id)).toBeNull()
  expect(await roomRow(event.id)).toEqual(before)
})

test('of pacers that tick at the same time one calls', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(200))
  // Each pacer has read the same last tick before any of them writes.
  const allHaveRead = createBarrier(4)
  const load = { recent: () => allHaveRead().then(() => unmeasured) }
  const rooms = [
    await testRoom({ db, redisUrl: redis.url, load }),
    await testRoom({ db: db.another(), redisUrl: redis.url, load }),
  ]
  try {
    for (let round = 1; round <= 20; round++) {
      await passSecond(first, event.id)
      const pacers = [...rooms, ...rooms]
      const ticks = await Promise.all(pacers.map(({ pacer }) => pacer.tick(event.id)))
      expect(ticks.filter((tick) => tick !== null)).toEqual([{ called: 5, admittedUpTo: 5 * round }])
    }
    expect(await calls(event.id)).toHaveLength(20)
  } finally {
    for (const room of rooms) room.close()
  }
})

test('a pacer that slept between its reads and its write changes nothing', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(100))
  await first.pacer.tick(event.id)
  const seen = (await roomRow(event.id)).tick
  await nextTick(second, event.id)
  await passSecond(first, event.id)
  const before = await roomRow(event.id)
  const asleep = { eventId: event.id, seen, admittedUpTo: 50, called: 45, working: true }
  expect(
    await advanceRoom(db, { ...asleep, inside: 7, seatsPerPlace: 1, unpaidShare: 1, ...uncut }),
  ).toBeNull()
  expect(await roomRow(event.id)).toEqual(before)
  expect(await calls(event.id)).toHaveLength(2)
})

test('idle time allows no burst later', async () => {
  const event = await insertEvent(db, hall)
  expect(await first.pacer.tick(event.id)).toEqual({ called: 0, admittedUpTo: 0 })
  await fillLine(first, event.id, fans(100))
  await db.sql("update rooms set ticked_at = now() - interval '1 hour' where event_id = $1", [event.id])
  expect(await first.pacer.tick(event.id)).toEqual({ called: 5, admittedUpTo: 5 })
  // A gap counts at most ten seconds for the measured rate, too.
  expect((await roomRow(event.id)).worked).toBe(10)
})

test('a rate of half a place a second calls one place every other second', async () => {
  const event = await insertEvent(db, { ...hall, rate: 0.5 })
  await fillLine(first, event.id, fans(10))
  const called: number[] = []
  for (let i = 0; i < 6; i++) called.push((await nextTick(first, event.id))?.called as number)
  expect(called).toEqual([0, 1, 0, 1, 0, 1])
})

test('while every seat is held, places are called half a minute before holds run out, unless an order is paying', async () => {
  const event = await insertEvent(db, {
    waitingRoom: true,
    sections: [{ seats: 30 }],
    rate: 100,
    ticketLimit: 10,
  })
  await db.sql('update sales set waiting_room = false where event_id = $1', [event.id])
  const sale = testCheckout(db)
  const seats = (from: number) => Array.from({ length: 10 }, (_, i) => from + i)
  const accounts = [fan().account, fan().account, fan().account] as const
  const [late, paying] = [
    await sale.hold(accounts[0], event, seats(1)),
    await sale.hold(accounts[1], event, seats(11)),
    await sale.hold(accounts[2], event, seats(21)),
  ]
  await db.sql('update sales set waiting_room = true where event_id = $1', [event.id])
  await fillLine(first, event.id, fans(50))
  await untilCounted(event.id, { available: 0 })
  expect((await nextTick(first, event.id))?.called).toBe(0)

  const end = (hold: HoldView) => runOut(db, hold, -25)
  await end(paying)
  await db.sql(
    `insert into orders (event_id, id, hold_id, account_id, idempotency_key, input_hash, amount, currency, state, payment, provider)
     values ($1, 'ord_x', $2, $3, 'k', 'h', 1, 'EUR', 'PAYING', 'NONE', 'sandbox')`,
    [event.id, paying.id, accounts[1].id],
  )
  expect((await nextTick(first, event.id))?.called).toBe(0)
  // Half of such holds end unpaid, until it is measured: five seats, two orders.
  await end(late)
  expect((await nextTick(first, event.id))?.called).toBe(2)
  // The two count as under way.
  expect((await nextTick(first, event.id))?.called).toBe(0)
})

test('calling stops when every seat is held, and continues as holds end', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 10 }], rate: 100 })
  const holds = createHolds({ ...first, origins: testOrigins })
  await db.sql('update sales set waiting_room = false where event_id = $1', [event.id])
  const held = await Promise.all([1, 3, 5, 7, 9].map((no) => ask(holds, fan().account, event, [no, no + 1])))
  await db.sql('update sales set waiting_room = true where event_id = $1', [event.id])
  await fillLine(first, event.id, fans(50))
  const calledNow = async (available: number) => {
    await untilCounted(event.id, { available })
    return (await nextTick(first, event.id))?.called
  }
  expect(held.every(isHold)).toBe(true)
  expect(await calledNow(0)).toBe(0)
  const [one] = held
  if (one && isHold(one)) {
    const { rows } = await db.pool.query('select account_id from holds where id = $1', [one.id])
    await holds.release({ ...fan(rows[0].account_id).account }, one.id)
  }
  // Two seats are one order; after the first call the called fan counts as searching for it.
  expect(await calledNow(2)).toBe(1)
  expect(await calledNow(2)).toBe(0)
})

test('called fans who do not come in are no longer expected after 30 s', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 2_500 }], rate: 1_000 })
  await fillLine(first, event.id, fans(3_000))
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  await db.sql("update calls set at = at - interval '31 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
  // None of the last three hundred came in, so the thousand under way count for little.
  expect((await nextTick(first, event.id))?.called).toBeGreaterThan(900)
})

test('fans who were called before the line was closed are still expected after it', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 2_500 }], rate: 1_000 })
  await fillLine(first, event.id, fans(3_000))
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
  await passClosed(first, event.id, 60)
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  // Ten seconds of the gap counted already.
  await db.sql("update calls set at = at - interval '21 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
})

test('an admitted fan counts until the admission ends, however it ends', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 25 }], rate: 100 })
  const line = fans(40)
  const tokens = await fillLine(first, event.id, line)
  const enter = (i: number) => first.waitingRoom.position(tokens[i] as string, line[i] as (typeof line)[0])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 10 })
  for (let i = 0; i < 10; i++) expect((await enter(i)).state).toBe('ADMITTED')
  await db.sql("update calls set at = at - interval '31 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect((await roomRow(event.id)).inside).toBe(10)
  // One fan leaves, the admission of one expires, and one has bought.
  await first.waitingRoom.leave(tokens[0] as string, line[0] as (typeof line)[0])
  await db.sql(
    "update admissions set expires_at = now() - interval '1 second' where event_id = $1 and arrival = 2",
    [event.id],
  )
  await db.sql('update admissions set ended_at = now() where event_id = $1 and arrival = 3', [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 3 })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect((await roomRow(event.id)).inside).toBe(7)
})

test('abandoned places are skipped, and do not count as under way', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 5 }], rate: 100 })
  const line = fans(10)
  const tokens = await fillLine(first, event.id, line)
  for (const i of [0, 2]) await first.waitingRoom.leave(tokens[i] as string, line[i] as (typeof line)[0])
  expect(await nextTick(second, event.id)).toEqual({ called: 2, admittedUpTo: 4 })
  await expect
    .poll(() => first.waitingRoom.room(event.id), { timeout: 10_000 })
    .toMatchObject({ admittedUpTo: 4, waiting: 6 })
  // A called fan leaves without having come in: the next fan is called instead.
  await first.waitingRoom.leave(tokens[1] as string, line[1] as (typeof line)[0])
  expect(await nextTick(second, event.id)).toEqual({ called: 1, admittedUpTo: 5 })
})

test('a new rate, a pause and a resume are in force at the next tick, whichever servers set them and tick', async () => {
  const event = await insertEvent(db, { ...hall, sections: [{ seats: 2_000 }] })
  await fillLine(first, event.id, fans(500))
  await nextTick(first, event.id)
  expect(await second.waitingRoom.setAdmission(event.id, { rate: 20 })).toMatchObject({ paused: false })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 20 })
  expect(await second.waitingRoom.setAdmission(event.id, { paused: true })).toMatchObject({ paused: true })
  const { worked } = await roomRow(event.id)
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect((await roomRow(event.id)).worked).toBe(worked)
  expect(await first.waitingRoom.setAdmission(event.id, { paused: false })).toMatchObject({ paused: false })
  expect(await nextTick(second, event.id)).toMatchObject({ called: 20 })
  expect(await first.waitingRoom.setAdmission('evt_nothere', { rate: 1 })).toBeNull()
})

test('a pause between a pacer’s reads and its write is in force', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(100))
  await first.waitingRoom.setAdmission(event.id, { paused: true })
  const saw = { eventId: event.id, seen: 0, admittedUpTo: 5, called: 5, working: true }
  expect(await advanceRoom(db, { ...saw, inside: 0, seatsPerPlace: 1, unpaidShare: 1, ...uncut })).toBeNull()
  expect(await roomRow(event.id)).toMatchObject({ admitted_up_to: 0 })
})

test('no place is called before the opening, in a paused sale, after the end, or where the room is off', async () => {
  for (const options of [
    { opensInSeconds: 60, preQueueOpensInSeconds: -60 },
    { paused: true },
    { endsInSeconds: -1 },
  ]) {
    const event = await insertEvent(db, { ...hall, ...options })
    await fillLine(first, event.id, fans(10))
    await first.pacer.tick(event.id)
    expect(await roomRow(event.id)).toMatchObject({ admitted_up_to: 0 })
  }
  const off = await insertEvent(db, hall)
  await fillLine(first, off.id, fans(10))
  await db.sql('update sales set waiting_room = false where event_id = $1', [off.id])
  expect(await first.pacer.tick(off.id)).toBeNull()
  expect(await first.pacer.tick('evt_nothere')).toBeNull()
})

test('while the room’s Redis is away no place is called; once it is back calling continues', async () => {
  const roomRedis = await testRedis()
  const room = await testRoom({ db, redisUrl: redis.url, roomRedisUrl: roomRedis.url })
  try {
    const event = await insertEvent(db, hall)
    await fillLine(room, event.id, fans(100))
    expect(await nextTick(room, event.id)).toMatchObject({ called: 5 })
    await roomRedis.kill()
    await expect(nextTick(room, event.id)).rejects.toThrow()
    expect(await roomRow(event.id)).toMatchObject({ admitted_up_to: 5 })
    await roomRedis.restart('lost')
    await expect
      .poll(() => nextTick(room, event.id).catch(() => null), { timeout: 10_000 })
      .toMatchObject({ called: 5 })
  } finally {
    room.close()
  }
})

/** A room with the load that the test sets. */
async function strainedRoom(strain: { checkoutP99Ms: number | null }) {
  return testRoom({
    db: db.another(),
    redisUrl: redis.url,
    load: { recent: async () => ({ ...unmeasured, ...strain }) },
  })
}

test('trouble halves the rate, every server shows the reason, and any pacer continues from there', async () => {
  const strain = { checkoutP99Ms: 4_210 as number | null }
  const leader = await strainedRoom(strain)
  const next = await strainedRoom(strain)
  try {
    const event = await insertEvent(db, { ...hall, sections: [{ seats: 2_000 }], rate: 20 })
    await fillLine(leader, event.id, fans(500))
    await first.rooms.room(event.id)
    expect(await nextTick(leader, event.id)).toMatchObject({ called: 10 })
    const halved = { rate: 10, rateCeiling: 20, rateReason: 'checkout p99 4.2 s over 3 s' }
    await expect.poll(() => first.rooms.known(event.id), { timeout: 10_000 }).toMatchObject(halved)
    // Another pacer, a moment later: the cut is in force, and too recent to be repeated.
    expect(await nextTick(next, event.id)).toMatchObject({ called: 10 })
    expect(await next.rooms.refresh(event.id)).toMatchObject(halved)
    await db.sql(
      `update rooms set rate_changed_at = rate_changed_at - interval '20 s', cut_at = cut_at - interval '20 s'
       where event_id = $1`,
      [event.id],
    )
    expect(await nextTick(next, event.id)).toMatchObject({ called: 5 })
    // While Redis is away nothing is measured: the rate is neither cut nor raised.
    strain.checkoutP99Ms = null
    await db.sql("update rooms set rate_changed_at = now() - interval '1 minute' where event_id = $1", [
      event.id,
    ])
    expect(await nextTick(leader, event.id)).toMatchObject({ called: 5 })
    strain.checkoutP99Ms = 900
    await nextTick(leader, event.id)
    expect(await leader.rooms.refresh(event.id)).toMatchObject({
      rate: 5.25,
      rateReason: 'after checkout p99 4.2 s over 3 s',
    })
    await leader.waitingRoom.setAdmission(event.id, { rate: 2 })
    expect(await nextTick(next, event.id)).toMatchObject({ called: 2 })
  } finally {
    leader.close()
    next.close()
  }
})

test('at the lowest rate lasting trouble changes nothing, and logs nothing', async () => {
  const changes: unknown[] = []
  const write = (line: string) => {
    const entry = JSON.parse(line)
    if (entry.msg === 'the rate of admission changed') changes.push(entry.rate)
  }
  const load = { recent: async () => ({ checkoutP99Ms: null, poolWaitMs: 80, providerRefusedShare: null }) }
  const room = await testRoom({ db, redisUrl: redis.url, load, log: pino({ level: 'warn' }, { write }) })
  try {
    const event = await insertEvent(db, hall)
    await fillLine(room, event.id, fans(5))
    for (let i = 0; i < 6; i++) {
      await nextTick(room, event.id)
      await db.sql(
        `update rooms set rate_changed_at = rate_changed_at - interval '1 minute', cut_at = cut_at - interval '1 minute'
         where event_id = $1`,
        [event.id],
      )
    }
    expect(changes).toEqual([2.5, 1.25, 0.625, 0.3125])
  } finally {
    room.close()
  }
})

test('a rate that has just reached its ceiling stays where it is when ops raise the ceiling, and then rises further', async () => {
  const event = await insertEvent(db, hall)
  await first.pacer.tick(event.id)
  await db.sql(
    `update rooms set rate = 4.9, rate_reason = 'after trouble', rate_changed_at = '2027-01-01' where event_id = $1`,
    [event.id],
  )
  const saw = { eventId: event.id, seen: 1, admittedUpTo: 0, called: 0, working: true }
  const measured = { inside: 0, seatsPerPlace: 1, unpaidShare: 1 }
  await first.waitingRoom.setAdmission(event.id, { rate: 40 })
  await passSecond(first, event.id)
  expect(await advanceRoom(db, { ...saw, ...measured, ...uncut })).toMatchObject({
    rate: 4.9,
    rateCeiling: 40,
    rateReason: 'after trouble',
  })
  await passSecond(first, event.id)
  const risen = { ...uncut, rateCeiling: 40, cutTo: null }
  expect(await advanceRoom(db, { ...saw, seen: 2, ...measured, ...risen })).toMatchObject({
    rate: 40,
    rateReason: '',
  })
})

test('fans who missed many chances count for little, and others are called to the remaining seats', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 25 }], rate: 100 })
  const line = fans(60)
  const tokens = await fillLine(first, event.id, line)
  expect(await nextTick(first, event.id)).toMatchObject({ called: 10 })
  for (let i = 0; i < 10; i++)
    await first.waitingRoom.position(tokens[i] as string, line[i] as (typeof line)[0])
  await db.sql("update calls set at = at - interval '31 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  // Five minutes pass, in which each of the ten could have taken seats.
  await db.sql("update admissions set admitted_at = admitted_at - interval '5 minutes' where event_id = $1", [
    event.id,
  ])
  await db.sql(
    `update rooms set chances = 300, chance_marks = array(
       select now() - make_interval(secs => 300 - 15 * n) from generate_series(1, 20) n) where event_id = $1`,
    [event.id],
  )
  expect((await nextTick(first, event.id))?.called).toBeGreaterThan(8)
  expect((await roomRow(event.id)).inside).toBe(10)
})

test('after a fan releases a hold a new search begins', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 25 }] })
  const { rows } = await db.pool.query('select now() as now')
  const ago = (seconds: number) => new Date(rows[0].now.getTime() - seconds * 1_000)
  const admit = (account: string, seconds: number) =>
    db.sql(
      `insert into admissions (event_id, account_id, arrival, place, device, admitted_at, expires_at)
       values ($1, $2, $3, $3, '\\x00', $4, now() + interval '5 minutes')`,
      [event.id, account, seconds, ago(seconds)],
    )
  const holdOf = (account: string, from: number, until: number) =>
    db.sql(
      `insert into holds (event_id, id, account_id, idempotency_key, input_hash, amount, currency, created_at,
         expires_at, ended_at, outcome, quantity)
       values ($1, $2, $2, $2, '', 0, 'EUR', $3, $4, $4, 'RELEASED', 1)`,
      [event.id, account, ago(from), ago(until)],
    )
  await admit('looks on', 100)
  await admit('gave back', 101)
  await admit('new', 5)
  await holdOf('gave back', 80, 35)
  const marks = [90, 60, 30, 10].map(ago)
  const crowd = { eventId: event.id, calledBefore: 0, window: 300, abandoned: [], marks, limitedAccounts: [] }
  expect(await countCrowd(db, crowd)).toMatchObject({ inside: 3, searchers: [1, 0, 1, 0, 1] })
  const limited = { ...crowd, limitedAccounts: ['new', 'another'] }
  expect(await countCrowd(db, limited)).toMatchObject({ inside: 3, searchers: [0, 0, 1, 0, 1] })
  // One fan searched past the mark of 90 s and took seats before that of 60. One has searched since before all marks.
  expect(await countSearches(db, event.id, marks, null)).toEqual({
    searched: [3, 2, 1, 1, 1],
    took: [0, 1, 0, 0, 0],
  })
  expect(await countSearches(db, event.id, marks, ago(90))).toMatchObject({ searched: [1, 0, 0, 0, 0] })
  expect(await countSearches(db, event.id, [], null)).toEqual({ searched: [3], took: [1] })
})

test('a paused sale calls no place, and continues where it stopped', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(100))
  expect(await nextTick(first, event.id)).toMatchObject({ called: 5 })
  const pause = async (paused: boolean) => {
    await db.sql('update sales set paused = $2 where event_id = $1', [event.id, paused])
    await first.sales.refresh(event.id)
  }
  await pause(true)
  const { worked } = await roomRow(event.id)
  expect(await nextTick(first, event.id)).toEqual({ called: 0, admittedUpTo: 5 })
  expect(await roomRow(event.id)).toMatchObject({ worked })
  await pause(false)
  expect(await nextTick(first, event.id)).toEqual({ called: 5, admittedUpTo: 10 })
})

test('no place is called while every seat is held or sold; when seats become free calling continues', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 10 }], rate: 100 })
  await fillLine(first, event.id, fans(50))
  const setSeats = async (
    set: string,
    sale: { state: string; counts: { available: number; held: number } },
  ) => {
    await db.sql(`update seats set ${set}, revision = revision + 1 where event_id = $1`, [event.id])
    await first.seatMap.rebuild(event.id)
    await expect.poll(() => first.sales.refresh(event.id), { timeout: 5_000 }).toMatchObject(sale)
  }
  const held = "status = 1, hold_id = 'hold', held_until = now() + interval '1 hour'"
  const sold = "status = 2, hold_id = null, held_until = null, order_id = 'order'"
  const free = 'status = 0, hold_id = null, held_until = null, order_id = null'
  await setSeats(held, { state: 'ON_SALE', counts: { available: 0, held: 10 } })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  await setSeats(sold, { state: 'SOLD_OUT', counts: { available: 0, held: 0 } })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  await setSeats(free, { state: 'ON_SALE', counts: { available: 10, held: 0 } })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 4 })
})
