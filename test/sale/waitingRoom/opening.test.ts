import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import { drawPlaces } from '../../../src/sale/draw/draw.ts'
import type { Fault } from '../../../src/sale/faults.ts'
import { deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { freezeLine, giveBeacon } from '../../../src/sql/room/rooms.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { seededRandom } from '../../support/random.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, nextTick, placed, type TestFan, type TestRoom, testRoom } from '../../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const processes = [
  await testRoom({ db, redisUrl: redis.url }),
  await testRoom({ db: db.another(), redisUrl: redis.url }),
  await testRoom({ db: db.another(), redisUrl: redis.url }),
]
const [first, second, third] = processes as [TestRoom, TestRoom, TestRoom]
afterAll(() => {
  for (const process of processes) process.close()
})

const organizer: Account = { id: 'olga', email: null, emailVerified: false, roles: new Set(['organizer']) }
const { events } = first

/** A line that fans may join; it opens within the test, or by `openNow`. */
const opening = (seconds: number) => ({
  waitingRoom: true,
  preQueueOpensInSeconds: -60,
  opensInSeconds: seconds,
  sections: [{ seats: 400 }],
})

const fans = (n: number) => Array.from({ length: n }, () => fan())

async function openNow(eventId: string) {
  await db.sql("update sales set opens_at = now() - interval '1 ms' where event_id = $1", [eventId])
  await db.sql("update rooms set opens_at = now() - interval '1 ms' where event_id = $1", [eventId])
  await Promise.all(processes.map(({ sales }) => sales.refresh(eventId)))
}

async function roomRow(eventId: string) {
  const [row] = await db.sql(
    `select size, beacon, encode(seed, 'hex') as seed, admitted_up_to, opens_at from rooms where event_id = $1`,
    [eventId],
  )
  return row as { size: number | null; beacon: string; seed: string; admitted_up_to: number; opens_at: Date }
}

async function drawOf(eventId: string): Promise<number[]> {
  const { size, beacon, seed } = await roomRow(eventId)
  return [...drawPlaces({ eventId, seed, size: size as number, beacon })]
}

/** The position, as soon as this process has places. */
async function drawn(process: TestRoom, queueToken: string, who: TestFan) {
  for (;;) {
    const position = await process.waitingRoom.position(queueToken, who)
    if (position.state !== 'PRE_QUEUE') return position
    await sleep(20)
  }
}

test('when many servers freeze the line at once, one of them does', async () => {
  const event = await insertEvent(db, opening(60))
  await fillLine(first, event.id, fans(10))
  expect(await freezeLine(db, event.id)).toBe(false)
  await openNow(event.id)
  const froze = await Promise.all(
    Array.from({ length: 30 }, (_, i) => freezeLine((processes[i % 3] as TestRoom).roomDb, event.id)),
  )
  expect(froze.filter(Boolean)).toHaveLength(1)
  await fillLineAfter(event.id, 11)
  expect(await freezeLine(db, event.id)).toBe(false)
  expect((await roomRow(event.id)).size).toBe(10)
})

async function fillLineAfter(eventId: string, arrival: number) {
  await db.sql(
    `insert into places (event_id, arrival, account, device) values ($1, $2, decode(lpad(to_hex($2::int), 24, '0'), 'hex'), decode('0102030405060708', 'hex'))`,
    [eventId, arrival],
  )
}

