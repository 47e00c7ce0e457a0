import { afterEach, describe, expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { OrphanSeats, SeatsTaken } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase({ connections: 40 })
const processes = [testCheckout(database), testCheckout(database.another())] as const
const { holds } = processes[0]
const holdsOf = (i: number) => (processes[i % 2] as (typeof processes)[0]).holds

const events: TestEvent[] = []
afterEach(async () => {
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

/**
 * One row: `.` a free seat, `x` one that is gone, `|` an aisle. Seats are numbered from 1; what follows a `/` is
 * another row.
 */
async function rowOf(plan: string): Promise<TestEvent> {
  const rows = plan.replaceAll(' ', '').split('/')
  const seats = rows.flatMap((row, r) => {
    let place = 0
    return [...row].flatMap((sign) => {
      place++
      return sign === '|' ? [] : [{ row: r + 1, place, gone: sign === 'x' }]
    })
  })
  const event = await insertEvent(database, { sections: [{ seats: seats.length }], allowOrphanSeats: false })
  events.push(event)
  await database.sql(
    `update seats s set row_no = x.row_no, row_place = x.row_place, status = case when x.gone then 3 else 0 end
     from unnest($2::int[], $3::int[], $4::boolean[]) with ordinality x (row_no, row_place, gone, no)
     where s.event_id = $1 and s.no = x.no`,
    [event.id, seats.map(({ row }) => row), seats.map(({ place }) => place), seats.map(({ gone }) => gone)],
  )
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

describe('a choice that leaves a single seat is refused with it', () => {
  test.each([
    { plan: '..........', seats: [2, 3], stranded: [1], why: 'at the end of the row' },
    { plan: '..........', seats: [7, 8, 9], stranded: [10], why: 'at the other end' },
    { plan: '....', seats: [2, 3], stranded: [1, 4], why: 'on both sides' },
    { plan: 'x.........', seats: [3, 4], stranded: [2], why: 'beside a seat that is gone' },
    { plan: '....|.....', seats: [6, 7], stranded: [5], why: 'beside an aisle' },
    { plan: '..........', seats: [3, 5], stranded: [4], why: 'between its own seats' },
    { plan: '...x......', seats: [1, 2], stranded: [3], why: 'where the row has better ones elsewhere' },
  ])('$why: $plan', async ({ plan, seats, stranded }) => {
    expect(await choose(plan, ...seats)).toEqual(stranded)
  })
})

describe('nobody is refused', () => {
  test.each([
    { plan: '...', seats: [1, 2], why: 'two of the last three' },
    { plan: 'xx....xx', seats: [3, 4, 5], why: 'three of the last four' },
    { plan: '..x..x..', seats: [1], why: 'one where only pairs are left' },
    { plan: '...x...', seats: [1, 2], why: 'where every other choice in the row leaves one too' },
    { plan: '.x.xx....', seats: [6, 7], why: 'for single seats that were there before' },
    { plan: '.x......', seats: [3, 4], why: 'for a single seat that the choice is not beside' },
    { plan: '..|..', seats: [1, 2], why: 'who takes a piece whole' },
    { plan: '..........', seats: [1, 2], why: 'who begins at the end' },
    { plan: '..........', seats: [4, 5, 6], why: 'who leaves three and four' },
    { plan: '..x', seats: [1], why: 'who can only leave one' },
    { plan: '... / ..........', seats: [1, 2], why: 'for what another row has' },
    { plan: '....|xx', seats: [1, 2, 3, 4], why: 'who takes all there is' },
  ])('$why: $plan', async ({ plan, seats }) => {
    expect(await choose(plan, ...seats)).toBe('held')
  })

  test('where the sale allows single seats', async () => {
    const event = await rowOf('..........')
    await database.sql('update sales set allow_orphan_seats = true where event_id = $1', [event.id])
    expect(await ask(holds, testAccount(), event, [2, 3])).toMatchObject({ state: 'ACTIVE' })
  })

  test('for a seat of another price than all the better ones', async () => {
    const event = await rowOf('...x......')
    await database.sql(
      `with level as (
         insert into price_levels (event_id, no, key, name, price, fee) values ($1, 9, 'front', 'Front', 1, 0)
         returning event_id
       )
       update seats s set level_no = 9 from level l where s.event_id = l.event_id and s.no < 4`,
      [event.id],
    )
    expect(await ask(holds, testAccount(), event, [1, 2])).toMatchObject({ state: 'ACTIVE' })
  })

  test('for a wheelchair seat left alone', async () => {
    const event = await rowOf('..........')
    await database.sql('update seats set wheelchair = true where event_id = $1 and no = 1', [event.id])
    expect(await ask(holds, testAccount(), event, [2, 3])).toMatchObject({ state: 'ACTIVE' })
  })
})

test('holds of others count while they live', async () => {
  const event = await rowOf('..........')
  const first = await ask(holds, testAccount(), event, [1, 2])
  expect(await ask(holds, testAccount(), event, [4, 5])).toMatchObject({ stranded: [event.seatId(3)] })
  await runOut(database, first as HoldView)
  expect(await ask(holds, testAccount(), event, [4, 5])).toMatchObject({ state: 'ACTIVE' })
})

test('two choices that are fine apart and strand a seat together do not both pass, 200 rounds', async () => {
  await sideBySide(200, 4, async () => {
    // Either leaves two and more; both together leave seat 3.
    const event = await rowOf('...........')
    const results = await Promise.all([
      ask(holdsOf(0), testAccount(), event, [1, 2]),
      ask(holdsOf(1), testAccount(), event, [4, 5]),
    ])
    expect(results.filter(isHold)).toHaveLength(1)
    expect(results.filter((result) => result instanceof OrphanSeats)).toHaveLength(1)
  })
})

/** Free seats side by side, as numbers that follow one another; the test's events have rows of twenty. */
function stretchesOf(free: ReadonlySet<number>): number[][] {
  const stretches: number[][] = []
  for (const no of [...free].sort((a, b) => a - b)) {
    const last = stretches.at(-1)
    if (last?.at(-1) === no - 1 && no % 20 !== 1) last.push(no)
    else stretches.push([no])
  }
  return stretches
}

/** The single seats that a choice leaves of a stretch. */
function singles(stretch: readonly number[], chosen: ReadonlySet<number>): number {
  const isLeft = (no: number | undefined) => no !== undefined && !chosen.has(no)
  return stretch.filter((no, i) => isLeft(no) && !isLeft(stretch[i - 1]) && !isLeft(stretch[i + 1])).length
}

/** By trying every other block of the row: true where the choice leaves more single seats than it has to. */
function strandsNeedlessly(free: ReadonlySet<number>, chosen: ReadonlySet<number>): boolean {
  const stretches = stretchesOf(free)
  const rowOf = (stretch: readonly number[]) => Math.ceil((stretch[0] as number) / 20)
  return stretches.some((stretch) => {
    const size = stretch.filter((no) => chosen.has(no)).length
    const strands = size > 0 ? singles(stretch, chosen) : 0
    const others = stretches.filter(
      (other) =>
        other === stretch || (rowOf(other) === rowOf(stretch) && !other.some((no) => chosen.has(no))),
    )
    return others.some((other) =>
      other.some((_, i) => {
        const block = other.slice(i, i + size)
        return block.length === size && singles(other, new Set(block)) < strands
      }),
    )
  })
}

test('ten rows under 40 buyers: no choice ever strands a seat that had a better one, and all of it still sells out', async () => {
  const event = await insertEvent(database, {
    sections: [{ seats: 200 }],
    allowOrphanSeats: false,
    ticketLimit: 200,
  })
  events.push(event)
  // The seats of each hold in the order of the locks of their rows, under which they are written.
  await database.sql(`
    create table taken (at bigserial, event_id text, hold_id text, no int);
    create function log_taken() returns trigger language plpgsql as $$
    begin
      insert into taken (event_id, hold_id, no) values (new.event_id, new.hold_id, new.seat_no);
      return null;
    end $$;
    create trigger log_taken after insert on hold_items for each row execute function log_taken()`)
  const random = seededRandom()
  const free = async () =>
    (
      await database.sql<{ no: number }>(
        'select no from seats where event_id = $1 and status = 0 order by no',
        [event.id],
      )
    ).map(({ no }) => no)
  let refused = 0
  await sideBySide(40, 40, async (i) => {
    for (;;) {
      const left = await free()
      if (left.length === 0) return
      const from = Math.floor(random() * left.length)
      const seats = left.slice(from, from + 1 + Math.floor(random() * 3))
      const result = await ask(holdsOf(i), testAccount(), event, seats)
      expect(isHold(result) || result instanceof SeatsTaken || result instanceof OrphanSeats).toBe(true)
      if (result instanceof OrphanSeats) refused++
    }
  })
  expect(await free()).toEqual([])
  expect(refused).toBeGreaterThan(0)

  const rows = await database.sql<{ hold_id: string; no: number }>(
    'select hold_id, no from taken where event_id = $1 order by at',
    [event.id],
  )
  const remaining = new Set(event.seatNos)
  for (const [, seats] of Map.groupBy(rows, ({ hold_id }) => hold_id)) {
    const chosen = new Set(seats.map(({ no }) => no))
    expect(strandsNeedlessly(remaining, chosen), `${[...chosen]} of ${[...remaining]}`).toBe(false)
    for (const no of chosen) remaining.delete(no)
  }
  expect(remaining.size).toBe(0)
})
