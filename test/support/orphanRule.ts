import type { RowSeat } from './rows.ts'

/*
 * The rule of orphan seats, as docs/organizers.md describes it, by trying every other choice. The tests compare
 * prisma/functions with it.
 */

/** The seats beside each seat, by number. */
export type Beside = ReadonlyMap<number, readonly number[]>

/** Free seats side by side, from one end to the other; of a closed row all around. */
interface Stretch {
  readonly seats: readonly RowSeat[]
  readonly isClosed: boolean
}

/** Two seats of a row are side by side where their places differ by one. */
function besideInRows(seats: readonly RowSeat[]): Beside {
  const byPlace = new Map(seats.map(({ no, row, place }) => [`${row} ${place}`, no]))
  return new Map(
    seats.map(({ no, row, place }) => [
      no,
      [place - 1, place + 1].flatMap((other) => byPlace.get(`${row} ${other}`) ?? []),
    ]),
  )
}

function stretchesOf(seats: readonly RowSeat[], free: ReadonlySet<number>, beside: Beside): Stretch[] {
  const byNo = new Map(seats.map((seat) => [seat.no, seat]))
  const open = new Set(free)
  const neighbours = (no: number) => (beside.get(no) ?? []).filter((other) => free.has(other))
  const walk = (first: number): RowSeat[] => {
    const walked: RowSeat[] = []
    for (let no: number | undefined = first; no !== undefined; ) {
      open.delete(no)
      walked.push(byNo.get(no) as RowSeat)
      no = neighbours(no).find((other) => open.has(other))
    }
    return walked
  }
  const ends = [...free].filter((no) => neighbours(no).length < 2)
  const paths = ends.flatMap((no) => (open.has(no) ? [{ seats: walk(no), isClosed: false }] : []))
  const rings = [...free].flatMap((no) => (open.has(no) ? [{ seats: walk(no), isClosed: true }] : []))
  return [...paths, ...rings]
}

/** The single seats that a choice leaves of a stretch of seats. A seat at a table is never one. */
function singlesOf({ seats }: Stretch, chosen: ReadonlySet<number>, beside: Beside): number[] {
  const left = new Set(seats.map(({ no }) => no).filter((no) => !chosen.has(no)))
  return seats
    .filter(
      ({ no, usual, atTable }) =>
        usual && !atTable && left.has(no) && !beside.get(no)?.some((other) => left.has(other)),
    )
    .map(({ no }) => no)
}

/** Every choice of as many seats side by side. */
function blocksOf({ seats, isClosed }: Stretch, size: number): RowSeat[][] {
  if (size > seats.length) return []
  const starts = isClosed ? seats.length : seats.length - size + 1
  return Array.from({ length: starts }, (_, i) => [...seats, ...seats].slice(i, i + size))
}

const numbersOf = (seats: readonly RowSeat[]) => new Set(seats.map(({ no }) => no))
const levelsOf = (seats: readonly RowSeat[]) =>
  seats
    .map(({ levelNo }) => levelNo)
    .sort()
    .join()

/**
 * The single seats that a choice of free seats strands needlessly: as many seats side by side, at the same prices and in
 * the same row, would strand fewer. Ascending.
 */
export function strandedNeedlessly(
  seats: readonly RowSeat[],
  free: ReadonlySet<number>,
  chosen: ReadonlySet<number>,
  beside: Beside = besideInRows(seats),
): number[] {
  const stretches = stretchesOf(seats, free, beside)
  return stretches
    .flatMap((stretch) => {
      const piece = stretch.seats.filter(({ no }) => chosen.has(no))
      const singles = singlesOf(stretch, chosen, beside)
      // A fan who needs a wheelchair seat cannot choose another seat.
      if (piece.length === 0 || piece.some(({ usual }) => !usual)) return []
      const isBetter = (other: Stretch) =>
        blocksOf(other, piece.length).some(
          (block) =>
            block.every(({ usual }) => usual) &&
            levelsOf(block) === levelsOf(piece) &&
            singlesOf(other, numbersOf(block), beside).length < singles.length,
        )
      const isOpen = (other: Stretch) =>
        other.seats[0]?.row === stretch.seats[0]?.row && !other.seats.some(({ no }) => chosen.has(no))
      return stretches.some((other) => (other === stretch || isOpen(other)) && isBetter(other)) ? singles : []
    })
    .sort((a, b) => a - b)
}