test.each([0, 1, 2, 300])(
  'of %i fans who joined before the opening, each gets the drawn place on every server',
  async (n) => {
    const event = await insertEvent(db, opening(60))
    const line = fans(n)
    const tokens = await fillLine(first, event.id, line)
    for (const [i, who] of line.slice(0, 3).entries())
      expect(await second.waitingRoom.position(tokens[i] as string, who)).toMatchObject({
        state: 'PRE_QUEUE',
        place: null,
        arrival: i + 1,
      })
    expect(await first.waitingRoom.room(event.id)).toMatchObject({ draw: { seed: null, size: null } })
    await openNow(event.id)
    const late = fan()
    const { queueToken } = placed(await third.waitingRoom.join(late, { eventId: event.id }))
    for (const process of processes) {
      const places = await Promise.all(
        line.map(async (who, i) => (await drawn(process, tokens[i] as string, who)).place),
      )
      expect(places).toEqual(await drawOf(event.id))
      expect([...places].sort((a, b) => (a as number) - (b as number))).toEqual(line.map((_, i) => i + 1))
      expect(await drawn(process, queueToken, late)).toMatchObject({ arrival: n + 1, place: n + 1 })
    }
    const { seed } = await roomRow(event.id)
    expect(await second.waitingRoom.room(event.id)).toMatchObject({ draw: { seed, size: n, beacon: '' } })
  },
)

test('a server that starts after the draw has the same places before its first answer', async () => {
  const event = await insertEvent(db, opening(60))
  const line = fans(40)
  const tokens = await fillLine(first, event.id, line)
  await openNow(event.id)
  const before = await Promise.all(
    line.map(async (who, i) => (await drawn(first, tokens[i] as string, who)).place),
  )
  const restarted = await testRoom({ db: db.another(), redisUrl: redis.url })
  try {
    const again = await Promise.all(
      line.map(async (who, i) => (await restarted.waitingRoom.position(tokens[i] as string, who)).place),
    )
    expect(again).toEqual(before)
  } finally {
    restarted.close()
  }
})

test('while such a server draws many places, no poll gets an answer without the place', async () => {
  const event = await insertEvent(db, opening(60))
  const [who] = fans(1) as [TestFan]
  const [token] = (await fillLine(first, event.id, [who])) as [string]
  await db.sql(
    `insert into places (event_id, arrival, account, device)
     select $1, no, decode(lpad(to_hex(no), 24, '0'), 'hex'), $2 from generate_series(2, 300000) no`,
    [event.id, deviceDigest('another')],
  )
  await openNow(event.id)
  const { place } = await drawn(first, token, who)
  const restarted = await testRoom({ db: db.another(), redisUrl: redis.url })
  try {
    const asking = []
    for (let asked = 0; asked < 60; asked++) {
      asking.push(restarted.waitingRoom.position(token, who))
      await sleep(5)
    }
    for (const answer of await Promise.all(asking)) expect(answer.place).toBe(place)
  } finally {
    restarted.close()
  }
})

test('the pacer calls in the order of the draw, and skips fans who left before it', async () => {
  const event = await insertEvent(db, { ...opening(60), rate: 10 })
  const line = fans(30)
  const tokens = await fillLine(first, event.id, line)
  expect(await first.pacer.tick(event.id)).toBeNull()
  const leaver = 4
  await second.waitingRoom.leave(tokens[leaver] as string, line[leaver] as TestFan)
  await openNow(event.id)
  await expect.poll(() => nextTick(first, event.id), { timeout: 5_000 }).toMatchObject({ called: 10 })
  const places = await drawOf(event.id)
  const upTo = (await roomRow(event.id)).admitted_up_to
  expect(upTo).toBe((places[leaver] as number) <= 10 ? 11 : 10)
  // Whether or not this server got the message: the calls decide.
  await second.rooms.refresh(event.id)
  for (const [i, who] of line.entries()) {
    const { state } = await drawn(second, tokens[i] as string, who)
    if (i === leaver) expect(state).toBe('FINISHED')
    else expect(state).toBe((places[i] as number) <= upTo ? 'ADMITTED' : 'WAITING')
  }
})

