import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { createHolds } from '../../../src/sale/holds/holds.ts'
import { countCrowd } from '../../../src/sql/admissions.ts'
import { countSearches } from '../../../src/sql/history.ts'
import { advanceRoom } from '../../../src/sql/rooms.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { ask, isHold } from '../../support/holds.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, nextTick, passClosed, passSecond, testRoom } from '../../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const first = await testRoom({ db, redisUrl: redis.url })
const second = await testRoom({ db: db.another(), redisUrl: redis.url })
afterAll(() => {
  first.close()
  second.close()
})

/** What a tick writes of rate and chances where nothing is cut and no time has passed. */
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

/** 400 seats: 160 orders. */
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

/** The map's counts, which the pacer goes by, follow a moment later. */
const untilCounted = (eventId: string, counts: { available: number; held?: number }) =>
  expect
    .poll(async () => (await first.sales.refresh(eventId))?.counts, { timeout: 5_000 })
    .toMatchObject(counts)

const calls = (eventId: string) =>
  db.sql('select tick::int, admitted_up_to from calls where event_id = $1 order by tick', [eventId])

test('a tick calls as many as the rate allows, and logs it', async () => {
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
  const before = await roomRow(event.id)
  expect(await second.pacer.tick(event.id)).toBeNull()
  expect(await first.pacer.tick(event.id)).toBeNull()
  expect(await roomRow(event.id)).toEqual(before)
})

test('of pacers that tick together one calls in each second', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(200))
  const pacers = [first, second, first, second]
  for (let round = 1; round <= 20; round++) {
    await passSecond(first, event.id)
    const ticks = await Promise.all(pacers.map(({ pacer }) => pacer.tick(event.id)))
    expect(ticks.filter((tick) => tick !== null)).toEqual([{ called: 5, admittedUpTo: 5 * round }])
  }
  expect(await calls(event.id)).toHaveLength(20)
})

test('a leader that slept between what it saw and what it writes changes nothing', async () => {
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

test('idle time banks no burst', async () => {
  const event = await insertEvent(db, hall)
  expect(await first.pacer.tick(event.id)).toEqual({ called: 0, admittedUpTo: 0 })
  await fillLine(first, event.id, fans(100))
  await db.sql("update rooms set ticked_at = now() - interval '1 hour' where event_id = $1", [event.id])
  expect(await first.pacer.tick(event.id)).toEqual({ called: 5, admittedUpTo: 5 })
  // Nor does a gap count for more than ten seconds of the measured rate.
  expect((await roomRow(event.id)).worked).toBe(10)
})

test('half a place a second calls one every other second', async () => {
  const event = await insertEvent(db, { ...hall, rate: 0.5 })
  await fillLine(first, event.id, fans(10))
  const called: number[] = []
  for (let i = 0; i < 6; i++) called.push((await nextTick(first, event.id))?.called as number)
  expect(called).toEqual([0, 1, 0, 1, 0, 1])
})

test('calling stops when everything is held, and goes on as holds end', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 10 }], rate: 100 })
  const { catalogue, seatMap, sales, hub, publish } = first
  const holds = createHolds({ db, catalogue, seatMap, sales, hub, publish })
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
  // Two seats are one order; then he who was called is searching for it.
  expect(await calledNow(2)).toBe(1)
  expect(await calledNow(2)).toBe(0)
})

test('of a thousand called none comes: after 30 s they are given up on', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 2_500 }], rate: 1_000 })
  await fillLine(first, event.id, fans(3_000))
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  await db.sql("update calls set at = at - interval '31 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
  // Of the last three hundred nobody came, so a thousand under way count for little.
  expect((await nextTick(first, event.id))?.called).toBeGreaterThan(900)
})

test('who was called before the line was closed is still expected after it', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 2_500 }], rate: 1_000 })
  await fillLine(first, event.id, fans(3_000))
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
  await passClosed(first, event.id, 60)
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  // Ten of those seconds counted.
  await db.sql("update calls set at = at - interval '21 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 1_000 })
})

