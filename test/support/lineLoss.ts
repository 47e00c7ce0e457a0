import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import type { App } from '../../src/app.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import type { Database } from '../../src/sql/database.ts'
import { insertEvent, type TestEvent } from './event.ts'
import { expectInvariants } from './invariants.ts'
import { isPassing, persist, type TestLine, testLine } from './line.ts'
import type { TestRedis } from './redis.ts'
import { fan, nextTick, type TestFan } from './room.ts'

export interface Loss {
  /** Ends or hangs a store of the room. */
  lose(): unknown
  /** Null where the store was never away, and has only lost something. */
  restore: (() => Promise<unknown>) | null
  /** Called at a moment whose copy of the store is an older one by the time of the loss. */
  copy?(): void
  /** Booking's database goes with it, so that nobody buys meanwhile. */
  takesBooking?: boolean
}

/** The ways in which a Redis is lost, by their names. */
export function redisLosses(redis: TestRedis): [name: string, loss: Loss][] {
  let older: ReturnType<typeof redis.copy>
  const copy = () => {
    older = redis.copy()
  }
  const flush = async () => {
    const admin = new Redis(redis.url)
    await admin.flushall()
    admin.disconnect()
  }
  const { kill, hang } = redis
  return [
    ['killed, and back with what it had', { lose: kill, restore: () => redis.restart('kept') }],
    ['killed, and back with nothing', { lose: kill, restore: () => redis.restart('lost') }],
    ['killed, and back with an older copy', { copy, lose: kill, restore: () => redis.restart(older) }],
    ['hanging for a while', { lose: hang, restore: async () => redis.resume() }],
    ['flushed', { lose: flush, restore: null }],
  ]
}

/** Past the 2 s after which a command that hangs is given up. */
export const REDIS_AWAY_MS = 2_500

export interface LineLossOptions {
  readonly apps: readonly [App, App]
  readonly loss: Loss
  /** How long the store is away at least. */
  readonly awayMs: number
}

/** Whoever has no answer by now has not got in. */
const PATIENCE_MS = 500
/** Time enough to lose the store before. */
const TO_OPENING_MS = 1_000
const NOTHING = 'no answer yet, or that it passes'

/**
 * Loses a store of the room with one event before its draw, one that comes to its draw meanwhile, and one in the
 * middle of its sale, a crowd joining each. Nobody gets in while it is away, those inside buy, and afterwards every
 * place, index, draw, admission and turn is what it was.
 */
