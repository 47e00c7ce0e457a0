import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Registry } from 'prom-client'
import { createGauges, type Gauges } from './gauges.ts'
import { createTimings } from './timings.ts'

/** What the API process counts. */
export interface Metrics extends Gauges {
  /** An operation that was answered: its root field, and `ok`, a refusal's type or an error's code. */
  operation(field: string, outcome: string, seconds: number): void
  masked(): void
  /** An operation was told OVERLOADED instead of a turn: see priority.ts. */
  turnedAway(of: string): void
  /** A socket that took nothing for too long was given up. */
  slowSocket(): void
  request(route: string, status: number, seconds: number): void
}

/** Holds and polls take milliseconds, checkouts seconds. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 30]

export function createMetrics(log: Logger): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const operations = createTimings({
    name: 'fairgate_operation_seconds',
    help: 'GraphQL operations by root field and outcome: ok, the type of a refusal, or the code of an error.',
    labelNames: ['field', 'outcome'],
    buckets: BUCKETS,
    registry,
  })
  const masked = new Counter({
    name: 'fairgate_masked_errors_total',
    help: 'Errors that nobody foresaw, masked as INTERNAL.',
    registers,
  })
  const turnedAway = new Counter({
    name: 'fairgate_operations_turned_away_total',
    help: 'Operations that were told OVERLOADED instead of a turn, by class.',
    labelNames: ['class'],
    registers,
  })
  const slowSockets = new Counter({
    name: 'fairgate_slow_sockets_total',
    help: 'Sockets that were given up since they took nothing of what they were sent.',
    registers,
  })
  const requests = createTimings({
    name: 'fairgate_http_request_seconds',
    help: 'HTTP requests by route and status.',
    labelNames: ['route', 'status'],
    buckets: BUCKETS,
    registry,
  })

  return {
    operation: (field, outcome, seconds) => operations.observe(field, outcome, seconds),
    masked: () => masked.inc(),
    turnedAway: (of) => turnedAway.inc({ class: of }),
    slowSocket: () => slowSockets.inc(),
    request: (route, status, seconds) => requests.observe(route, String(status), seconds),
    ...createGauges(registry, log),
  }
}
