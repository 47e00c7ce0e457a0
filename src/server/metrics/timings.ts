import type { Metric, Registry } from 'prom-client'

export interface TimingsOptions {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly [string, string]
  /** Upper bounds of the buckets, in seconds, ascending. */
  readonly buckets: readonly number[]
  readonly registry: Registry
}

/** The observations of one pair of labels. */
interface Series {
  readonly labels: Record<string, string>
  /** By bucket; the last counts the observations above the last bound. */
  readonly counts: number[]
  sum: number
  count: number
}

/**
 * A histogram of two labels, in the format of prom-client's own. prom-client checks, sorts and joins the labels for each
 * observation, and a request makes two of them: bench/waiting-room-json.ts.
 */
export function createTimings({ name, help, labelNames, buckets, registry }: TimingsOptions) {
  const series = new Map<string, Map<string, Series>>()

  function seriesOf(first: string, second: string): Series {
    const others = series.get(first) ?? new Map<string, Series>()
    if (others.size === 0) series.set(first, others)
    const known = others.get(second)
    if (known) return known
    const labels = { [labelNames[0]]: first, [labelNames[1]]: second }
    const added = { labels, counts: new Array(buckets.length + 1).fill(0), sum: 0, count: 0 }
    others.set(second, added)
    return added
  }

  function* valuesOf({ labels, counts, sum, count }: Series) {
    let total = 0
    for (const [i, bound] of buckets.entries()) {
      total += counts[i] as number
      yield { metricName: `${name}_bucket`, labels: { ...labels, le: bound }, value: total }
    }
    yield { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count }
    yield { metricName: `${name}_sum`, labels, value: sum }
    yield { metricName: `${name}_count`, labels, value: count }
  }

  const metric = {
    name,
    get: async () => {
      const values = [...series.values()].flatMap((others) =>
        [...others.values()].flatMap((one) => [...valuesOf(one)]),
      )
      return { name, help, type: 'histogram', aggregator: 'sum', values }
    },
  }
  // The registry uses no other part of a metric.
  registry.registerMetric(metric as unknown as Metric)

  return {
    observe(first: string, second: string, seconds: number): void {
      const one = seriesOf(first, second)
      let bucket = 0
      while (bucket < buckets.length && seconds > (buckets[bucket] as number)) bucket++
      ;(one.counts[bucket] as number)++
      one.sum += seconds
      one.count++
    },
  }
}
