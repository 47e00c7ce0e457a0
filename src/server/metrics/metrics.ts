import type { Logger } from 'pino'
import { Counter, Registry } from 'prom-client'
import { createGauges, type Gauges } from './gauges.ts'
import { collectProcessMetrics } from './processMetrics.ts'
import { createTimings } from './timings.ts'

/** The metrics of the API process. */
export interface Metrics extends Gauges {
  /** Counts an answered operation. The outcome is `ok`, the type of a refusal, or the code of an error. */
  operation(field: string, outcome: string, seconds: number): void
  /** Counts an error that the client received as INTERNAL. */
  masked(): void
  /** Counts an operation that was refused with OVERLOADED: see priority.ts. */
  refused(of: string): void
  /** Counts a socket that was terminated because it read nothing for too long. */
  slowSocket(): void
  /** Counts a socket that was refused because its address, its account or the process had too many. */
  socketRefused(reason: 'address' | 'storm' | 'all' | 'account'): void
  /** Counts a connection, a request or an event stream that was refused because its client or the process had too many. */
  httpRefused(reason: 'address' | 'all' | 'stream' | 'operation'): void
  /** Counts a connection of HTTP that was closed because its client did not read. */
  slowConnection(): void
  request(route: string, status: number, seconds: number): void
  /** Counts an account token that is not valid, by the part or claim at fault. */
  tokenRefused(fault: string): void
}

/** Holds and polls take milliseconds, checkouts seconds. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 30]

export function createMetrics(log: Logger): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectProcessMetrics(registry)
  const operations = createTimings({
    name: 'fairgate_operation_seconds',
    help: 'GraphQL operations by root field and outcome: ok, the type of a refusal, or the code of an error.',
    labelNames: ['field', 'outcome'],
    buckets: BUCKETS,
    registry,
  })
  const masked = new Counter({
    name: 'fairgate_masked_errors_total',
    help: 'Unexpected errors, masked as INTERNAL.',
    registers,
  })
  const refused = new Counter({
    name: 'fairgate_operations_turned_away_total',
    help: 'Operations that were refused with OVERLOADED, by class.',
    labelNames: ['class'],
    registers,
  })
  const slowSockets = new Counter({
    name: 'fairgate_slow_sockets_total',
    help: 'Sockets that were terminated because they read nothing for too long.',
    registers,
  })
  const refusedSockets = new Counter({
    name: 'fairgate_sockets_refused_total',
    help: 'Sockets that were refused: their address, their account or the process had too many, or a storm of one address.',
    labelNames: ['reason'],
    registers,
  })
  const refusedHttp = new Counter({
    name: 'fairgate_http_refused_total',
    help: 'Connections that were refused because their address or the process had too many; event streams; and operations of an account that had too many under way.',
    labelNames: ['reason'],
    registers,
  })
  const slowConnections = new Counter({
    name: 'fairgate_slow_connections_total',
    help: 'Connections of HTTP that were closed because their clients did not read.',
    registers,
  })
  const refusedTokens = new Counter({
    name: 'fairgate_account_tokens_refused_total',
    help: 'Account tokens that are not valid, by fault: a claim (iss, aud, sub, nbf, exp), or form, key, signature.',
    labelNames: ['fault'],
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
    refused: (of) => refused.inc({ class: of }),
    slowSocket: () => slowSockets.inc(),
    socketRefused: (reason) => refusedSockets.inc({ reason }),
    httpRefused: (reason) => refusedHttp.inc({ reason }),
    slowConnection: () => slowConnections.inc(),
    tokenRefused: (fault) => refusedTokens.inc({ fault }),
    request: (route, status, seconds) => requests.observe(route, String(status), seconds),
    ...createGauges(registry, log),
  }
}