export async function expectLinesSurvive({ apps, loss, awayMs }: LineLossOptions): Promise<void> {
  const [first, second] = apps
  const { db, roomDb } = first
  const later = { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600, rate: 2 }
  const before = testLine(await insertEvent(db, later, roomDb))
  const event = await insertEvent(db, { ...later, sections: [{ seats: 400 }] }, roomDb)
  const middle = testLine(event)
  const early = fans(20)
  await joinAll(first, [before, middle], early.slice(0, 10))
  await openIn(apps, event, 0)
  await callUpTo(first, event, 2)
  const at = testLine(await insertEvent(db, later, roomDb))
  const lines = [before, at, middle]
  await joinAll(second, [at], early)
  loss.copy?.()
  await joinAll(second, [before, middle], early.slice(10))
  const called = await callUpTo(first, event, 4)
  await Promise.all(apps.flatMap((app) => early.map((who) => middle.look(app, who))))

  // Of those whose turn it is two go in, and one of them buys; two more want to while the store is away.
  const byPlace = early.toSorted((a, b) => placeOf(middle, a) - placeOf(middle, b))
  const [ana, bob, cid, dot] = byPlace as [TestFan, TestFan, TestFan, TestFan]
  const next = byPlace[called] as TestFan
  const [anaInside, bobInside] = [await letIn(first, middle, ana), await letIn(second, middle, bob)]
  expect(await buy(first, event, anaInside, 1)).toBe('CONFIRMED')
  const facts = await Promise.all(lines.map((line) => line.room(roomDb)))
  const admissions = await admissionsOf(db, event)
  expect(facts).toMatchObject([{ size: null }, { size: null }, { size: 10, admittedUpTo: called }])

  await openIn(apps, at.event, TO_OPENING_MS)
  const opensAt = performance.now() + TO_OPENING_MS
  await loss.lose()
  const crowd = Promise.all(
    fans(30).map((who, i) => (lines[i % 3] as TestLine).persist(apps[i % 2] as App, who)),
  )
  crowd.catch(() => {})
  if (loss.restore) {
    const lostAt = performance.now()
    const nobodyGetsIn = async (app: App) => {
      await Promise.all([
        ...lines.flatMap((line) => [
          expectNothing(line.join(app, fan())),
          expectNothing(line.join(app, next)),
        ]),
        ...[cid, dot].map((who) => expectNothing(middle.ask(app, who))),
      ])
      for (const line of lines) await expectNobodyCalled(nextTick(app, line.event.id))
    }
    await Promise.all(apps.map(nobodyGetsIn))
    for (const app of apps)
      expect(await middle.ask(app, next)).toMatchObject({ state: 'WAITING', position: 1 })
    if (loss.takesBooking) await expectNothing(buy(second, event, bobInside, 2))
    else {
      const admission = { token: bobInside.admissionToken }
      expect(await middle.ask(first, bob)).toMatchObject({ state: 'ADMITTED', admission })
      expect(await buy(second, event, bobInside, 2)).toBe('CONFIRMED')
    }
    // The opening of the one at its draw goes by.
    const now = performance.now()
    await sleep(Math.max(0, opensAt + 100 - now, lostAt + awayMs - now))
    for (const app of apps) await expectNobodyCalled(nextTick(app, at.event.id))
    await loss.restore()
  }
  await crowd

  // Whoever was told a place has it still, from either process, and newcomers come after all of them.
  for (const line of lines) {
    const last = Math.max(...Array.from(line.told.values(), ({ arrival }) => arrival))
    // Those who have bought are over, and would get a new one.
    const waiting = [...line.told.values()].filter(
      ({ who }) => line !== middle || (who !== ana && who !== bob),
    )
    await Promise.all(waiting.flatMap(({ who }) => apps.map((app) => line.persist(app, who))))
    expect((await line.persist(second, fan())).arrival).toBeGreaterThan(last)
  }
  if (!loss.restore || loss.takesBooking) {
    expect(await persist(() => buy(second, event, bobInside, 2))).toBe('CONFIRMED')
  }
  await callUpTo(second, at.event, 1)
  const after = await Promise.all(lines.map((line) => line.room(roomDb)))
  for (const [i, { seed, commitment, size, admittedUpTo }] of facts.entries()) {
    expect(after[i]).toMatchObject({ seed, commitment, ...(size !== null && { size }) })
    expect(after[i]?.admittedUpTo).toBeGreaterThanOrEqual(admittedUpTo)
  }
  expect(after[0]).toMatchObject({ size: null, admittedUpTo: 0 })

  // The draw: those who were told of an index before the opening are in it, whoever joins now is not.
  const { size } = after[1] as { size: number }
  expect(size).toBeGreaterThanOrEqual(20)
  const drawn = await Promise.all(
    Array.from(at.told.values(), async ({ who, arrival }) => {
      const [place, elsewhere] = await Promise.all(apps.map((app) => placeAfterDraw(app, at, who)))
      expect(elsewhere).toBe(place)
      if (arrival > size) expect(place).toBe(arrival)
      else expect(place).toBeLessThanOrEqual(size)
      return place
    }),
  )
  expect(new Set(drawn).size).toBe(at.told.size)
  expect((await at.persist(first, fan())).arrival).toBeGreaterThan(size)

  // The sale goes on: admissions stand, the turns that waited are taken, and the next in line are called.
  const since = await admissionsOf(db, event)
  for (const row of admissions) {
    const bought = row.account_id === bob.account.id && row.ended_at === null
    // A hold stretches an admission, and the purchase ends it.
    const stretched = { expires_at: expect.any(Date), ended_at: expect.any(Date) }
    expect(since).toContainEqual(bought ? { ...row, ...stretched } : row)
  }
  for (const who of [cid, dot])
    expect(await persist(() => middle.ask(second, who))).toMatchObject({ state: 'ADMITTED' })
  const upTo = await callUpTo(first, event, called + 1)
  for (const who of byPlace.slice(called)) {
    const { state } = await persist(() => middle.ask(first, who))
    expect(state).toBe(placeOf(middle, who) <= upTo ? 'ADMITTED' : 'WAITING')
  }
  const places = (await admissionsOf(db, event)).map(({ place }) => place)
  expect(Math.max(...places)).toBeLessThanOrEqual(upTo)
  await expectInvariants(db, event.id)
}

