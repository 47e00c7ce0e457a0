import { createSharedReads } from '../../async/sharedReads.ts'
import type { Database } from '../../sql/database/database.ts'
import { type FreeSeatRow, readFreeSeats } from '../../sql/seats.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'

/** Blocks of seats to offer with a refusal. */
export interface Alternatives {
  /**
   * Up to three of the nearest blocks of seats side by side, with as many seats as these and at the same price levels.
   * Their seat numbers are free in a read that began after the call.
   *
   * A block that strands more single seats than another block of its row is left out: where a sale forbids orphan seats
   * it would be refused, see prisma/functions/stranded_seats.sql. Returns no block where the database does not answer.
   */
  near(event: CatalogueEvent, seatNos: readonly number[]): Promise<number[][]>
}

const MAX_BLOCKS = 3
/** Each refusal names some of these blocks at random: if all named the same, the same fans would collide again. */
const NEAREST_BLOCKS = 8
/** Seats in the plan's order, about a dozen rows. Refusals in the same part of the hall share one read. */
const PART_SEATS = 256

/**
 * Refusals stay cheap when every fan is refused: the callers that lose seats in one part of the hall at the same time
 * share one read of its free seats.
 */
export function createAlternatives(db: Database): Alternatives {
  const reads = createSharedReads<FreeSeatRow[]>()

  return {
    async near(event, seatNos) {
      const lost = seatNos.flatMap((no) => {
        const seat = event.seat(no)
        return seat ? [{ no, x: seat.x, y: seat.y, priceLevelId: seat.priceLevelId }] : []
      })
      const [first] = lost
      const section = first && event.sectionOfSeat(first.no)
      if (!first || !section) return []
      const part = Math.floor((first.no - section.firstSeat) / PART_SEATS)
      const from = section.firstSeat + Math.max(0, part - 1) * PART_SEATS
      const to = Math.min(section.firstSeat + (part + 2) * PART_SEATS, section.firstSeat + section.capacity)
      const free = await reads
        .read(`${event.id} ${from}`, () => readFreeSeats(db, event.id, from, to))
        .catch(() => [])
      const x = lost.reduce((sum, seat) => sum + seat.x, 0) / lost.length
      const y = lost.reduce((sum, seat) => sum + seat.y, 0) / lost.length
      const levels = levelsOf(lost)
      const equal = blocksOf(free, lost.length).filter(
        ({ seats }) => levelsOf(seats.map(({ no }) => event.seat(no))) === levels,
      )
      const fewest = new Map<number, number>()
      for (const { row, strands } of equal)
        fewest.set(row, Math.min(strands, fewest.get(row) ?? Number.POSITIVE_INFINITY))
      const nearest = equal
        .filter(({ row, strands }) => strands === fewest.get(row))
        .map(({ seats, strands }) => {
          const middle = event.seat((seats[Math.floor(seats.length / 2)] as FreeSeatRow).no)
          const distance = middle ? Math.hypot(middle.x - x, middle.y - y) : Number.POSITIVE_INFINITY
          return { nos: seats.map(({ no }) => no), strands, distance }
        })
        .sort((a, b) => a.strands - b.strands || a.distance - b.distance)
      return chooseDisjoint(nearest.map(({ nos }) => nos)).map((nos) => nos.toSorted((a, b) => a - b))
    },
  }
}

/** The price levels of the seats as a text, equal for equal levels. */
function levelsOf(seats: readonly ({ priceLevelId: string } | undefined)[]): string {
  return seats
    .map((seat) => seat?.priceLevelId)
    .sort()
    .join()
}

/**
 * Cuts each closed row open at a seat that is not free, so that seats side by side have positions that differ by one. A
 * closed row whose seats are all free stays as it is.
 */
function withRingsOpened(free: readonly FreeSeatRow[]): readonly FreeSeatRow[] {
  if (free.every(({ ringSize }) => ringSize === 0)) return free
  return [...Map.groupBy(free, ({ row }) => row).values()].flatMap((row) => {
    const { ringSize } = row[0] as FreeSeatRow
    if (ringSize === 0 || row.length === ringSize) return row
    const gap = row.findIndex(({ position }, i) => position !== i + 1) + 1 || row.length + 1
    const opened = row.map((seat) => ({ ...seat, position: (seat.position - gap + ringSize) % ringSize }))
    return opened.sort((a, b) => a.position - b.position)
  })
}

/** Every block of `size` usual neighbours among the free seats, and the number of single usual seats that it strands. */
function blocksOf(seatsOfRows: readonly FreeSeatRow[], size: number) {
  const free = withRingsOpened(seatsOfRows)
  const blocks: { row: number; seats: readonly FreeSeatRow[]; strands: number }[] = []
  const isStrandable = (seat: FreeSeatRow | undefined) =>
    seat?.usual && !seat.atTable && !(seat.ringSize > 0 && isWhole(seat))
  const isWhole = ({ row, ringSize }: FreeSeatRow) =>
    free.filter((other) => other.row === row).length === ringSize
  const follows = (a: FreeSeatRow | undefined, b: FreeSeatRow | undefined) =>
    a !== undefined && b !== undefined && a.row === b.row && b.position - a.position === 1
  for (let i = 0; i + size <= free.length; i++) {
    const seats = free.slice(i, i + size)
    const [first, last] = [seats[0] as FreeSeatRow, seats[size - 1] as FreeSeatRow]
    if (first.row !== last.row || last.position - first.position !== size - 1) continue
    if (!seats.every(({ usual }) => usual)) continue
    const [before, after] = [free[i - 1], free[i + size]]
    const strandsLeft = isStrandable(before) && follows(before, first) && !follows(free[i - 2], before)
    const strandsRight = isStrandable(after) && follows(last, after) && !follows(after, free[i + size + 1])
    blocks.push({
      row: first.row,
      seats,
      strands: Number(strandsLeft ?? false) + Number(strandsRight ?? false),
    })
  }
  return blocks
}

/** Up to three of the first blocks, at random; no two of them share a seat. */
function chooseDisjoint(blocks: readonly number[][]): number[][] {
  const disjoint: number[][] = []
  const taken = new Set<number>()
  for (const block of blocks) {
    if (block.some((no) => taken.has(no))) continue
    disjoint.push(block)
    for (const no of block) taken.add(no)
    if (disjoint.length === NEAREST_BLOCKS) break
  }
  while (disjoint.length > MAX_BLOCKS) disjoint.splice(Math.floor(Math.random() * disjoint.length), 1)
  return disjoint
}
