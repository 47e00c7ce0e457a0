import { AVAILABLE, HELD, NOT_FOR_SALE, SOLD } from '../../../../sdk/index.ts'

/** What a seat looks like: one of five looks, and the marks CHOSEN, STRANDED and FADED. */
export const LOOKS = ['free', 'held', 'sold', 'closed', 'unknown'] as const
export type Look = (typeof LOOKS)[number]

const LOOK_BITS = 7
export const CHOSEN = 8
/** A single seat that the choice would leave. */
export const STRANDED = 16
/** A seat that does not match the filters. */
export const FADED = 32

const LOOK_OF_STATUS: Readonly<Record<number, number>> = {
  [AVAILABLE]: 0,
  [HELD]: 1,
  [SOLD]: 2,
  [NOT_FOR_SALE]: 3,
}

export interface SeatView {
  /** By seat index; null while the statuses are not known. */
  readonly statuses: Uint8Array | null
  /** Indexes of seats. */
  readonly chosen: readonly number[]
  readonly stranded: readonly number[]
  /** 1 for each seat that matches the filters; null without filters. */
  readonly matches: Uint8Array | null
}

/** One byte for each of `count` seats: its look and its marks. */
export function seatStates(count: number, { statuses, chosen, stranded, matches }: SeatView): Uint8Array {
  const states = new Uint8Array(count)
  for (let i = 0; i < count; i++) {
    states[i] =
      (statuses ? (LOOK_OF_STATUS[statuses[i] ?? 0] ?? 4) : 4) | (matches && !matches[i] ? FADED : 0)
  }
  for (const i of chosen) states[i] = (states[i] ?? 0) | CHOSEN
  for (const i of stranded) states[i] = (states[i] ?? 0) | STRANDED
  return states
}

export function lookOf(state: number): Look {
  return LOOKS[state & LOOK_BITS] ?? 'unknown'
}

export function isFree(state: number): boolean {
  return lookOf(state) === 'free'
}

/** The indexes at which the states differ; all of them where there are no earlier states. */
export function changedSeats(before: Uint8Array | null, after: Uint8Array): number[] {
  const changed: number[] = []
  for (let i = 0; i < after.length; i++) if (!before || before[i] !== after[i]) changed.push(i)
  return changed
}
