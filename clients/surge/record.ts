import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Order } from '../sdk/index.ts'
import type { Estimate, HalfwayEstimate } from './waitEstimates.ts'

/** How a fan's visit ended. */
export type Ending =
  | 'bought'
  | 'abandoned'
  | 'declined, and gave up'
  | 'too late'
  | 'stopped by an error'
  | 'time was up'

export type Whereabouts = 'outside' | 'in line' | 'inside' | 'holding' | 'gone'

/** What the crowd has experienced so far. */
export interface CrowdRecord {
  /** The event loop delay of this process. It is part of every latency below. */
  readonly ownDelay: ReturnType<typeof monitorEventLoopDelay>
  readonly started: number
  readonly whereabouts: Record<Whereabouts, number>
  readonly endings: Map<Ending, number>
  readonly orders: Order[]
  holds: number
  declines: number
  readonly refusals: Map<string, number>
  /** The first wait estimate of each fan. */
  readonly estimates: Estimate[]
  /** The estimate at half-way, of each admitted fan whose wait was long enough to judge it. */
  readonly halfway: HalfwayEstimate[]
  /** Milliseconds, by operation. */
  readonly latencies: Map<string, number[]>
  /** Requests that were retried, by reason. */
  readonly retries: Map<string, number>
  /** Errors that stopped a fan, by message. */
  readonly errors: Map<string, number>
}

export function createRecord(fans: number): CrowdRecord {
  const ownDelay = monitorEventLoopDelay({ resolution: 10 })
  ownDelay.enable()
  return {
    ownDelay,
    started: performance.now(),
    whereabouts: { outside: fans, 'in line': 0, inside: 0, holding: 0, gone: 0 },
    endings: new Map(),
    orders: [],
    holds: 0,
    declines: 0,
    refusals: new Map(),
    estimates: [],
    halfway: [],
    latencies: new Map(),
    retries: new Map(),
    errors: new Map(),
  }
}

export function countOne<Key>(counts: Map<Key, number>, key: Key) {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
