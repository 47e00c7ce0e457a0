import { createSharedReads } from '../../async/sharedReads.ts'
import type { Database } from '../../sql/database.ts'
import { type FreeSeatRow, readFreeSeats } from '../../sql/seats.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'

/** Blocks to offer to somebody whose seats are gone. */
export interface Alternatives {
  /**
   * Up to three blocks side by side, as many seats as these and at the same price levels, the nearest ones; seat
   * numbers, free in a read that began after the call. None that leaves more single seats than it would have to in its
   * row: where a sale forbids that, it would be refused, see prisma/functions/stranded_seats.sql. None where the database
   * does not answer.
   */
  near(event: CatalogueEvent, seatNos: readonly number[]): Promise<number[][]>
}

const MOST_BLOCKS = 3
/** The nearest ones are not all told to everybody who lost the same seat: the next to lose would be those who believed it. */
const NEAREST = 8
/** In the plan's order, a dozen rows around what was asked for: read as one, whoever asks. */
const STRETCH = 256

/**
 * Refusals must stay cheap when everybody is refused: of those who lose seats in one part of the hall at the same time,
 * one reads what is free there, and the next reading is for all who came meanwhile.
 */
export function createAlternatives(db: Database): Alternatives {
  const reads = createSharedReads<FreeSeatRow[]>()

  return {
    async near(event, seatNos) {
      const asked = seatNos.flatMap((no) => {
        const seat = event.seat(no)
        return seat ? [{ no, x: seat.x, y: seat.y, priceLevelId: seat.priceLevelId }] : []
      })
      const [first] = asked
      const section = first && event.sectionOfSeat(first.no)
      if (!first || !section) return []
      const around = Math.floor((first.no - section.firstSeat) / STRETCH)
      const from = section.firstSeat + Math.max(0, around - 1) * STRETCH
      const to = Math.min(section.firstSeat + (around + 2) * STRETCH, section.firstSeat + section.capacity)
      const free = await reads
        .read(`${event.id} ${from}`, () => readFreeSeats(db, event.id, from, to))
        .catch(() => [])
      const x = asked.reduce((sum, seat) => sum + seat.x, 0) / asked.length
      const y = asked.reduce((sum, seat) => sum + seat.y, 0) / asked.length
      const levels = levelsOf(asked)
      const alike = blocksOf(free, asked.length).filter(
        ({ seats }) => levelsOf(seats.map(({ no }) => event.seat(no))) === levels,
      )
      const fewest = new Map<number, number>()
      for (const { row, strands } of alike)
        fewest.set(row, Math.min(strands, fewest.get(row) ?? Number.POSITIVE_INFINITY))
      const near = alike
        .filter(({ row, strands }) => strands === fewest.get(row))
        .map(({ seats, strands }) => {
          const middle = event.seat((seats[Math.floor(seats.length / 2)] as FreeSeatRow).no)
          const far = middle ? Math.hypot(middle.x - x, middle.y - y) : Number.POSITIVE_INFINITY
          return { nos: seats.map(({ no }) => no), strands, far }
        })
        .sort((a, b) => a.strands - b.strands || a.far - b.far)
      return apart(near.map(({ nos }) => nos)).map((nos) => nos.toSorted((a, b) => a - b))
    },
  }
}

/** The price levels of seats, as a text that is the same for the same ones. */
function levelsOf(seats: readonly ({ priceLevelId: string } | undefined)[]): string {
  return seats
    .map((seat) => seat?.priceLevelId)
    .sort()
    .join()
}

/** Every block of `size` usual neighbours among the free seats of whole rows, and the single usual seats that it leaves. */
function blocksOf(free: readonly FreeSeatRow[], size: number) {
  const blocks: { row: number; seats: readonly FreeSeatRow[]; strands: number }[] = []
  const follows = (a: FreeSeatRow | undefined, b: FreeSeatRow | undefined) =>
    a !== undefined && b !== undefined && a.row === b.row && b.place - a.place === 1
  for (let i = 0; i + size <= free.length; i++) {
    const seats = free.slice(i, i + size)
    const [first, last] = [seats[0] as FreeSeatRow, seats[size - 1] as FreeSeatRow]
    if (first.row !== last.row || last.place - first.place !== size - 1) continue
    if (!seats.every(({ usual }) => usual)) continue
    const [before, after] = [free[i - 1], free[i + size]]
    const leavesLeft = before?.usual && follows(before, first) && !follows(free[i - 2], before)
    const leavesRight = after?.usual && follows(last, after) && !follows(after, free[i + size + 1])
    blocks.push({
      row: first.row,
      seats,
      strands: Number(leavesLeft ?? false) + Number(leavesRight ?? false),
    })
  }
  return blocks
}

/** Some of the first blocks, none of which shares a seat with another. */
function apart(blocks: readonly number[][]): number[][] {
  const disjoint: number[][] = []
  const taken = new Set<number>()
  for (const block of blocks) {
    if (block.some((no) => taken.has(no))) continue
    disjoint.push(block)
    for (const no of block) taken.add(no)
    if (disjoint.length === NEAREST) break
  }
  while (disjoint.length > MOST_BLOCKS) disjoint.splice(Math.floor(Math.random() * disjoint.length), 1)
  return disjoint
}
