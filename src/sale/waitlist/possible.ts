import { createBoundedCache } from '../../async/boundedCache.ts'
import type { Database } from '../../sql/database/database.ts'
import { type CellRow, readCells, readWheelchairSeats, type Wish } from '../../sql/waitlist.ts'
import { createMaxBlockLengths } from '../holds/maxBlockLengths.ts'
import { createInputFaults, type InputFaults } from '../inputFaults.ts'
import type { CheckedWish } from './waitlistInput.ts'

/** Whether a wish can ever be met: by an empty hall. Seats that are off sale count, since they may go on sale. */
export interface PossibleWishes {
  /** Throws BAD_USER_INPUT with a fault for each part of the wish that the plan can never meet. */
  check(eventId: string, wish: CheckedWish): Promise<void>
}

interface Plan {
  readonly cells: readonly Pick<CellRow, 'sectionNo' | 'levelNo' | 'kind' | 'seats'>[]
  readonly wheelchairSeats: Awaited<ReturnType<typeof readWheelchairSeats>>
}

/** 500 at most. A plan is some dozens of cells, and never changes. */
const PLANS_AT_LEAST = 250

export function createPossibleWishes(db: Database): PossibleWishes {
  const plans = createBoundedCache<string, Plan>(PLANS_AT_LEAST)
  const maxBlockLengths = createMaxBlockLengths(db)

  async function planOf(eventId: string): Promise<Plan> {
    const known = plans.get(eventId)
    if (known) return known
    const [cells, wheelchairSeats] = await Promise.all([
      readCells(db, eventId),
      readWheelchairSeats(db, eventId),
    ])
    const plan = { cells, wheelchairSeats }
    plans.set(eventId, plan)
    return plan
  }

  async function checkUsual(
    eventId: string,
    plan: Plan,
    wish: CheckedWish['wishes'][number],
    { quantity, together, acceptFewer }: CheckedWish,
    faults: InputFaults,
  ) {
    const cells = plan.cells.filter((cell) => covers(wish, cell))
    const seated = sumOf(cells.filter(({ kind }) => kind === 'seat'))
    const inOneArea = Math.max(0, ...cells.filter(({ kind }) => kind === 'area').map(({ seats }) => seats))
    const where = wordsFor(wish)
    if (seated + inOneArea === 0) {
      const field = wish.sectionNo === null ? 'priceLevelId' : 'sectionId'
      return faults.add(
        [...wish.path, field],
        `has wheelchair and companion seats only: set wheelchairSeats to wait for these`,
      )
    }
    if (acceptFewer) return
    const most = Math.max(seated, inOneArea)
    if (quantity > most) {
      faults.add(
        ['input', 'quantity'],
        `is more than the ${inWords(most)} that ${where} can give one fan. Set acceptFewer, or wait for another part`,
      )
    } else if (together && quantity > inOneArea) {
      const longest = await maxBlockLengths.of(eventId, wish)
      if (quantity > Math.max(longest, inOneArea))
        faults.add(
          ['input', 'quantity'],
          `is more than the ${inWords(longest)} side by side that ${where} has. Leave together out to take them apart`,
        )
    }
  }

  return {
    async check(eventId, wish) {
      const plan = await planOf(eventId)
      const faults = createInputFaults()
      for (const part of wish.wishes) {
        if (wish.wheelchairSeats > 0) checkWheelchairs(plan, part, wish, faults)
        else await checkUsual(eventId, plan, part, wish, faults)
      }
      faults.throwAny()
    },
  }
}

function checkWheelchairs(
  plan: Plan,
  wish: CheckedWish['wishes'][number],
  { quantity, wheelchairSeats, acceptFewer }: CheckedWish,
  faults: InputFaults,
) {
  const bySection = new Map<number, number[]>()
  for (const seat of plan.wheelchairSeats)
    if (covers(wish, seat))
      bySection.set(seat.sectionNo, [...(bySection.get(seat.sectionNo) ?? []), seat.companions])
  const where = wordsFor(wish)
  const mostSeats = Math.max(0, ...[...bySection.values()].map(({ length }) => length))
  if (wheelchairSeats > mostSeats) {
    faults.add(
      ['input', 'wheelchairSeats'],
      mostSeats === 0
        ? `is set, and ${where} has no wheelchair seats`
        : `is more than the ${mostSeats} that ${where} has${wish.sectionNo === null ? ' in one section' : ''}`,
    )
  } else if (!acceptFewer) {
    const most = Math.max(
      ...[...bySection.values()]
        .filter(({ length }) => length >= wheelchairSeats)
        .map((companions) =>
          companions
            .sort((a, b) => b - a)
            .slice(0, wheelchairSeats)
            .reduce((sum, count) => sum + count, wheelchairSeats),
        ),
    )
    if (quantity > most)
      faults.add(
        ['input', 'quantity'],
        `is more than the ${inWords(most)} that ${wheelchairSeats === 1 ? 'a wheelchair seat' : `${wheelchairSeats} wheelchair seats`} with companion seats can be`,
      )
  }
}

export function covers(wish: Wish, cell: { sectionNo: number; levelNo: number }): boolean {
  return (
    (wish.sectionNo === null || wish.sectionNo === cell.sectionNo) &&
    (wish.levelNo === null || wish.levelNo === cell.levelNo)
  )
}

const sumOf = (cells: readonly { seats: number }[]) => cells.reduce((sum, { seats }) => sum + seats, 0)

const inWords = (seats: number) => (seats === 1 ? '1 ticket' : `${seats} tickets`)

function wordsFor({ sectionNo, levelNo }: Wish): string {
  if (sectionNo === null && levelNo === null) return 'this event'
  if (levelNo === null) return 'this section'
  return sectionNo === null ? 'this price level' : 'this section at this price level'
}
