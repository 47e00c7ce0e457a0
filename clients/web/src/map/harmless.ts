import { AVAILABLE } from '../../../sdk/index.ts'
import type { Choice } from '../model/choice.ts'
import type { ChosenSeat, SeenSection } from '../model/chosenSeats.ts'
import { pitchOf, type Run, rowsOf, runsOf } from './geometry/seatRows.ts'

/**
 * Returns the choice nearest to one that would leave single seats: as many seats of the same prices, side by side as before,
 * that leave none; null where the page finds none. `stranded`: ids of the single seats.
 */
export function nearestHarmless(
  choice: Pick<Choice, 'find' | 'seen'>,
  seatIds: readonly string[],
  stranded: readonly string[],
): string[] | null {
  const chosen = seatIds.flatMap((id) => choice.find(id) ?? [])
  const bySection = Map.groupBy(chosen, ({ section }) => section)
  const better: string[] = []
  for (const [section, own] of bySection) {
    const seen = choice.seen(section)
    const moved = seen && movedIn(seen, own, new Set(stranded))
    if (!moved) return null
    better.push(...moved)
  }
  const isOther = better.length === seatIds.length && better.some((id) => !seatIds.includes(id))
  return isOther ? better : null
}

function movedIn(
  { seats, statuses }: SeenSection,
  own: readonly ChosenSeat[],
  stranded: ReadonlySet<string>,
): string[] | null {
  let taken = new Set(own.map(({ seat }) => seat.index))
  const isFree = (i: number) => statuses[i] === AVAILABLE || own.some(({ seat }) => seat.index === i)
  for (const run of runsOf(seats, rowsOf(seats), pitchOf(seats))) {
    if (!run.some((i) => stranded.has(seats[i]?.id ?? ''))) continue
    for (const block of blocksOf(run, taken)) {
      if (singles(run, taken, isFree) === 0) break
      const moved = places(run, block)
        .map((place) => new Set([...taken].filter((i) => !block.includes(i)).concat(place)))
        .find(
          (next) =>
            next.size === taken.size &&
            [...next].every(isFree) &&
            sameKinds(seats, taken, next) &&
            singles(run, next, isFree) < singles(run, taken, isFree),
        )
      if (moved) taken = moved
    }
    if (singles(run, taken, isFree) > 0) return null
  }
  return [...taken].map((i) => seats[i]?.id ?? '')
}

/** The taken seats of a run, in groups of seats side by side. */
function blocksOf(run: Run, taken: ReadonlySet<number>): number[][] {
  const blocks: number[][] = []
  for (const [n, i] of run.entries()) {
    if (!taken.has(i)) continue
    if (n > 0 && taken.has(run[n - 1] as number)) blocks.at(-1)?.push(i)
    else blocks.push([i])
  }
  return blocks
}

/** The other places in the run for a block of that length, the nearest first. */
function places(run: Run, block: readonly number[]): number[][] {
  const from = run.indexOf(block[0] as number)
  return Array.from({ length: run.length - block.length + 1 }, (_, start) => start)
    .filter((start) => start !== from)
    .sort((a, b) => Math.abs(a - from) - Math.abs(b - from))
    .map((start) => run.slice(start, start + block.length))
}

/** The number of free seats that the choice leaves alone, and that were not alone before. */
function singles(run: Run, taken: ReadonlySet<number>, isFree: (i: number) => boolean): number {
  const neighbours = (n: number) =>
    [run[n - 1], run[n + 1]].filter((i) => i !== undefined && isFree(i)) as number[]
  return run.filter((i, n) => {
    const beside = neighbours(n)
    return isFree(i) && !taken.has(i) && beside.length > 0 && beside.every((other) => taken.has(other))
  }).length
}

/** The same prices, and no seat that is kept for wheelchairs and companions in place of another one. */
function sameKinds(seats: SeenSection['seats'], a: ReadonlySet<number>, b: ReadonlySet<number>): boolean {
  const kinds = (of: ReadonlySet<number>) =>
    [...of]
      .map((i) => `${seats[i]?.priceLevelId} ${seats[i]?.wheelchair} ${seats[i]?.companionOf}`)
      .sort()
      .join()
  return kinds(a) === kinds(b)
}
