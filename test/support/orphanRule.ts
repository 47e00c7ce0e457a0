import type { RowSeat } from './rows.ts'

/*
 * The rule of orphan seats, as docs/organizers.md describes it, by trying every other choice. The tests compare
 * prisma/functions with it.
 */

/** The stretches of free seats side by side, along the rows. */
function stretchesOf(seats: readonly RowSeat[], free: ReadonlySet<number>): RowSeat[][] {
  const stretches: RowSeat[][] = []
  for (const seat of seats
    .filter(({ no }) => free.has(no))
    .toSorted((a, b) => a.row - b.row || a.place - b.place)) {
    const last = stretches.at(-1)?.at(-1)
    if (last && last.row === seat.row && seat.place - last.place === 1) stretches.at(-1)?.push(seat)
    else stretches.push([seat])
  }
  return stretches
}

/** The single seats that a choice leaves of a stretch of seats. */
function singlesOf(stretch: readonly RowSeat[], chosen: ReadonlySet<number>): number[] {
  const isLeft = (seat: RowSeat | undefined) => seat !== undefined && !chosen.has(seat.no)
  return stretch
    .filter((seat, i) => seat.usual && isLeft(seat) && !isLeft(stretch[i - 1]) && !isLeft(stretch[i + 1]))
    .map(({ no }) => no)
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
): number[] {
  const stretches = stretchesOf(seats, free)
  return stretches
    .flatMap((stretch) => {
      const piece = stretch.filter(({ no }) => chosen.has(no))
      const singles = singlesOf(stretch, chosen)
      // A fan who needs a wheelchair seat cannot choose another seat.
      if (piece.length === 0 || piece.some(({ usual }) => !usual)) return []
      const isBetter = (other: readonly RowSeat[]) =>
        other.some((_, i) => {
          const block = other.slice(i, i + piece.length)
          return (
            block.length === piece.length &&
            block.every(({ usual }) => usual) &&
            levelsOf(block) === levelsOf(piece) &&
            singlesOf(other, numbersOf(block)).length < singles.length
          )
        })
      const isOpen = (other: readonly RowSeat[]) =>
        other[0]?.row === stretch[0]?.row && !other.some(({ no }) => chosen.has(no))
      return stretches.some((other) => (other === stretch || isOpen(other)) && isBetter(other)) ? singles : []
    })
    .sort((a, b) => a - b)
}