test('a fan who left before the draw gets the same arrival again before it, and the end of the line after it', async () => {
  const event = await insertEvent(db, opening(60))
  const [ana, bob, cid] = [fan(), fan(), fan()]
  const join = async (process: TestRoom, who: TestFan) =>
    placed(await process.waitingRoom.join(who, { eventId: event.id }))
  const first3 = [await join(first, ana), await join(second, bob), await join(third, cid)]
  for (const [i, who] of [ana, bob].entries())
    expect(await first.waitingRoom.leave(first3[i]?.queueToken as string, who)).toMatchObject({
      state: 'FINISHED',
    })
  expect(await join(second, ana)).toMatchObject({ state: 'PRE_QUEUE', arrival: 1 })
  await openNow(event.id)
  const places = [1, 2, 3].map((arrival) =>
    drawn(first, first3[arrival - 1]?.queueToken as string, [ana, bob, cid][arrival - 1] as TestFan),
  )
  const [anas, bobs] = await Promise.all(places)
  expect(anas?.place).toBe((await drawOf(event.id))[0])
  expect(bobs).toMatchObject({ state: 'FINISHED' })
  expect(await join(third, ana)).toMatchObject({ arrival: 1 })
  const again = await join(first, bob)
  expect(await drawn(first, again.queueToken, bob)).toMatchObject({ arrival: 4, place: 4 })
  expect((await roomRow(event.id)).size).toBe(3)
})

test('joins that race the opening lose no place and double none, and each fan who waits for the draw is in it', async () => {
  const random = seededRandom()
  // Long enough before that a busy machine is ready for it. The first fans do not wait, so that some are early on any machine.
  const event = await insertEvent(db, opening(4))
  const opensAt = (await first.sales.find(event.id))?.opensAt.getTime() as number
  const joined = await Promise.all(
    fans(400).map(async (who, i) => {
      const on = processes[Math.floor(random() * 3)] as TestRoom
      if (i >= 20) await sleep(Math.max(0, opensAt - 3_000 + random() * 4_000 - Date.now()))
      for (;;) {
        try {
          const answer = placed(await on.waitingRoom.join(who, { eventId: event.id }))
          const [answered] = await db.sql('select clock_timestamp() < $1 as early', [new Date(opensAt)])
          return { who, ...answer, isEarly: answered?.early as boolean }
        } catch (error) {
          // Too busy: clients try again.
          if ((error as Fault).code !== 'OVERLOADED') throw error
          await sleep(50)
        }
      }
    }),
  )
  const places = await drawOf(event.id)
  const size = places.length
  expect(joined.map(({ arrival }) => arrival).sort((a, b) => a - b)).toEqual(joined.map((_, i) => i + 1))
  expect(size).toBeGreaterThan(0)
  expect(size).toBeLessThan(400)
  for (const { who, arrival, place, queueToken, isEarly } of joined) {
    const due = places[arrival - 1] ?? arrival
    if (place !== null) expect(place).toBe(due)
    for (const on of processes) expect((await drawn(on, queueToken, who)).place).toBe(due)
    if (isEarly) expect(arrival).toBeLessThanOrEqual(size)
  }
})

test('no index of the draw is given again, whatever Redis and the journal have lost', async () => {
  const event = await insertEvent(db, opening(60))
  await fillLine(first, event.id, fans(20))
  await openNow(event.id)
  await freezeLine(db, event.id)
  await db.sql('delete from places where event_id = $1 and arrival > 15', [event.id])
  await redis.restart('lost')
  await expect
    .poll(
      async () =>
        placed(
          await first.waitingRoom.join(fan('late'), { eventId: event.id }).catch(() => ({ queueToken: '' })),
        ).arrival,
      { timeout: 10_000 },
    )
    .toBe(21)
})

