import { AVAILABLE, type Seat } from '../sdk/index.ts'
import type { Random } from './random.ts'

/**
 * Picks `wanted` seats for a fan from a section as the fan saw it: a block side by side, near the front. Fans want
 * similar seats, so the choice varies only a little. A block that leaves no single seat beside it is preferred. Without
 * a block the seats are apart or fewer. Returns an empty list if no seat is free.
 */
export function pickSeats(
  seats: readonly Seat[],
  statuses: Uint8Array | null,
  wanted: number,
  random: Random,
): Seat[] {
  const free = seats.filter((seat) => !statuses || statuses[seat.index] === AVAILABLE)
  const blocks: Seat[][] = []
  for (const [i, seat] of free.entries()) {
    const block = free.slice(i, i + wanted)
    const last = block.at(-1)
    if (block.length === wanted && last?.row === seat.row && last.index - seat.index === wanted - 1)
      blocks.push(block)
  }
  const isFree = new Set(free)
  const kind = blocks.filter((block) => !leavesSingle(block, seats, isFree))
  const choices =
    kind.length > 0 ? kind : blocks.length > 0 ? blocks : free.map((_, i) => free.slice(i, i + wanted))
  // Squared, because fans want the front far more often than the back.
  return choices[Math.floor(random.next() ** 2 * choices.length)] ?? []
}

function leavesSingle(block: readonly Seat[], seats: readonly Seat[], isFree: ReadonlySet<Seat>): boolean {
  const row = block[0]?.row
  const free = (index: number) => {
    const seat = seats[index]
    return seat !== undefined && seat.row === row && isFree.has(seat)
  }
  const [first, last] = [block[0]?.index ?? 0, block.at(-1)?.index ?? 0]
  return (free(first - 1) && !free(first - 2)) || (free(last + 1) && !free(last + 2))
}
