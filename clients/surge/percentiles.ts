/** The percentile by nearest rank; `share` is from 0 to 1. NaN for an empty list. `sorted` is ascending. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function ascending(values: readonly number[]): number[] {
  return Array.from(Float64Array.from(values).sort())
}
