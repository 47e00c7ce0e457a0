import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  /** An operation that was answered: its root field, and `ok`, a refusal's type or an error's code. */
  operation(field: string, outcome: string, seconds: number): void
  masked(): void
  request(route: string, status: number, seconds: number): void
  /** Told each number anew whenever somebody reads the metrics. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void
  /** In Prometheus's text format. */
  read(): Promise<{ contentType: string; text: string }>
}

/** Holds and polls take milliseconds, checkouts seconds. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 30]

export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const operations = new Histogram({
    name: 'fairgate_operation_seconds',
    help: 'GraphQL operations by root field and outcome: ok, the type of a refusal, or the code of an error.',
    labelNames: ['field', 'outcome'],
    buckets: BUCKETS,
    registers,
  })
  const masked = new Counter({
    name: 'fairgate_masked_errors_total',
    help: 'Errors that nobody foresaw, masked as INTERNAL.',
    registers,
  })
  const requests = new Histogram({
    name: 'fairgate_http_request_seconds',
    help: 'HTTP requests by route and status.',
    labelNames: ['route', 'status'],
    buckets: BUCKETS,
    registers,
  })

  return {
    operation: (field, outcome, seconds) => operations.observe({ field, outcome }, seconds),
    masked: () => masked.inc(),
    request: (route, status, seconds) => requests.observe({ route, status }, seconds),
    gauge(name, help, read) {
      new Gauge({
        name,
        help,
        registers,
        async collect() {
          // A source that is away leaves its number out; the others are told all the same.
          try {
            this.set(await read())
          } catch {
            this.reset()
          }
        },
      })
    },
    async read() {
      return { contentType: registry.contentType, text: await registry.metrics() }
    },
  }
}
