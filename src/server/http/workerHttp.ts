import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Counter, Histogram, Registry } from 'prom-client'
import type { App } from '../../app.ts'
import type { Pacer } from '../../sale/pacer/pacer.ts'
import { StartFailed } from '../../startFailed.ts'
import { newRequestId } from '../graphql/requestId.ts'
import { createGauges } from '../metrics/gauges.ts'
import { collectProcessMetrics } from '../metrics/processMetrics.ts'
import { MOST_EVENTS, registerStoreGauges } from '../metrics/storeGauges.ts'
import { answerBrokenRequests } from './brokenRequests.ts'
import { responsesWith } from './identifiedResponse.ts'
import { HTTP_LIMITS, nodeOptions } from './limits/httpLimits.ts'
import { boundBody } from './pieces.ts'
import { NO_STORE, sendError, sendJson } from './responses.ts'
import { createReadiness } from './routes/health.ts'
import { createMetricsHttp } from './routes/metricsHttp.ts'
import { securityHeaders } from './securityHeaders.ts'

/** The HTTP server of a worker process, for ops: health and the metrics of its jobs. */
export interface WorkerHttp {
  /** Counts the outcomes of jobs: see src/jobs/bullmq/workers.ts. */
  readonly jobMetrics: {
    ran(job: string, outcome: string, seconds: number): void
    stalled(job: string): void
    replaced(job: string): void
  }
  /** Returns the tick with its outcomes counted. */
  countTicks(tick: Pacer['tick']): Pacer['tick']
  /** Null where the configuration names no port. Throws StartFailed where it cannot listen. */
  listen(): Promise<{ url: string } | null>
  /** From now on `/readyz` reports that the process is not ready. */
  drain(): void
  close(): void
}

/** Ticks take milliseconds, captures up to seconds, a nightly reconciliation minutes. */
const BUCKETS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 30, 120]

const OUTCOMES = ['called', 'nobody', 'none', 'failed'] as const

/** `/metrics`, `/healthz` and `/readyz` of a worker process. */
export function createWorkerHttp(app: App): WorkerHttp {
  const { env, sales, log } = app
  const registry = new Registry()
  const registers = [registry]
  collectProcessMetrics(registry)
  const gauges = createGauges(registry, log)
  registerStoreGauges(app, gauges)
  const jobs = new Histogram({
    name: 'fairgate_job_seconds',
    help: 'Runs of jobs by outcome: failed is retried, dead is not; later and skipped did nothing.',
    // Not `job`, which is a label of Prometheus itself.
    labelNames: ['name', 'outcome'],
    buckets: BUCKETS,
    registers,
  })
  const stalled = new Counter({
    name: 'fairgate_jobs_stalled_total',
    help: 'Runs that were lost with their process and started again.',
    labelNames: ['name'],
    registers,
  })
  const replaced = new Counter({
    name: 'fairgate_workers_replaced_total',
    help: 'Workers that were idle while work waited, and were replaced.',
    labelNames: ['name'],
    registers,
  })
  const ticked = new Set<string>()
  const ticks = new Counter({
    name: 'fairgate_pacer_ticks_total',
    help: 'Ticks of the pacer by outcome: called places; nobody: called none; none: had nothing to do, or another worker ran; failed.',
    labelNames: ['event', 'outcome'],
    registers,
    /** Keeps the series of the events that the gauges report; keeps all where these cannot be read. */
    async collect() {
      const active = await sales.active().catch(() => null)
      if (!active) return
      const kept = new Set(active.slice(0, MOST_EVENTS))
      for (const event of ticked) {
        if (kept.has(event)) continue
        for (const outcome of OUTCOMES) this.remove({ event, outcome })
        ticked.delete(event)
      }
    },
  })
  function countTick(event: string, outcome: (typeof OUTCOMES)[number]) {
    ticked.add(event)
    ticks.inc({ event, outcome })
  }
  const called = new Counter({
    name: 'fairgate_places_called_total',
    help: 'Places that this process called.',
    registers,
  })
  let isDraining = false

  const readiness = createReadiness(app)
  const metricsHttp = createMetricsHttp(gauges, env.metricsToken)
  const security = securityHeaders(env.publicUrl, false).data
  const options = { ...nodeOptions(HTTP_LIMITS), ServerResponse: responsesWith(security) }
  const http = createServer(options, async (request, response) => {
    Object.assign(response, { requestId: newRequestId() })
    if (!boundBody(request, false)) response.setHeader('connection', 'close')
    const path = request.url?.split('?')[0]
    try {
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD')
        sendError(response, 405, 'This address takes GET and HEAD.')
      } else if (path === '/healthz') sendJson(response, 200, { alive: true })
      else if (path === '/readyz') {
        const found = await readiness(isDraining)
        sendJson(response, found.ready ? 200 : 503, found, NO_STORE)
      } else if (path === '/metrics') await metricsHttp(request, response)
      else sendError(response, 404, 'There is nothing at this address.')
    } catch (error) {
      log.error({ err: error, path }, 'the HTTP server of the worker failed')
      if (!response.headersSent) sendError(response, 500, 'This cannot be read now.')
    }
  })

  http.timeout = HTTP_LIMITS.stalledTimeout
  // Every answer of this server is short, and complete before the next request is read.
  answerBrokenRequests(http, () => false, security)

  return {
    jobMetrics: {
      ran: (job, outcome, seconds) => jobs.observe({ name: job, outcome }, seconds),
      stalled: (job) => stalled.inc({ name: job }),
      replaced: (job) => replaced.inc({ name: job }),
    },
    countTicks: (tick) => async (eventId) => {
      try {
        const done = await tick(eventId)
        countTick(eventId, done === null ? 'none' : done.called > 0 ? 'called' : 'nobody')
        called.inc(done?.called ?? 0)
        return done
      } catch (error) {
        countTick(eventId, 'failed')
        throw error
      }
    },
    listen: async () => {
      const port = env.workerPort
      if (port === null) return null
      return new Promise((resolve, reject) => {
        http.once('error', (error) =>
          reject(new StartFailed(`WORKER_PORT: cannot listen at ${env.host}:${port} (${error.message}).`)),
        )
        http.listen({ port, host: env.host }, () => {
          const { port: actual } = http.address() as AddressInfo
          const url = `http://${env.host.includes(':') ? `[${env.host}]` : env.host}:${actual}`
          log.info({ url }, 'listening')
          resolve({ url })
        })
      })
    },
    drain() {
      isDraining = true
    },
    close() {
      http.close()
      http.closeAllConnections()
    },
  }
}
