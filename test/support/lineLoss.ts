import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect } from 'vitest'
import type { App } from '../../src/app.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import type { Database } from '../../src/sql/database/database.ts'
import { insertEvent, type TestEvent } from './event.ts'
import { expectInvariants } from './invariants.ts'
import { isTemporary, persist, type TestLine, testLine } from './line.ts'
import type { TestRedis } from './redis.ts'
import { fan, nextTick, type TestFan } from './room.ts'

export interface Loss {
  /** Stops a store of the room, or makes it hang. */
  lose(): unknown
  /** Null where the store stays there, and only loses data. */
  restore: (() => Promise<unknown>) | null
  /** Copies the store's data. By the time of the loss the copy is older than the store. */
  copy?(): void
  /** True where booking's database is lost with it, so that no fan can buy meanwhile. */
  takesBooking?: boolean
}

/** Returns the ways to lose a Redis, each with its name. */
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

/** Longer than the 2 s after which a command that hangs fails. */
export const REDIS_AWAY_MS = 2_500

export interface LineLossOptions {
  readonly apps: readonly [App, App]
  readonly loss: Loss
  /** The shortest time for which the store is away. */
  readonly awayMs: number
}

/** A request without a reply after this time counts as not served. */
const REPLY_WITHIN_MS = 500
/** Far longer than a tick takes to reach every process. */
const ADMITTED_WITHIN_MS = 10_000
/** Long enough to lose the store before the opening. */
const TO_OPENING_MS = 1_000
const NOTHING = 'no reply yet, or a temporary outage'

/**
 * Loses a store of the room with three events: one before its draw, one whose draw is due meanwhile, and one in the middle of
 * its sale. A crowd joins each. While the store is away no fan is admitted, and admitted fans buy. Afterwards every place,
 * index, draw, admission and turn is the same as before.
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
  await callUpTo(apps, event, 2)
  const at = testLine(await insertEvent(db, later, roomDb))
  const lines = [before, at, middle]
  await joinAll(second, [at], early)
  loss.copy?.()
  await joinAll(second, [before, middle], early.slice(10))
  const called = await callUpTo(apps, event, 4)
  await Promise.all(apps.flatMap((app) => early.map((who) => middle.look(app, who))))

  // Two of the called fans are admitted, and one of them buys. Two more want to be admitted while the store is away.
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
    const expectNoFanServed = async (app: App) => {
      await Promise.all([
        ...lines.flatMap((line) => [
          expectNothing(line.join(app, fan())),
          expectNothing(line.join(app, next)),
        ]),
        ...[cid, dot].map((who) => expectNothing(middle.ask(app, who))),
      ])
      for (const line of lines) await expectNoPlaceCalled(nextTick(app, line.event.id))
    }
    await Promise.all(apps.map(expectNoFanServed))
    for (const app of apps)
      expect(await middle.ask(app, next)).toMatchObject({ state: 'WAITING', position: 1 })
    if (loss.takesBooking) await expectNothing(buy(second, event, bobInside, 2))
    else {
      const admission = { token: bobInside.admissionToken }
      expect(await middle.ask(first, bob)).toMatchObject({ state: 'ADMITTED', admission })
      expect(await buy(second, event, bobInside, 2)).toBe('CONFIRMED')
    }
    // The opening time of the event with the draw passes.
    const now = performance.now()
    await sleep(Math.max(0, opensAt + 100 - now, lostAt + awayMs - now))
    for (const app of apps) await expectNoPlaceCalled(nextTick(app, at.event.id))
    await loss.restore()
  }
  await crowd

  // Both processes still return every fan's place, and new fans get later ones.
  for (const line of lines) {
    const last = Math.max(...Array.from(line.answers.values(), ({ arrival }) => arrival))
    // The places of fans who have bought are over: they would get new ones.
    const waiting = [...line.answers.values()].filter(
      ({ who }) => line !== middle || (who !== ana && who !== bob),
    )
    await Promise.all(waiting.flatMap(({ who }) => apps.map((app) => line.persist(app, who))))
    expect((await line.persist(second, fan())).arrival).toBeGreaterThan(last)
  }
  if (!loss.restore || loss.takesBooking) {
    expect(await persist(() => buy(second, event, bobInside, 2))).toBe('CONFIRMED')
  }
  await callUpTo([second, first], at.event, 1)
  const after = await Promise.all(lines.map((line) => line.room(roomDb)))
  for (const [i, { seed, commitment, size, admittedUpTo }] of facts.entries()) {
    expect(after[i]).toMatchObject({ seed, commitment, ...(size !== null && { size }) })
    expect(after[i]?.admittedUpTo).toBeGreaterThanOrEqual(admittedUpTo)
  }
  expect(after[0]).toMatchObject({ size: null, admittedUpTo: 0 })

  // The draw contains every fan who had an index before the opening, and no fan who joins now.
  const { size } = after[1] as { size: number }
  expect(size).toBeGreaterThanOrEqual(20)
  const drawn = await Promise.all(
    Array.from(at.answers.values(), async ({ who, arrival }) => {
      const [place, elsewhere] = await Promise.all(apps.map((app) => placeAfterDraw(app, at, who)))
      expect(elsewhere).toBe(place)
      if (arrival > size) expect(place).toBe(arrival)
      else expect(place).toBeLessThanOrEqual(size)
      return place
    }),
  )
  expect(new Set(drawn).size).toBe(at.answers.size)
  expect((await at.persist(first, fan())).arrival).toBeGreaterThan(size)

  // The sale continues: admissions are unchanged, the waiting turns are taken, and the next places are called.
  const since = await admissionsOf(db, event)
  for (const row of admissions) {
    const bought = row.account_id === bob.account.id && row.ended_at === null
    // A hold extends an admission, and the purchase ends it.
    const extended = { expires_at: expect.any(Date), ended_at: expect.any(Date) }
    expect(since).toContainEqual(bought ? { ...row, ...extended } : row)
  }
  for (const who of [cid, dot])
    expect(await persist(() => middle.ask(second, who))).toMatchObject({ state: 'ADMITTED' })
  const upTo = await callUpTo(apps, event, called + 1)
  for (const who of byPlace.slice(called)) {
    const { state } = await persist(() => middle.ask(first, who))
    expect(state).toBe(placeOf(middle, who) <= upTo ? 'ADMITTED' : 'WAITING')
  }
  const admitted = (await admissionsOf(db, event)).map(({ place }) => place)
  expect(Math.max(...admitted)).toBeLessThanOrEqual(upTo)
  await expectInvariants(db, event.id)
}

const fans = (n: number) => Array.from({ length: n }, () => fan())

function joinAll(app: App, lines: TestLine[], joining: readonly TestFan[]): Promise<unknown> {
  return Promise.all(joining.flatMap((who) => lines.map((line) => line.persist(app, who))))
}

/** Opens the sale after `ms`. The draw contains every fan who has joined by then. */
async function openIn(apps: readonly App[], { id }: Pick<TestEvent, 'id'>, ms: number): Promise<void> {
  const [{ db, roomDb }] = apps as [App]
  const { rows } = await roomDb.pool.query(
    `update rooms set opens_at = now() + make_interval(secs => $2) where event_id = $1 returning opens_at`,
    [id, ms / 1_000],
  )
  await db.pool.query('update sales set opens_at = $2 where event_id = $1', [id, rows[0].opens_at])
  await Promise.all(apps.map(({ sales }) => sales.refresh(id)))
}

