import fc from 'fast-check'
import { expect } from 'vitest'
import type { App } from '../../src/app.ts'
import type { Fault } from '../../src/sale/faults.ts'
import { PlaceOnOtherDevice, SaleOver } from '../../src/sale/refusals.ts'
import { accountDigest } from '../../src/sale/tokens/digests.ts'
import type { PositionView } from '../../src/sale/waitingRoom/waitingRoom.ts'
import type { TestDatabase } from './database.ts'
import { insertEvent } from './event.ts'
import { isTemporary, persist } from './line.ts'
import type { OlderCopy, TestRedis } from './redis.ts'
import { fan, nextTick, type TestFan } from './room.ts'

/** One step. `who`, `device` and `at` are the numbers of a fan, of a device of that fan, and of a process. */
export type Step =
  | { do: 'join'; who: number; device: number; at: number; moveHere: boolean }
  | { do: 'ask'; who: number; device: number; at: number }
  | { do: 'leave'; who: number; device: number; at: number }
  | { do: 'tick'; at: number }
  | { do: 'open' }
  | { do: 'buy'; who: number }
  /** Time passes: turns lapse, and admissions expire. */
  | { do: 'age' }
  /** A process ends and another one takes its place. */
  | { do: 'restart'; at: number }
  | { do: 'copyRedis' }
  | { do: 'loseRedis'; how: 'flushed' | 'kept' | 'lost' | 'older' }
  /** Every connection to the database breaks, as in a failover. */
  | { do: 'breakDatabase' }

const FANS = 12
const DEVICES = 2
/** So few that the remaining seats limit the pacer, and not its rate. */
const SEATS = 8
/** The pacer's assumption for the first hundred orders. */
const SEATS_PER_ORDER = 2.5
export const PROCESSES = 3

const who = fc.nat(FANS - 1)
const device = fc.nat(DEVICES - 1)
const phone = fc.constant(0)
const at = fc.nat(PROCESSES - 1)
const moveHere = fc.boolean()
const how = fc.constantFrom('flushed', 'kept', 'lost', 'older')

function step(weight: number, kind: Step['do'], parts: Record<string, fc.Arbitrary<unknown>> = {}) {
  const arbitrary = fc.record({ do: fc.constant(kind), ...parts }, { noNullPrototype: true })
  return { weight, arbitrary: arbitrary as fc.Arbitrary<unknown> as fc.Arbitrary<Step> }
}

const aStep = fc.oneof(
  step(30, 'join', { who, device: phone, at, moveHere }),
  step(6, 'join', { who, device, at, moveHere }),
  step(20, 'ask', { who, device: phone, at }),
  step(5, 'ask', { who, device, at }),
  step(5, 'leave', { who, device: phone, at }),
  step(12, 'tick', { at }),
  step(3, 'open'),
  step(3, 'buy', { who }),
  step(3, 'age'),
  step(2, 'restart', { at }),
  step(2, 'copyRedis'),
  step(2, 'loseRedis', { how }),
  step(1, 'breakDatabase'),
)

/** Rounds of steps. The steps of one round run at the same time. */
export const rounds: fc.Arbitrary<Step[][]> = fc.array(fc.array(aStep, { minLength: 1, maxLength: 12 }), {
  minLength: 5,
  maxLength: 16,
})

export interface World {
  readonly db: TestDatabase
  readonly redis: TestRedis
  readonly start: () => Promise<App>
  /** The running processes. */
  readonly apps: App[]
}

/** The processes' application name at the database. It tells their connections apart from the test's. */
export const APP = 'fairgate'

/** Places a second. */
const RATE = 2
const TURN_SECONDS = 60

interface Place {
  readonly arrival: number
  /** Null until the draw. */
  place: number | null
}

interface ModelFan {
  readonly name: string
  /** Every place that a process ever returned to the account, by arrival index. */
  readonly places: Map<number, Place>
  /** The last token of each device. */
  readonly tokens: Map<number, string>
  readonly devices: Set<number>
  /** Arrival indexes that the fan asked to give up. Where the reply was lost, the place may not be given up. */
  readonly left: Set<number>
}