test('who is inside counts until the admission ends, however it ends', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 25 }], rate: 100 })
  const line = fans(40)
  const tokens = await fillLine(first, event.id, line)
  const enter = (i: number) => first.waitingRoom.position(tokens[i] as string, line[i] as (typeof line)[0])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 10 })
  for (let i = 0; i < 10; i++) expect((await enter(i)).state).toBe('ADMITTED')
  await db.sql("update calls set at = at - interval '31 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect((await roomRow(event.id)).inside).toBe(10)
  // One leaves, one lapses, one has bought.
  await first.waitingRoom.leave(tokens[0] as string, line[0] as (typeof line)[0])
  await db.sql('update admissions set expires_at = now() where event_id = $1 and arrival = 2', [event.id])
  await db.sql('update admissions set ended_at = now() where event_id = $1 and arrival = 3', [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 3 })
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect((await roomRow(event.id)).inside).toBe(7)
})

test('places given up are passed over, and are nobody under way', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 5 }], rate: 100 })
  const line = fans(10)
  const tokens = await fillLine(first, event.id, line)
  for (const i of [0, 2]) await first.waitingRoom.leave(tokens[i] as string, line[i] as (typeof line)[0])
  expect(await nextTick(second, event.id)).toEqual({ called: 2, admittedUpTo: 4 })
  await expect
    .poll(() => first.waitingRoom.room(event.id), { timeout: 2_000 })
    .toMatchObject({ admittedUpTo: 4, waiting: 6 })
  // One of those who were called leaves without having come: somebody else is called instead.
  await first.waitingRoom.leave(tokens[1] as string, line[1] as (typeof line)[0])
  expect(await nextTick(second, event.id)).toEqual({ called: 1, admittedUpTo: 5 })
})

