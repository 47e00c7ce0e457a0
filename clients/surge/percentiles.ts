/** The value that `share` of the values reach at most (nearest rank); NaN of none. `sorted`: ascending. */
export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function ascending(values: readonly number[]): number[] {
  return Array.from(Float64Array.from(values).sort())
}