/** The model of one event's line. It checks each answer against all earlier ones. */
export async function modelLine(world: World) {
  const { redis, apps } = world
  const db = withRetries(world.db)
  const event = await insertEvent(world.db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 3_600,
    rate: RATE,
    turnSeconds: TURN_SECONDS,
    admissionSeconds: 2 * TURN_SECONDS,
    sections: [{ seats: SEATS }],
  })
  const fans: ModelFan[] = Array.from({ length: FANS }, () => ({
    name: fan().account.id,
    places: new Map(),
    tokens: new Map(),
    devices: new Set(),
    left: new Set(),
  }))
  const [room] = await db.sql('select seed, commitment from rooms where event_id = $1', [event.id])
  let opened = false
  let older: OlderCopy | undefined
  let serverWork = Promise.resolve()
  let ticks = 0

  /** Steps on the one Redis server run one after the other. */
  function onServer(work: () => Promise<void>): Promise<void> {
    const before = serverWork
    serverWork = before.then(work)
    return serverWork
  }

  const callerOf = ({ name }: ModelFan, no: number): TestFan => fan(name, `device ${no} of ${name}`)

  function record(
    who: ModelFan,
    device: number,
    { arrival, place, queueToken, state, position }: PositionView,
  ) {
    expect(arrival).toBeGreaterThan(0)
    const known = who.places.get(arrival)
    if (known?.place != null && place !== null) expect(place, 'the same place as before').toBe(known.place)
    who.places.set(arrival, { arrival, place: place ?? known?.place ?? null })
    who.tokens.set(device, queueToken)
    if (state === 'WAITING' && position !== null) expect(position).toBeGreaterThan(0)
    if (!opened) expect(['PRE_QUEUE', 'FINISHED']).toContain(state)
  }

  /** Errors that may occur: a temporary outage, a limit, a process that has ended, and a token of a place that has moved. */
  function expectAllowed(error: unknown, who: ModelFan | null) {
    const { code } = error as Fault
    if (isTemporary(error) || code === 'RATE_LIMITED') return
    if (code === 'QUEUE_TOKEN_INVALID' && who && who.devices.size > 1) return
    throw error
  }

  async function attempt<T>(
    at: number,
    who: ModelFan | null,
    work: (app: App) => Promise<T>,
  ): Promise<T | null> {
    const app = apps[at] as App
    try {
      return await work(app)
    } catch (error) {
      // A process that has ended meanwhile may fail with any error.
      if (apps[at] === app) expectAllowed(error, who)
      return null
    }
  }

  async function perform(step: Step): Promise<void> {
    switch (step.do) {
      case 'join': {
        const who = fans[step.who] as ModelFan
        who.devices.add(step.device)
        const answer = await attempt(step.at, who, ({ waitingRoom }) =>
          waitingRoom.join(callerOf(who, step.device), { eventId: event.id, moveHere: step.moveHere }),
        )
        if (answer instanceof PlaceOnOtherDevice) expect(who.devices.size).toBeGreaterThan(1)
        else if (answer instanceof SaleOver) await expectSoldOut()
        else if (answer) record(who, step.device, answer as PositionView)
        return
      }
      case 'ask': {
        const who = fans[step.who] as ModelFan
        const token = who.tokens.get(step.device)
        if (token === undefined) return
        const answer = await attempt(step.at, who, async ({ waitingRoom }) =>
          waitingRoom.position(token, callerOf(who, step.device)),
        )
        if (!answer) return
        record(who, step.device, { ...answer, queueToken: token })
        if (answer.state === 'SOLD_OUT') await expectSoldOut()
        if (answer.state === 'ADMITTED') {
          const { admittedUpTo } = await roomNow()
          expect(answer.place as number).toBeLessThanOrEqual(admittedUpTo)
        }
        return
      }
      case 'leave': {
        const who = fans[step.who] as ModelFan
        const token = who.tokens.get(step.device)
        const claims = token === undefined ? null : (apps[0] as App).tokens.verifyQueueToken(token)
        if (token === undefined || !claims) return
        who.left.add(claims.arrival)
        const answer = await attempt(step.at, who, ({ waitingRoom }) =>
          waitingRoom.leave(token, callerOf(who, step.device)),
        )
        // Another state than FINISHED where the fan takes the place again at the same moment.
        if (answer) {
          expect(['FINISHED', 'PRE_QUEUE', 'WAITING', 'LAPSED', 'SOLD_OUT']).toContain(answer.state)
        }
        return
      }
      case 'tick': {
        const tick = await attempt(step.at, null, (app) => nextTick(app, event.id).catch(unlessCopying))
        if (tick) ticks++
        if (!opened) expect(tick?.called ?? 0).toBe(0)
        expect(tick?.called ?? 0).toBeLessThanOrEqual(RATE)
        return
      }
      case 'open': {
        opened = true
        await db.sql('update rooms set opens_at = least(opens_at, now()) where event_id = $1', [event.id])
        await db.sql('update sales set opens_at = least(opens_at, now()) where event_id = $1', [event.id])
        await Promise.all(apps.map((_, at) => attempt(at, null, ({ sales }) => sales.refresh(event.id))))
        return
      }
      case 'buy': {
        await db.sql(
          `update admissions set ended_at = now()
           where event_id = $1 and account_id = $2 and ended_at is null and expires_at > now()`,
          [event.id, (fans[step.who] as ModelFan).name],
        )
        return
      }
      case 'age': {
        await db.sql('update calls set at = at - make_interval(secs => $2) where event_id = $1', [
          event.id,
          TURN_SECONDS + 1,
        ])
        await db.sql(
          'update admissions set expires_at = expires_at - make_interval(secs => $2) where event_id = $1',
          [event.id, TURN_SECONDS + 1],
        )
        return
      }
      case 'restart': {
        const ended = apps[step.at] as App
        const next = await world.start()
        // Another step may have replaced it in the meantime.
        if (apps[step.at] !== ended) return next.close()
        apps[step.at] = next
        await ended.close()
        return
      }
      case 'copyRedis':
        return onServer(async () => {
          older = redis.copy()
        })
      case 'loseRedis': {
        const { how } = step
        if (how === 'flushed') await attempt(0, null, (app) => app.roomRedis.flushall())
        else await onServer(() => redis.restart(how === 'older' ? (older ?? 'lost') : how))
        return
      }
      case 'breakDatabase':
        await db.sql(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = '${APP}'`,
        )
    }
  }

  async function roomNow(): Promise<{ admittedUpTo: number; size: number | null }> {
    const [row] = await db.sql<{ admittedUpTo: number; size: number | null }>(
      'select admitted_up_to as "admittedUpTo", size from rooms where event_id = $1',
      [event.id],
    )
    return row as { admittedUpTo: number; size: number | null }
  }

  async function expectSoldOut() {
    const unsold = await db.sql('select no from seats where event_id = $1 and status <> 2', [event.id])
    expect(unsold, 'a sale is only sold out when every seat is sold').toEqual([])
  }

  return {
    event,
    fans,
    room,
    expectSoldOut,
    perform,
    roomNow,
    callerOf,
    record,
    attempt,
    ticks: () => ticks,
    isOpened: () => opened,
  }
}

/** Retries the test's own queries: on a busy machine a connection may take long. */
function withRetries(db: TestDatabase): Pick<TestDatabase, 'sql'> {
  return { sql: (text, values) => persist(() => db.sql(text, values)) }
}

export type LineModel = Awaited<ReturnType<typeof modelLine>>

/** A tick fails while the places are being copied. The next tick repeats it. */
function unlessCopying(error: Error & { code?: string }): null {
  if (/still being copied/.test(error.message) || error.code === '55P03') return null
  throw error
}

/** Checks what must be true once no step is running. */
export async function expectConsistentLine(model: LineModel, world: World): Promise<void> {
  const db = withRetries(world.db)
  const { event, fans, room } = model
  const places = await db.sql<{ arrival: number; account: Buffer; left: boolean }>(
    'select arrival, account, left_at is not null as left from places where event_id = $1 order by arrival',
    [event.id],
  )
  const byArrival = new Map(places.map((row) => [row.arrival, row]))
  const { admittedUpTo, size } = await model.roomNow()
  const [now] = await db.sql('select seed, commitment from rooms where event_id = $1', [event.id])
  expect(now).toEqual(room)
  if (!model.isOpened()) expect([admittedUpTo, size]).toEqual([0, null])

  const accountOf = new Map<number, string>()
  const arrivalOf = new Map<number, number>()
  for (const { name, places: returned, left } of fans) {
    const digest = accountDigest(event.id, name)
    const own = places.filter(({ account }) => account.equals(digest))
    expect(own.filter((row) => !row.left).length, 'one current place for each account').toBeLessThanOrEqual(1)
    for (const { arrival, place } of returned.values()) {
      expect(byArrival.get(arrival)?.account, 'the journal has every place that was returned').toEqual(digest)
      expect(accountOf.get(arrival) ?? name, 'an index is assigned once').toBe(name)
      accountOf.set(arrival, name)
      if (place === null) continue
      expect(arrivalOf.get(place) ?? arrival, 'a place is assigned once').toBe(arrival)
      arrivalOf.set(place, arrival)
      if (size !== null && arrival > size) expect(place).toBe(arrival)
      // A place that its fan did not give up is over only after it was called.
      if (byArrival.get(arrival)?.left && !left.has(arrival)) expect(place).toBeLessThanOrEqual(admittedUpTo)
    }
  }

  const calls = await db.sql<{ tick: string; upTo: number }>(
    'select tick, admitted_up_to as "upTo" from calls where event_id = $1 order by tick',
    [event.id],
  )
  for (const [i, { upTo }] of calls.entries()) expect(upTo).toBeGreaterThan(calls[i - 1]?.upTo ?? 0)
  expect(calls.at(-1)?.upTo ?? 0).toBe(admittedUpTo)

  const admissions = await db.sql<{ account_id: string; arrival: number; place: number; device: Buffer }>(
    'select account_id, arrival, place, device from admissions where event_id = $1',
    [event.id],
  )
  for (const { account_id, arrival, place } of admissions) {
    expect(place, 'only called places are admitted').toBeLessThanOrEqual(admittedUpTo)
    expect(byArrival.get(arrival)?.account).toEqual(accountDigest(event.id, account_id))
  }
  await expectNoFanLost(model, world.apps, places)
  await expectNoMoreCalledThanRuleSays(model, world)
}

/** Enough ticks to call for every possible order twice. */
const LAST_TICKS = 4

/**
 * While no other step runs, a tick calls at most the possible orders, less the admitted fans who search. Every called fan
 * comes in, so that in the end no place is called any more, however many wait.
 */
async function expectNoMoreCalledThanRuleSays(model: LineModel, world: World): Promise<void> {
  const db = withRetries(world.db)
  const { event } = model
  const app = world.apps[0] as App
  if (!model.isOpened()) await model.perform({ do: 'open' })
  // A long search counts for less, which other tests check: here every search has just begun.
  await db.sql("update rooms set chances = 0, chance_marks = '{}' where event_id = $1", [event.id])
  for (let i = 0; i < LAST_TICKS; i++) {
    const [{ free, searching }] = (await db.sql(
      `select (select count(*)::int from seats s where s.event_id = $1
           and (s.status = 0 or s.status = 1 and s.held_until <= now())) as free,
         (select count(*)::int from admissions a where a.event_id = $1 and a.ended_at is null and a.expires_at > now()
           and not exists (select from holds h where h.event_id = a.event_id and h.account_id = a.account_id
             and h.ended_at is null and h.expires_at > now())
           and not exists (select from orders o where o.event_id = a.event_id and o.account_id = a.account_id
             and o.state = 'PAYING')) as searching`,
      [event.id],
    )) as [{ free: number; searching: number }]
    // The map is up to a second late, and this check is about the rule only: so wait for the map.
    await persist(() => app.seatMap.rebuild(event.id))
    const available = async () => (await app.sales.refresh(event.id))?.counts.available
    await expect.poll(available, { timeout: 10_000 }).toBeLessThanOrEqual(free)
    const most = Math.max(0, Math.ceil(free / SEATS_PER_ORDER) - searching)
    const tick = await persist(() => nextTick(app, event.id).catch(unlessCopying))
    expect(tick?.called ?? 0, 'no more called than orders are possible').toBeLessThanOrEqual(most)
    for (const who of model.fans.keys()) await model.perform({ do: 'ask', who, device: 0, at: 0 })
  }
}

/** Each fan joins once more, at every process. */
async function expectNoFanLost(
  { event, fans, callerOf, record, expectSoldOut }: LineModel,
  apps: readonly App[],
  places: readonly { arrival: number; account: Buffer; left: boolean }[],
): Promise<void> {
  for (const app of apps) await app.sales.refresh(event.id)
  for (const who of fans) {
    const live = places.find(
      ({ account, left }) => !left && account.equals(accountDigest(event.id, who.name)),
    )
    const answers: PositionView[] = []
    for (const app of apps) {
      const answer = (await unlessLimited(() =>
        app.waitingRoom.join(callerOf(who, 0), { eventId: event.id, moveHere: true }),
      )) as PositionView | SaleOver | 'limited'
      if (answer === 'limited') continue
      if (answer instanceof SaleOver) {
        await expectSoldOut()
        continue
      }
      expect(answer).toHaveProperty('queueToken')
      record(who, 0, answer)
      answers.push(answer)
    }
    const arrivals = new Set(answers.map(({ arrival }) => arrival))
    expect(arrivals.size, 'every process returns the same place').toBeLessThanOrEqual(1)
    const [arrival] = arrivals
    if (live && arrival !== undefined) expect(arrival).toBeGreaterThanOrEqual(live.arrival)
  }
}

function unlessLimited<T>(work: () => Promise<T>): Promise<T | 'limited'> {
  return persist(work).catch((error: Fault) => {
    if (error.code === 'RATE_LIMITED') return 'limited'
    throw error
  })
}
