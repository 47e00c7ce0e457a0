/** One side of a comparison. */
export interface Side {
  readonly name: string
  /** Does the work once, for about as long as the other side. Returns the figure in the comparison's unit. */
  run(): Promise<number>
}

export interface Comparison {
  readonly title: string
  /** The unit of the figures: `requests/s`, `µs of CPU a message`, … */
  readonly unit: string
  /** The best possible figure, or the usual one, on this machine at this moment. */
  readonly limit: Side
  readonly ours: Side
  /** The target for the ratio of ours to the limit: at least (rates) or at most (costs). From DESIGN's table. */
  readonly atLeast?: number
  readonly atMost?: number
  /** Default: 5. */
  readonly rounds?: number
}

export interface Result {
  readonly limit: number
  readonly ours: number
  /** Median of the ratios of the rounds: other load on the machine affects both sides of a round alike. */
  readonly ratio: number
}

/**
 * Runs the limit and ours in alternation, each first as often as second, after a warm-up round that is not counted.
 * Prints the medians, the ratio with its range, and the target.
 */
export async function compare(comparison: Comparison): Promise<Result> {
  const { title, unit, limit, ours, rounds = 5 } = comparison
  await limit.run()
  await ours.run()
  const seen: { limit: number; ours: number }[] = []
  for (let round = 0; round < rounds; round++) {
    if (round % 2 === 0) {
      const first = await limit.run()
      seen.push({ limit: first, ours: await ours.run() })
    } else {
      const first = await ours.run()
      seen.push({ limit: await limit.run(), ours: first })
    }
  }
  const ratios = seen.map((round) => round.ours / round.limit)
  const result = {
    limit: median(seen.map((round) => round.limit)),
    ours: median(seen.map((round) => round.ours)),
    ratio: median(ratios),
  }
  print(`${title}`)
  print(`  ${limit.name}: ${figure(result.limit)} ${unit}`)
  print(`  ${ours.name}: ${figure(result.ours)} ${unit}`)
  const range = `${figure(Math.min(...ratios))} to ${figure(Math.max(...ratios))}`
  print(
    `  ratio ${figure(result.ratio)} (${range} in ${rounds} rounds)${verdict(result.ratio, comparison)}\n`,
  )
  return result
}

function verdict(ratio: number, { atLeast, atMost }: Comparison): string {
  if (atLeast !== undefined) return `, at least ${atLeast}: ${ratio >= atLeast ? 'reached' : 'missed'}`
  if (atMost !== undefined) return `, at most ${atMost}: ${ratio <= atMost ? 'kept' : 'exceeded'}`
  return ''
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const [upper = Number.NaN, lower = upper] = [sorted[middle], sorted[middle - 1]]
  return sorted.length % 2 === 1 ? upper : (lower + upper) / 2
}

/** Formats a number with three significant digits. */
export function figure(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
