/** How long things took, such that many processes' counts add up to one: how many fell into which step of a scale. */
export type Durations = Map<number, number>

/** From one step to the next: the middle of a step is within 5 percent of whatever fell into it. */
const STEP = Math.log(1.1)
const SHORTEST_MS = 0.01
/** An hour: nothing here takes longer, and a count has an end. */
const LONGEST_MS = 3_600_000

export function countDuration(durations: Durations, ms: number): void {
  const step = Math.ceil(Math.log(Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms)) / SHORTEST_MS) / STEP)
  durations.set(step, (durations.get(step) ?? 0) + 1)
}

export function addDurations(durations: Durations, more: Iterable<readonly [number, number]>): void {
  for (const [step, count] of more) durations.set(step, (durations.get(step) ?? 0) + count)
}

/** Milliseconds that `share` of them took at most (nearest rank), to 5 percent; null of none. */
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