test('rate, pause and resume are in force at the next tick, whoever is told and whoever ticks', async () => {
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

test('a pause that comes between what a pacer saw and what it writes holds', async () => {
  const event = await insertEvent(db, hall)
  await fillLine(first, event.id, fans(100))
  await first.waitingRoom.setAdmission(event.id, { paused: true })
  const saw = { eventId: event.id, seen: 0, admittedUpTo: 5, called: 5, working: true }
  expect(await advanceRoom(db, { ...saw, inside: 0, seatsPerPlace: 1, unpaidShare: 1, ...uncut })).toBeNull()
  expect(await roomRow(event.id)).toMatchObject({ admitted_up_to: 0 })
})

test('nobody is called before the opening, in a paused sale, after the end, or where the room is off', async () => {
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

test('while the queue’s Redis is away nobody is called; once it is back calling goes on', async () => {
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

/** A room whose load is what the test says. */
async function strainedRoom(strain: { checkoutP99Ms: number | null }) {
  const unmeasured = { poolWaitMs: null, providerRefusedShare: null }
  return testRoom({
    db: db.another(),
    redisUrl: redis.url,
    load: { recent: async () => ({ ...unmeasured, ...strain }) },
  })
}

test('trouble halves the rate, every server hears why, and any leader goes on from there', async () => {
  const strain = { checkoutP99Ms: 4_210 as number | null }
  const leader = await strainedRoom(strain)
  const next = await strainedRoom(strain)
  try {
    const event = await insertEvent(db, { ...hall, sections: [{ seats: 2_000 }], rate: 20 })
    await fillLine(leader, event.id, fans(500))
    await first.rooms.room(event.id)
    expect(await nextTick(leader, event.id)).toMatchObject({ called: 10 })
    const told = { rate: 10, rateCeiling: 20, rateReason: 'checkout p99 4.2 s over 3 s' }
    await expect.poll(() => first.rooms.known(event.id), { timeout: 2_000 }).toMatchObject(told)
    // Another leader, a moment later: the cut is in force, and too young to be repeated.
    expect(await nextTick(next, event.id)).toMatchObject({ called: 10 })
    expect(await next.rooms.refresh(event.id)).toMatchObject(told)
    await db.sql(
      `update rooms set rate_changed_at = rate_changed_at - interval '20 s', cut_at = cut_at - interval '20 s'
       where event_id = $1`,
      [event.id],
    )
    expect(await nextTick(next, event.id)).toMatchObject({ called: 5 })
    // Redis away, nothing measured: neither trouble nor clear.
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

test('at the lowest rate trouble that lasts is no change, and is not logged as one', async () => {
  const changes: unknown[] = []
  const write = (line: string) => {
    const said = JSON.parse(line)
    if (said.msg === 'the rate of admission changed') changes.push(said.rate)
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

test('a rate that is back at its ceiling when ops raise that stays where it is, and goes on rising', async () => {
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

test('who has let many chances pass counts for little: others are called to the seats that are left', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 25 }], rate: 100 })
  const line = fans(60)
  const tokens = await fillLine(first, event.id, line)
  expect(await nextTick(first, event.id)).toMatchObject({ called: 10 })
  for (let i = 0; i < 10; i++)
    await first.waitingRoom.position(tokens[i] as string, line[i] as (typeof line)[0])
  await db.sql("update calls set at = at - interval '31 seconds' where event_id = $1", [event.id])
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  // Five minutes go by in which every one of the ten could have taken seats.
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

test('a search whose hold was given back begins anew', async () => {
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
         expires_at, ended_at, outcome)
       values ($1, $2, $2, $2, '', 0, 'EUR', $3, $4, $4, 'RELEASED')`,
      [event.id, account, ago(from), ago(until)],
    )
  await admit('looks on', 100)
  await admit('gave back', 101)
  await admit('new', 5)
  await holdOf('gave back', 80, 35)
  const marks = [90, 60, 30, 10].map(ago)
  const crowd = { eventId: event.id, calledBefore: 0, window: 300, abandoned: [], marks }
  expect(await countCrowd(db, crowd)).toMatchObject({ inside: 3, searchers: [1, 0, 1, 0, 1] })
  // One searched past the mark of 90 s and took something before that of 60; one searches since before all of them.
  expect(await countSearches(db, event.id, marks, null)).toEqual({
    searched: [3, 2, 1, 1, 1],
    took: [0, 1, 0, 0, 0],
  })
  expect(await countSearches(db, event.id, marks, ago(90))).toMatchObject({ searched: [1, 0, 0, 0, 0] })
  expect(await countSearches(db, event.id, [], null)).toEqual({ searched: [3], took: [1] })
})

test('a sale that is paused calls nobody, and goes on where it stood', async () => {
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

test('held to the last seat, and sold out, nobody is called; when seats come back calling goes on', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 10 }], rate: 100 })
  await fillLine(first, event.id, fans(50))
  const seats = async (set: string, counts: { available: number; held: number }) => {
    await db.sql(`update seats set ${set}, revision = revision + 1 where event_id = $1`, [event.id])
    await first.seatMap.rebuild(event.id)
    await untilCounted(event.id, counts)
    return (await first.sales.refresh(event.id))?.state
  }
  const held = "status = 1, hold_id = 'hold', held_until = now() + interval '1 hour'"
  const sold = "status = 2, hold_id = null, held_until = null, order_id = 'order'"
  const free = 'status = 0, hold_id = null, held_until = null, order_id = null'
  expect(await seats(held, { available: 0, held: 10 })).toBe('ON_SALE')
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect(await seats(sold, { available: 0, held: 0 })).toBe('SOLD_OUT')
  expect(await nextTick(first, event.id)).toMatchObject({ called: 0 })
  expect(await seats(free, { available: 10, held: 0 })).toBe('ON_SALE')
  expect(await nextTick(first, event.id)).toMatchObject({ called: 4 })
})
