import { collectDefaultMetrics, type Registry } from 'prom-client'

/** Gauges whose names Prometheus reserves for counters. Their sums by type, such as nodejs_active_handles, stay. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
]

/** Adds the metrics of Node and of the process to a registry. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry })
  for (const name of MISNAMED) registry.removeSingleMetric(name)
}