describe('the opening and its changes', () => {
  test('an opening that is moved up reaches every server at once', async () => {
    const event = await insertEvent(db, opening(3_600))
    const ana = fan()
    const { queueToken } = placed(await second.waitingRoom.join(ana, { eventId: event.id }))
    const updates = await third.waitingRoom.positionUpdates(queueToken, ana)
    expect((await updates.next()).value).toMatchObject({ state: 'PRE_QUEUE' })
    await events.updateSale(organizer, { eventId: event.id, opensAt: new Date() })
    expect((await updates.next()).value).toMatchObject({ state: 'WAITING', place: 1 })
    await updates.return?.()
    expect(await drawn(second, queueToken, ana)).toMatchObject({ place: 1 })
  })

  test('an opening that is put off delays the draw, also on servers that did not get the message', async () => {
    const event = await insertEvent(db, opening(4))
    const firstOpening = Date.now() + 4_000
    const ana = fan()
    const { queueToken } = placed(await second.waitingRoom.join(ana, { eventId: event.id }))
    const opensAt = new Date(Date.now() + 3_600_000)
    await events.updateSale(organizer, { eventId: event.id, opensAt })
    await sleep(firstOpening + 200 - Date.now())
    await second.pacer.tick(event.id)
    expect(await second.waitingRoom.position(queueToken, ana)).toMatchObject({ state: 'PRE_QUEUE' })
    expect(await freezeLine(db, event.id)).toBe(false)
    expect(await roomRow(event.id)).toMatchObject({ size: null, opens_at: opensAt })
  })

  test('once the line is frozen neither time can change, and the rest of such a request changes nothing either', async () => {
    const event = await insertEvent(db, opening(60))
    await openNow(event.id)
    await freezeLine(db, event.id)
    const [saleBefore] = await db.sql('select * from sales where event_id = $1', [event.id])
    for (const change of [
      { opensAt: new Date(Date.now() + 60_000) },
      { preQueueOpensAt: new Date(Date.now() - 3_600_000) },
      { opensAt: new Date(Date.now() + 60_000), ticketLimit: 1 },
    ])
      await expect(events.updateSale(organizer, { eventId: event.id, ...change })).rejects.toMatchObject({
        code: 'BAD_USER_INPUT',
        extensions: { faults: [{ path: ['input'], message: expect.stringMatching(/frozen for the draw/) }] },
      })
    expect(await db.sql('select * from sales where event_id = $1', [event.id])).toEqual([saleBefore])
    await events.updateSale(organizer, { eventId: event.id, ticketLimit: 2 })
  })

  test('a change that races the freeze is refused, or the line is not frozen', async () => {
    const outcomes = { refused: 0, moved: 0 }
    for (let round = 0; round < 24; round++) {
      const event = await insertEvent(db, opening(60))
      const [opensAt, now] = [new Date(Date.now() + 3_600_000), new Date()]
      for (const table of ['sales', 'rooms'])
        await db.sql(`update ${table} set opens_at = $2 where event_id = $1`, [event.id, now])
      const [moved] = await Promise.all([
        (async () => {
          await sleep(2 * round)
          return events.updateSale(organizer, { eventId: event.id, opensAt }).then(
            () => true,
            () => false,
          )
        })(),
        // On a busy machine a tick fails that waits for the copy of the places. The next one finds it.
        ...processes.map(({ pacer }) => pacer.tick(event.id).catch(() => pacer.tick(event.id))),
      ])
      outcomes[moved ? 'moved' : 'refused']++
      const [sale] = await db.sql('select opens_at from sales where event_id = $1', [event.id])
      const room = await roomRow(event.id)
      expect(sale?.opens_at).toEqual(room.opens_at)
      expect(room.size === null).toBe(moved)
      if (moved) expect(room.opens_at).toEqual(opensAt)
    }
    process.stdout.write(`changes that raced the freeze: ${JSON.stringify(outcomes)}\n`)
  })

  test('where the two rows differ the line is frozen once both times have come, and a stale room row is corrected', async () => {
    const early = await insertEvent(db, opening(60))
    await db.sql("update rooms set opens_at = now() - interval '1 minute' where event_id = $1", [early.id])
    const ana = fan()
    const there = placed(await first.waitingRoom.join(ana, { eventId: early.id }))
    await first.pacer.tick(early.id)
    expect(await first.waitingRoom.position(there.queueToken, ana)).toMatchObject({ state: 'PRE_QUEUE' })
    expect((await roomRow(early.id)).size).toBeNull()

    const behind = await insertEvent(db, opening(60))
    const { queueToken } = placed(await first.waitingRoom.join(ana, { eventId: behind.id }))
    await db.sql("update sales set opens_at = now() - interval '1 ms' where event_id = $1", [behind.id])
    await second.sales.refresh(behind.id)
    expect(await drawn(second, queueToken, ana)).toMatchObject({ state: 'WAITING', place: 1 })
  })
})

