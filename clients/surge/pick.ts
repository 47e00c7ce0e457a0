import { AVAILABLE, type Seat } from '../sdk/index.ts'
import type { Chance } from './chance.ts'

/**
 * What a person picks from a section as it was seen: a block side by side, as near to the front as it gets,
 * and as everybody wants the same the wish varies only a little. Fewer, or apart, where there is no block;
 * none where nothing is free.
 */
export function pickSeats(
  seats: readonly Seat[],
  statuses: Uint8Array | null,
  wanted: number,
  chance: Chance,
): Seat[] {
  const free = seats.filter((seat) => !statuses || statuses[seat.index] === AVAILABLE)
  const blocks: Seat[][] = []
  for (const [i, seat] of free.entries()) {
    const block = free.slice(i, i + wanted)
    const last = block.at(-1)
    if (block.length === wanted && last?.row === seat.row && last.index - seat.index === wanted - 1)
      blocks.push(block)
  }
  const choices = blocks.length > 0 ? blocks : free.map((_, i) => free.slice(i, i + wanted))
  // Squared: the front is asked for far more often than the back.
  return choices[Math.floor(chance.next() ** 2 * choices.length)] ?? []
}
