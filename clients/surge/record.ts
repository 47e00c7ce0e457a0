import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { Order } from '../sdk/index.ts'
import type { Estimate, HalfwayEstimate } from './waitEstimates.ts'

/** How a person's evening ended. */
export type Ending =
  | 'bought'
  | 'abandoned'
  | 'declined, and gave up'
  | 'too late'
  | 'could not go on'
  | 'time was up'

export type Whereabouts = 'outside' | 'in line' | 'inside' | 'holding' | 'gone'

/** Everything that the crowd saw, as it happens. */
export interface CrowdRecord {
  /** How late this process itself was, all the while: part of every latency below. */
  readonly ownDelay: ReturnType<typeof monitorEventLoopDelay>
  readonly started: number
  readonly whereabouts: Record<Whereabouts, number>
  readonly endings: Map<Ending, number>
  readonly orders: Order[]
  holds: number
  declines: number
  readonly refusals: Map<string, number>
  /** The first that each was given. */
  readonly estimates: Estimate[]
  /** What stood at half-way, of everybody who came in after a wait that is long enough to tell. */
  readonly halfway: HalfwayEstimate[]
  /** Milliseconds, by what was asked. */
  readonly latencies: Map<string, number[]>
  /** Answers that were lost or put off, and asked for again, by reason. */
  readonly setbacks: Map<string, number>
  /** What stopped somebody, by its message. */
  readonly troubles: Map<string, number>
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
    setbacks: new Map(),
    troubles: new Map(),
  }
}

export function countOne<Key>(counts: Map<Key, number>, key: Key) {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}