describe('public randomness', () => {
  const withBeacon = { ...opening(60), beaconSource: 'drand quicknet, the first round after 10:01:00 UTC' }
  const reveal = (eventId: string, beacon: string) => events.revealBeacon(organizer, { eventId, beacon })
  const refusal = (message: RegExp) => ({
    code: 'BAD_USER_INPUT',
    extensions: { faults: [{ path: ['input', 'beacon'], message: expect.stringMatching(message) }] },
  })

  test('keeps the frozen line waiting, without seed, place or call, until it is given; then the draw is made with it', async () => {
    const event = await insertEvent(db, withBeacon)
    const line = fans(20)
    const tokens = await fillLine(first, event.id, line)
    const ana = { who: line[0] as TestFan, token: tokens[0] as string }
    await expect(reveal(event.id, 'abc')).rejects.toMatchObject(refusal(/not frozen yet/))
    await openNow(event.id)
    expect(await first.pacer.tick(event.id)).toBeNull()
    expect(await second.waitingRoom.position(ana.token, ana.who)).toMatchObject({
      state: 'PRE_QUEUE',
      place: null,
    })
    expect(await first.waitingRoom.room(event.id)).toMatchObject({
      draw: { seed: null, size: 20, beacon: '', beaconSource: withBeacon.beaconSource },
    })
    const late = fan()
    const lates = placed(await second.waitingRoom.join(late, { eventId: event.id }))
    expect(lates).toMatchObject({ state: 'PRE_QUEUE', arrival: 21 })
    await expect(
      db.sql('update rooms set admitted_up_to = 1 where event_id = $1', [event.id]),
    ).rejects.toThrow(/rooms_draw_check/)

    const updates = await third.waitingRoom.positionUpdates(ana.token, ana.who)
    expect((await updates.next()).value).toMatchObject({ state: 'PRE_QUEUE' })
    const value = '5f1c9b0e'
    expect((await reveal(event.id, value)).draw).toMatchObject({
      size: 20,
      beacon: value,
      seed: expect.any(String),
    })
    const places = await drawOf(event.id)
    expect((await updates.next()).value).toMatchObject({ state: 'WAITING', place: places[0] })
    await updates.return?.()
    expect(await drawn(second, lates.queueToken, late)).toMatchObject({ place: 21 })
    await expect.poll(() => nextTick(second, event.id), { timeout: 5_000 }).toMatchObject({ called: 21 })

    await expect(reveal(event.id, 'another')).rejects.toMatchObject(refusal(/another value was given/))
    expect((await reveal(event.id, value)).draw).toMatchObject({ beacon: value })
    expect(
      await db.sql(
        `select account_id, detail from audit_entries where event_id = $1 and action = 'revealBeacon'`,
        [event.id],
      ),
    ).toContainEqual({ account_id: 'olga', detail: { beacon: value } })
  })

  test('of two values that come at once one stands, and the sender of the other gets an error', async () => {
    const event = await insertEvent(db, withBeacon)
    await openNow(event.id)
    await freezeLine(db, event.id)
    const given = await Promise.allSettled(['one', 'two', 'three'].map((value) => reveal(event.id, value)))
    expect(given.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await giveBeacon(db, event.id, 'four')).toBe(false)
  })

  test('is refused where the sale named no source, and where the value is not valid', async () => {
    const event = await insertEvent(db, opening(60))
    await openNow(event.id)
    await freezeLine(db, event.id)
    await expect(reveal(event.id, 'abc')).rejects.toMatchObject(refusal(/named no source/))
    for (const beacon of ['', ' a', 'a\n', 'é', 'x'.repeat(257)])
      await expect(reveal(event.id, beacon)).rejects.toMatchObject(refusal(/printable ASCII/))
  })
})