/**
 * Makes the first of `apps` tick until this many places are called. Returns the number of called places, once all `apps` have
 * it. On a busy machine the controller cuts the rate.
 */
async function callUpTo(
  apps: readonly App[],
  { id }: Pick<TestEvent, 'id'>,
  places: number,
): Promise<number> {
  for (;;) {
    const tick = await nextTick(apps[0] as App, id).catch(() => null)
    if (tick && tick.admittedUpTo >= places) {
      await Promise.all(apps.map((app) => untilCalled(app, id, tick.admittedUpTo)))
      return tick.admittedUpTo
    }
    await sleep(20)
  }
}

/** A process receives a tick of another one a moment later. */
async function untilCalled({ waitingRoom }: App, eventId: string, places: number): Promise<void> {
  while (((await persist(() => waitingRoom.room(eventId)))?.admittedUpTo ?? 0) < places) await sleep(20)
}

/** Admits a called fan, once this process has the tick that called the place. Returns the fan with the admission token. */
export async function letIn(app: App, line: TestLine, who: TestFan): Promise<TestFan> {
  for (const endsAt = performance.now() + ADMITTED_WITHIN_MS; performance.now() < endsAt; await sleep(20)) {
    const { admission } = await line.ask(app, who)
    if (admission) return { ...who, admissionToken: admission.token }
  }
  throw new Error('the fan was not admitted')
}

/** Returns the fan's place once this process has made the draw. */
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

/** Expects no reply yet, or a temporary outage. */
export async function expectNothing(work: Promise<unknown>): Promise<void> {
  const late = sleep(REPLY_WITHIN_MS, NOTHING)
  const reply = await Promise.race([work, late]).catch((error) => (isTemporary(error) ? NOTHING : error))
  expect(reply).toBe(NOTHING)
}

async function expectNoPlaceCalled(tick: Promise<{ called: number } | null>): Promise<void> {
  const called = tick.then(
    (ticked) => ticked?.called ?? 0,
    () => 0,
  )
  expect(await Promise.race([called, sleep(REPLY_WITHIN_MS, 0)])).toBe(0)
}

function placeOf(line: TestLine, { account }: TestFan): number {
  return line.answers.get(account.id)?.place as number
}