const fans = (n: number) => Array.from({ length: n }, () => fan())

function joinAll(app: App, lines: TestLine[], them: readonly TestFan[]): Promise<unknown> {
  return Promise.all(them.flatMap((who) => lines.map((line) => line.persist(app, who))))
}

/** The sale opens in a moment, with everybody who has joined until then in the draw. */
async function openIn(apps: readonly App[], { id }: Pick<TestEvent, 'id'>, ms: number): Promise<void> {
  const [{ db, roomDb }] = apps as [App]
  const { rows } = await roomDb.pool.query(
    `update rooms set opens_at = now() + make_interval(secs => $2) where event_id = $1 returning opens_at`,
    [id, ms / 1_000],
  )
  await db.pool.query('update sales set opens_at = $2 where event_id = $1', [id, rows[0].opens_at])
  await Promise.all(apps.map(({ sales }) => sales.refresh(id)))
}

/** Ticks until so many are called; how many it were. Where the machine is busy, the controller cuts the rate. */
async function callUpTo(app: App, { id }: Pick<TestEvent, 'id'>, places: number): Promise<number> {
  for (;;) {
    const tick = await nextTick(app, id).catch(() => null)
    if (tick && tick.admittedUpTo >= places) return tick.admittedUpTo
    await sleep(20)
  }
}

/** Somebody whose turn has come goes in: with the key to the sale from now on. */
export async function letIn(app: App, line: TestLine, who: TestFan): Promise<TestFan> {
  const { admission } = await line.ask(app, who)
  if (!admission) throw new Error('was not let in')
  return { ...who, admissionToken: admission.token }
}

/** Each process makes the draw for itself, in a moment. */
async function placeAfterDraw(app: App, line: TestLine, who: TestFan): Promise<number> {
  for (;;) {
    const { place } = await persist(() => line.look(app, who))
    if (place !== null) return place
    await sleep(50)
  }
}

export async function buy(app: App, event: TestEvent, who: TestFan, seatNo: number): Promise<string> {
  const hold = (await app.holds.hold(who, {
    eventId: event.id,
    seats: [event.seatId(seatNo)],
    idempotencyKey: `hold ${seatNo}`,
  })) as HoldView
  const order = await app.checkout.checkout(who.account, {
    holdId: hold.id,
    paymentMethod: 'pm_card_visa',
    idempotencyKey: `order ${seatNo}`,
  })
  return 'state' in order ? order.state : order.constructor.name
}

async function admissionsOf({ pool }: Database, { id }: TestEvent) {
  const { rows } = await pool.query<{ account_id: string; place: number; ended_at: Date | null }>(
    `select account_id, arrival, place, device, admitted_at, expires_at, ended_at
     from admissions where event_id = $1`,
    [id],
  )
  return rows
}

/** No answer yet, or that it passes. */
export async function expectNothing(work: Promise<unknown>): Promise<void> {
  const late = sleep(PATIENCE_MS, NOTHING)
  const answer = await Promise.race([work, late]).catch((error) => (isPassing(error) ? NOTHING : error))
  expect(answer).toBe(NOTHING)
}

async function expectNobodyCalled(tick: Promise<{ called: number } | null>): Promise<void> {
  const called = tick.then(
    (told) => told?.called ?? 0,
    () => 0,
  )
  expect(await Promise.race([called, sleep(PATIENCE_MS, 0)])).toBe(0)
}

function placeOf(line: TestLine, { account }: TestFan): number {
  return line.told.get(account.id)?.place as number
}
