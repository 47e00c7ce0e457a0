import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { NotEnoughAvailable, OrphanSeats, SeatsTaken } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import type { TestEvent } from '../../support/event.ts'
import { ask, askFor, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { LONG } from '../../support/long.ts'
import { strandedNeedlessly } from '../../support/orphanRule.ts'
import { seededRandom } from '../../support/random.ts'
import { insertRows, type RowsEvent } from '../../support/rows.ts'
import { testWaitlist } from '../../support/waitlist.ts'

const database = await testDatabase({ connections: 40 })
const processes = [testCheckout(database), testCheckout(database.another())] as const
const { holds } = processes[0]
const holdsOf = (i: number) => (processes[i % 2] as (typeof processes)[0]).holds

const events: TestEvent[] = []
afterEach(async () => {
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

async function rowOf(plan: string): Promise<RowsEvent> {
  const event = await insertRows(database, plan, { allowOrphanSeats: false, ticketLimit: 400 })
  events.push(event)
  return event
}

async function choose(plan: string, ...seats: number[]): Promise<number[] | 'held'> {
  const event = await rowOf(plan)
  const result = await ask(holds, testAccount(), event, seats)
  if (isHold(result)) return 'held'
  expect(result).toBeInstanceOf(OrphanSeats)
  expect((result as OrphanSeats).retryAfterSeconds).toBeNull()
  return (result as OrphanSeats).stranded.map((id) => Number(id.split('_')[2]))
}

describe('a choice that strands a single seat is refused, and the refusal names the seat', () => {
  test.each([
    { plan: '..........', seats: [2, 3], stranded: [1], why: 'at the end of the row' },
    { plan: '..........', seats: [7, 8, 9], stranded: [10], why: 'at the other end' },
    { plan: '....', seats: [2, 3], stranded: [1, 4], why: 'on both sides' },
    { plan: 'x.........', seats: [3, 4], stranded: [2], why: 'beside a seat that is gone' },
    { plan: '....|.....', seats: [6, 7], stranded: [5], why: 'beside an aisle' },
    { plan: '..........', seats: [3, 5], stranded: [4], why: 'between the chosen seats' },
    { plan: '...x......', seats: [1, 2], stranded: [3], why: 'where the row has better choices elsewhere' },
    {
      plan: 'FF..FF..',
      seats: [2, 3],
      stranded: [1],
      why: 'where others at both prices are better',
    },
    {
      plan: '.... / ....',
      seats: [2, 3, 5],
      stranded: [1, 4],
      why: 'in one row of a choice in two rows',
    },
    {
      plan: '...x...W',
      seats: [1, 2],
      stranded: [3],
      why: 'where the better is by a wheelchair seat',
    },
  ])('$why: $plan', async ({ plan, seats, stranded }) => {
    expect(await choose(plan, ...seats)).toEqual(stranded)
  })
})

describe('a choice is held', () => {
  test.each([
    { plan: '...', seats: [1, 2], why: 'two of the last three' },
    { plan: 'xx....xx', seats: [3, 4, 5], why: 'three of the last four' },
    { plan: '..x..x..', seats: [1], why: 'one seat where only pairs are left' },
    { plan: '...x...', seats: [1, 2], why: 'where every other choice in the row strands a seat too' },
    { plan: '.x.xx....', seats: [6, 7], why: 'where the single seats were there before' },
    { plan: '.x......', seats: [3, 4], why: 'where the single seat is not beside the choice' },
    { plan: '..|..', seats: [1, 2], why: 'that takes a whole piece' },
    { plan: '..........', seats: [1, 2], why: 'that begins at the end of the row' },
    { plan: '..........', seats: [4, 5, 6], why: 'that leaves three and four seats' },
    { plan: '..x', seats: [1], why: 'that cannot avoid a single seat' },
    { plan: '... / ..........', seats: [1, 2], why: 'where another row has better choices' },
    { plan: '....|xx', seats: [1, 2, 3, 4], why: 'that takes every free seat' },
    { plan: 'FFF / ..........', seats: [1, 2], why: 'where a better row has other prices' },
    { plan: 'FFF|.....', seats: [1, 2], why: 'where better seats have other prices' },
    {
      plan: 'FFF|..... / ......',
      seats: [1, 2, 9],
      why: 'where only prices of another row match',
    },
    {
      plan: 'FFF|....|.xx',
      seats: [1, 2, 8],
      why: 'where only prices of other pieces match',
    },
    { plan: 'F..|FF|....', seats: [1, 2], why: 'where a better block lacks one price' },
    { plan: 'WC.|.....', seats: [1, 2], why: 'of a wheelchair seat and its companion' },
    { plan: 'W.|.....', seats: [1], why: 'of a wheelchair seat' },
    { plan: '.W.......', seats: [2], why: 'of a wheelchair seat between usual seats' },
    { plan: 'W..|....', seats: [3], why: 'that leaves a seat by a wheelchair seat' },
    { plan: 'W..|xxxx', seats: [2, 3], why: 'where a wheelchair seat is left alone' },
  ])('$why: $plan', async ({ plan, seats }) => {
    expect(await choose(plan, ...seats)).toBe('held')
  })

  test('where the sale allows orphan seats', async () => {
    const event = await rowOf('..........')
    await database.sql('update sales set allow_orphan_seats = true where event_id = $1', [event.id])
    expect(await ask(holds, testAccount(), event, [2, 3])).toMatchObject({ state: 'ACTIVE' })
  })
})

test('a live hold of another fan makes its seats taken, and an expired hold does not', async () => {
  const event = await rowOf('..........')
  const first = await ask(holds, testAccount(), event, [1, 2])
  expect(await ask(holds, testAccount(), event, [4, 5])).toMatchObject({ stranded: [event.seatId(3)] })
  await runOut(database, first as HoldView)
  expect(await ask(holds, testAccount(), event, [4, 5])).toMatchObject({ state: 'ACTIVE' })
})

const ROUNDS = LONG ? 200 : 60

test(`of two simultaneous choices that strand a seat only together, one is refused, in ${ROUNDS} rounds`, async () => {
  await sideBySide(ROUNDS, 4, async () => {
    // Each alone leaves two or more seats; both together strand seat 3.
    const event = await rowOf('...........')
    const results = await Promise.all([
      ask(holdsOf(0), testAccount(), event, [1, 2]),
      ask(holdsOf(1), testAccount(), event, [4, 5]),
    ])
    expect(results.filter(isHold)).toHaveLength(1)
    expect(results.filter((result) => result instanceof OrphanSeats)).toHaveLength(1)
  })
})

/** A random row: seats that are gone, aisles, two prices, wheelchair seats with companion seats. */
function randomRow(random: () => number, length: number): string {
  let row = ''
  while (row.replaceAll('|', '').length < length) {
    const dice = random()
    const usual = random() < 0.75 ? '.' : 'F'
    if (dice < 0.03) row += 'WC'
    else if (dice < 0.06) row += 'W'
    else if (dice < 0.1) row += '|'
    else row += dice < 0.3 ? 'x' : usual.repeat(1 + Math.floor(3 * random()))
  }
  return row.replace(/[|]$/, '')
}

/** The free seats, without companion seats whose wheelchair seat is gone: no fan can buy those. */
async function freeSeats(event: TestEvent): Promise<number[]> {
  const rows = await database.sql<{ no: number }>(
    `select no from seats s
     where event_id = $1 and status = 0 and not exists (
       select from seats w where w.event_id = s.event_id and w.no = s.companion_of and w.status <> 0)
     order by no`,
    [event.id],
  )
  return rows.map(({ no }) => no)
}

test('of 600 random choices in random rows, exactly those are refused that had a better choice', async () => {
  const random = seededRandom()
  const event = await rowOf(Array.from({ length: 150 }, () => randomRow(random, 12)).join('/'))
  // As after the load of a plan.
  await database.sql('analyze seats')
  const free = new Set(await freeSeats(event))
  const rows = [...Map.groupBy(event.rowSeats, ({ row }) => row).values()]
  const freeOf = (row: number) => (rows[row % 150] ?? []).flatMap(({ no }) => (free.has(no) ? [no] : []))
  const reached = { refused: 0, allowed: 0, ofWheelchairs: 0 }
  for (let i = 0; i < 600; i++) {
    const left = freeOf(i)
    const from = Math.floor(random() * left.length)
    const chosen = left.slice(from, from + 1 + Math.floor(random() * 4))
    // Some with a gap, some with a seat of the next row.
    if (random() < 0.2) chosen.splice(Math.floor(random() * chosen.length), 1)
    if (random() < 0.2) chosen.push(...freeOf(i + 1).slice(0, 1))
    const [answer] = await database.sql('select stranded_seats($1, $2) as seats', [event.id, chosen])
    const stranded = strandedNeedlessly(event.rowSeats, free, new Set(chosen))
    expect(answer?.seats ?? [], `${chosen}`).toEqual(stranded)
    if (stranded.length > 0) reached.refused++
    else reached.allowed++
    if (event.rowSeats.some(({ no, usual }) => !usual && chosen.includes(no))) reached.ofWheelchairs++
  }
  for (const n of Object.values(reached)) expect(n).toBeGreaterThan(30)
})

/** Records the seats of each hold. The locks of their rows are held meanwhile, so the record has the holds in that order. */
beforeAll(() =>
  database.sql(`
    create table taken (at bigserial, event_id text, hold_id text, no int);
    create function log_taken() returns trigger language plpgsql as $$
    begin
      insert into taken (event_id, hold_id, no) values (new.event_id, new.hold_id, new.seat_no);
      return null;
    end $$;
    create trigger log_taken after insert on hold_items for each row execute function log_taken()`),
)

async function expectNoneStrandedNeedlessly(event: RowsEvent, free: Iterable<number>): Promise<void> {
  const rows = await database.sql<{ hold_id: string; no: number }>(
    'select hold_id, no from taken where event_id = $1 order by at',
    [event.id],
  )
  const remaining = new Set(free)
  for (const [, seats] of Map.groupBy(rows, ({ hold_id }) => hold_id)) {
    const chosen = new Set(seats.map(({ no }) => no))
    expect(
      strandedNeedlessly(event.rowSeats, remaining, chosen),
      `${[...chosen]} of ${[...remaining]}`,
    ).toEqual([])
    for (const no of chosen) remaining.delete(no)
  }
}

test('no hold of 40 buyers of ten rows strands a seat where it had a better choice, and the rows still sell out', async () => {
  const random = seededRandom()
  const event = await rowOf(Array.from({ length: 10 }, () => randomRow(random, 20)).join('/'))
  const before = await freeSeats(event)
  const wheelchairSeats = new Map(event.rowSeats.map(({ no, companionOf }) => [no, companionOf]))
  let refused = 0
  await sideBySide(40, 40, async (i) => {
    for (;;) {
      const left = await freeSeats(event)
      if (left.length === 0) return
      const from = Math.floor(random() * left.length)
      const seats = left.slice(from, from + 1 + Math.floor(random() * 3))
      const needed = seats.flatMap((no) => wheelchairSeats.get(no) ?? [])
      const result = await ask(holdsOf(i), testAccount(), event, [...new Set([...seats, ...needed])])
      if (result instanceof OrphanSeats) refused++
      else if (!isHold(result)) expect(result).toBeInstanceOf(SeatsTaken)
    }
  })
  expect(refused).toBeGreaterThan(0)
  await expectNoneStrandedNeedlessly(event, before)
})

describe('best available strands no seat', () => {
  const TIGHT = '...|...|...|...|...|..'

  test.each([
    { what: 'take_block', plan: TIGHT, quantity: 2 },
    { what: 'take_block', plan: 'F....F / F....F', quantity: 2, levelNo: 1 },
    { what: 'take_block', plan: '.....W|WC...|...', quantity: 2 },
    { what: 'take_seats', plan: TIGHT, quantity: 2 },
    { what: 'take_seats', plan: '...|... / ...|... / ...|..', quantity: 8 },
    { what: 'take_seats', plan: 'F....F / F....F', quantity: 2, levelNo: 1 },
  ])('where the function waits for locks: $what of $plan', async ({ what, plan, ...request }) => {
    const event = await rowOf(plan)
    const free = new Set(await freeSeats(event))
    const client = await database.pool.connect()
    try {
      for (const wait of [true, false]) {
        for (let round = 0; round < 15; round++) {
          await client.query('begin')
          const { rows } = await client.query(
            `select nos from ${what}($1, null, $2, $3, 0, true, true, $4)`,
            [event.id, request.levelNo ?? null, request.quantity, wait],
          )
          await client.query('rollback')
          const chosen = new Set<number>(rows[0]?.nos)
          expect(chosen.size).toBe(request.quantity)
          expect(strandedNeedlessly(event.rowSeats, free, chosen), `${[...chosen]} of ${plan}`).toEqual([])
        }
      }
    } finally {
      client.release()
    }
  })

  test.each([{ together: true }, { together: false }])(
    'where 40 simultaneous buyers request 1 to 4 seats until none are left (together $together)',
    async ({ together }) => {
      const random = seededRandom()
      const rows = Array.from({ length: 12 }, () => randomRow(random, 20))
      const event = await rowOf([...rows, ...Array(6).fill('....................')].join('/'))
      const before = await freeSeats(event)
      const usual = new Set(event.rowSeats.filter((seat) => seat.usual).map(({ no }) => no))
      const refused: { quantity: number; available: number }[] = []
      await sideBySide(40, 40, async (i) => {
        // A fan who finds no block of four may still find a block of three.
        for (let quantity = 4; quantity > 0; ) {
          const bestAvailable = { quantity, together }
          const result = await askFor(holdsOf(i), testAccount(), event, { bestAvailable })
          if (isHold(result)) {
            expect(result.items).toHaveLength(quantity)
            quantity = Math.max(quantity - Number(random() < 0.3), 1)
            continue
          }
          expect(result).toBeInstanceOf(NotEnoughAvailable)
          refused.push({ quantity, ...(result as NotEnoughAvailable) })
          quantity--
        }
      })
      for (const { quantity, available } of refused) expect(available).toBeLessThan(quantity)
      expect((await freeSeats(event)).filter((no) => usual.has(no))).toEqual([])
      await expectNoneStrandedNeedlessly(event, before)
    },
  )

  test('where it makes an offer to the waitlist', async () => {
    const event = await rowOf('F....F')
    const waitlist = testWaitlist(database)
    await database.sql('update seats set status = 3, revision = revision + 1 where event_id = $1', [event.id])
    const fan = testAccount()
    const priceLevelId = event.sectionId(1).replace('sec', 'lvl')
    const entry = await waitlist.joined(fan, event, { quantity: 2, priceLevelId })
    await database.sql('update seats set status = 0, revision = revision + 1 where event_id = $1', [event.id])
    await waitlist.offer(event.id)
    const offered = await database.sql(
      'select no from seats where event_id = $1 and status = 1 order by no',
      [event.id],
    )
    expect(offered).toEqual([{ no: 3 }, { no: 4 }])
    expect(await waitlist.find(fan, entry.id)).toMatchObject({ state: 'OFFERED' })
  })
})
