import { describe, expect, test } from 'vitest'
import { NotEnoughAvailable, OrphanSeats } from '../../../src/sale/refusals.ts'
import { type BentSeat, bentHall, neighboursByDistance } from '../../support/bentHalls.ts'
import { testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { type HallEvent, insertHall } from '../../support/hall.ts'
import { ask, askFor, isHold } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { LONG } from '../../support/long.ts'
import { strandedNeedlessly } from '../../support/orphanRule.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase()
const { holds } = testCheckout(database)
const OPTIONS = { allowOrphanSeats: false, ticketLimit: 400 }

const seatsOf = (result: object) =>
  isHold(result) ? result.items.map(({ seatNo }) => seatNo).sort((a, b) => a - b) : result

async function best(event: HallEvent, quantity: number, together = true) {
  return seatsOf(await askFor(holds, testAccount(), event, { bestAvailable: { quantity, together } }))
}

/** Leaves only these seats free. */
async function leaveFree(event: HallEvent, free: readonly number[]) {
  await database.sql(
    'update seats set status = case when no = any ($2) then 0 else 3 end where event_id = $1',
    [event.id, free],
  )
}

describe('a table of eight, odd numbers on one side and even numbers on the other', () => {
  const table = Array.from({ length: 8 }, (_, i) => ({
    row: '1',
    x: 60 * (i % 2),
    y: 25 * Math.floor(i / 2),
  }))
  const everySeat = [1, 2, 3, 4, 5, 6, 7, 8]

  test('a couple may choose any two seats side by side, or across the table', async () => {
    for (const seats of [
      [5, 7],
      [1, 3],
      [3, 5],
      [2, 4],
      [4, 6],
      [6, 8],
      [1, 2],
      [5, 6],
    ]) {
      const event = await insertHall(database, table, OPTIONS)
      expect(seatsOf(await ask(holds, testAccount(), event, seats))).toEqual(seats)
    }
  })

  test.each([
    { free: everySeat, quantity: 2, seats: [1, 3], why: 'on one bench' },
    { free: [1, 2, 5, 8], quantity: 2, seats: [1, 2], why: 'across, where no bench has two side by side' },
    { free: [2, 3, 5, 8], quantity: 2, seats: [3, 5], why: 'on a bench before across' },
    { free: [1, 2, 3, 4, 7], quantity: 4, seats: [1, 2, 3, 4], why: 'on both sides' },
    { free: [1, 2, 4, 7], quantity: 3, seats: [1, 2, 4], why: 'on both sides, for an odd number' },
    { free: everySeat, quantity: 8, seats: everySeat, why: 'at the whole table' },
  ])('best available seats $quantity $why', async ({ free, quantity, seats }) => {
    const own = await insertHall(database, table, OPTIONS)
    await leaveFree(own, free)
    expect(await best(own, quantity)).toEqual(seats)
    await expectInvariants(database, own.id)
  })

  test('a group that finds no room hears how large a group does', async () => {
    const own = await insertHall(database, table, OPTIONS)
    await leaveFree(own, [1, 2, 3, 4, 7])
    const refusal = await best(own, 6)
    expect(refusal).toBeInstanceOf(NotEnoughAvailable)
    expect(refusal).toMatchObject({ available: 4 })
    await leaveFree(own, [1, 4, 5, 8])
    expect(await best(own, 2)).toMatchObject({ available: 1 })
  })
})

describe('a horseshoe of 33 seats', async () => {
  const horseshoe = [
    ...Array.from({ length: 8 }, (_, i) => ({ x: 0, y: 25 * i })),
    ...Array.from({ length: 17 }, (_, i) => ({ x: 25 * i, y: 200 })),
    ...Array.from({ length: 8 }, (_, i) => ({ x: 400, y: 175 - 25 * i })),
  ]

  test('is one row, around its corners', async () => {
    const event = await insertHall(database, horseshoe, OPTIONS)
    expect(seatsOf(await ask(holds, testAccount(), event, [25, 26]))).toEqual([25, 26])
    const whole = await insertHall(database, horseshoe, OPTIONS)
    expect(await best(whole, 33)).toHaveLength(33)
  })

  test('seats 16 couples side by side', async () => {
    const event = await insertHall(database, horseshoe, OPTIONS)
    for (let couple = 0; couple < 16; couple++) {
      const [a, b] = (await best(event, 2)) as number[]
      expect(b).toBe((a as number) + 1)
    }
    expect(await best(event, 2)).toMatchObject({ available: 1 })
    await expectInvariants(database, event.id)
  })
})

describe('a closed row of 12 seats', async () => {
  const ring = Array.from({ length: 12 }, (_, i) => ({
    x: 50 * Math.cos((Math.PI * i) / 6),
    y: 50 * Math.sin((Math.PI * i) / 6),
  }))

  test('has a block across its seam, and its last seat is no single seat beside the first', async () => {
    const event = await insertHall(database, ring, OPTIONS)
    await leaveFree(event, [11, 12, 1, 2])
    expect(await best(event, 4)).toEqual([1, 2, 11, 12])
    const other = await insertHall(database, ring, OPTIONS)
    expect(seatsOf(await ask(holds, testAccount(), other, [2, 3]))).toEqual([2, 3])
    // Seat 1 has seat 12 beside it; seat 4 would be alone between 3 and 5.
    const stranding = await ask(holds, testAccount(), other, [5, 6])
    expect(stranding).toBeInstanceOf(OrphanSeats)
    expect((stranding as OrphanSeats).stranded).toEqual([other.seatId(4)])
  })

  test('sells out in couples', async () => {
    const event = await insertHall(database, ring, OPTIONS)
    for (let couple = 0; couple < 6; couple++) {
      const [a, b] = (await best(event, 2)) as number[]
      expect([1, 11]).toContain((b as number) - (a as number))
    }
  })
})

const CHOICES = LONG ? 6_000 : 400

test(`of ${CHOICES} random choices in bent, closed, split and merged rows, exactly those are refused that had a better choice; distances alone say which seats are neighbours`, async () => {
  const random = seededRandom()
  const seats = bentHall(random, 40)
  const event = await insertHall(database, seats, OPTIONS)
  await database.sql('analyze seats')
  const beside = new Map(neighboursByDistance(seats).map((own, i) => [i + 1, own.map((j) => j + 1)]))
  const rowSeats = seats.map(({ madeIn }, i) => ({
    no: i + 1,
    row: madeIn,
    place: 0,
    levelNo: 1,
    usual: true,
    companionOf: null,
  }))
  const free = new Set(event.seatNos.filter(() => random() < 0.75))
  // Some rows are free all around.
  for (const [i, { madeIn }] of seats.entries()) if (madeIn % 3 === 0) free.add(i + 1)
  await leaveFree(event, [...free])
  const reached = { refused: 0, allowed: 0 }
  for (let i = 0; i < CHOICES; i++) {
    const chosen = walk(
      [...free][Math.floor(random() * free.size)] as number,
      beside,
      free,
      1 + Math.floor(random() * 4),
    )
    if (random() < 0.2) chosen.splice(Math.floor(random() * chosen.length), 1)
    const [answer] = await database.sql('select stranded_seats($1, $2) as seats', [event.id, chosen])
    const stranded = strandedNeedlessly(rowSeats, free, new Set(chosen), beside)
    expect(answer?.seats ?? [], `${chosen}`).toEqual(stranded)
    if (stranded.length > 0) reached.refused++
    else reached.allowed++
  }
  for (const n of Object.values(reached)) expect(n).toBeGreaterThan(30)
})

test('best available takes seats side by side by their distances, strands none needlessly, and sells bent rows out', async () => {
  const random = seededRandom()
  const seats = bentHall(random, LONG ? 30 : 8)
  const event = await insertHall(database, seats, OPTIONS)
  const beside = new Map(neighboursByDistance(seats).map((own, i) => [i + 1, own.map((j) => j + 1)]))
  const rowSeats = (seats as BentSeat[]).map(({ madeIn }, i) => ({
    no: i + 1,
    row: madeIn,
    place: 0,
    levelNo: 1,
    usual: true,
    companionOf: null,
  }))
  const free = new Set(event.seatNos)
  for (let size = 5; size > 0; ) {
    const found = await best(event, size)
    if (!Array.isArray(found)) {
      expect(found).toBeInstanceOf(NotEnoughAvailable)
      // No stretch is that long: a walk along free neighbours from any seat ends before.
      for (const no of free) expect(longestFrom(no, beside, free)).toBeLessThan(size)
      size--
      continue
    }
    const chosen = new Set(found as number[])
    expect(walk([...chosen][0] as number, beside, chosen, size)).toHaveLength(size)
    expect(strandedNeedlessly(rowSeats, free, chosen, beside), `${[...chosen]}`).toEqual([])
    for (const no of chosen) free.delete(no)
    if (size > 1 && random() < 0.2) size--
  }
  expect(free.size).toBe(0)
  await expectInvariants(database, event.id)
})

/** Up to `size` seats of a set that are connected with the first one. */
function walk(
  first: number,
  beside: ReadonlyMap<number, readonly number[]>,
  free: ReadonlySet<number>,
  size: number,
): number[] {
  const found = [first]
  for (let i = 0; i < found.length && found.length < size; i++)
    for (const next of beside.get(found[i] as number) ?? [])
      if (free.has(next) && !found.includes(next) && found.length < size) found.push(next)
  return found
}

function longestFrom(no: number, beside: ReadonlyMap<number, readonly number[]>, free: ReadonlySet<number>) {
  return walk(no, beside, free, Number.POSITIVE_INFINITY).length
}
