/** A histogram of durations: the count of each step of a scale. The counts of many processes can be added. */
export type Durations = Map<number, number>

/** The distance between two steps: the middle of a step is within 5 percent of each duration in it. */
const STEP = Math.log(1.1)
const SHORTEST_MS = 0.01
/** One hour. It bounds the number of steps; no duration here is longer. */
const LONGEST_MS = 3_600_000

export function countDuration(durations: Durations, ms: number): void {
  const step = Math.ceil(Math.log(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms)) / SHORTEST_MS) / STEP)
  durations.set(step, (durations.get(step) ?? 0) + 1)
}

export function addDurations(durations: Durations, more: Iterable<readonly [number, number]>): void {
  for (const [step, count] of more) durations.set(step, (durations.get(step) ?? 0) + count)
}

/** Returns the percentile for `share` in milliseconds (nearest rank), to 5 percent; null without durations. */
export function percentileOf(durations: Durations, share: number): number | null {
  const steps = [...durations].sort(([a], [b]) => a - b)
  let left = Math.max(1, Math.ceil(share * countOf(durations)))
  for (const [step, count] of steps) {
    left -= count
    if (left <= 0) return SHORTEST_MS * Math.exp((step - 0.5) * STEP)
  }
  return null
}

export function countOf(durations: Durations): number {
  let count = 0
  for (const each of durations.values()) count += each
  return count
}
