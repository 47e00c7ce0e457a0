import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { StartFailed } from '../startFailed.ts'
import { readTrustedDocuments } from '../trustedDocuments.ts'
import { createIdentities } from './auth/identity.ts'
import { createBroadcaster } from './broadcast/broadcaster.ts'
import { createPipeline } from './graphql/lanes.ts'
import { createOutcomes } from './graphql/outcomes.ts'
import { limitsFor, measuredPriority } from './graphql/priority.ts'
import { createYogaLane } from './graphql/yoga.ts'
import { createHttp } from './http/http.ts'
import { createAccountShares } from './http/limits/accountShares.ts'
import { createMetrics } from './metrics/metrics.ts'
import { registerSaleGauges, registerStoreGauges } from './metrics/storeGauges.ts'
import { createSockets } from './sockets/sockets.ts'

export interface Server {
  /** Returns the address. Throws StartFailed where the port is in use, or the server cannot listen. */
  listen(): Promise<{ url: string }>
  /** From now on `/readyz` reports that the process is not ready. Everything is still served. */
  drain(): void
  /**
   * Accepts nothing new, waits up to `deadlineMs` for what is under way, then closes the remaining connections. Clients of
   * sockets reconnect to other servers.
   */
  close(deadlineMs: number): Promise<void>
}

/**
 * Connections that may wait to be accepted: a crowd opens thousands in a second. Node's default of 511 lost 28,000
 * connections in a rehearsal of 3,000 fans, and each client retried after 1, 3 or 7 seconds (TCP's retransmission). The
 * system's net.core.somaxconn bounds this value.
 */
const BACKLOG = 4_096

/** Time for a load balancer to notice that this process is not ready. The embedded default has no load balancer. */
const UNREADY_MS = 2_000
const POLL_MS = 20

/** The parts that all lanes of the API process share. Tests set other limits. */
export function createServerParts(app: App, limits = limitsFor(app.env.databasePool)) {
  const { log } = app
  const metrics = createMetrics(log)
  const outcomes = createOutcomes({ log, metrics })
  const { introspection, trustedDocuments } = app.env
  const pipeline = createPipeline(outcomes, {
    introspection,
    trustedDocuments: trustedDocuments && readTrustedDocuments(trustedDocuments.files),
  })
  return {
    app,
    metrics,
    outcomes,
    pipeline,
    identities: createIdentities({ ...app, onRefused: metrics.tokenRefused }),
    broadcaster: createBroadcaster({ app, pipeline, outcomes, metrics }),
    yoga: createYogaLane({ log, pipeline, outcomes }),
    priority: measuredPriority(metrics, {
      limits,
      isKnown: app.catalogue.isKnown,
      lookFor: app.catalogue.lookFor,
    }),
    accountShares: createAccountShares(limits, () => metrics.httpRefused('operation')),
  }
}

/** The API process: HTTP and sockets over one app. */
export function createServer(app: App): Server {
  const { env, log } = app
  const parts = createServerParts(app)
  const sockets = createSockets(parts)
  const responses = new Set<ServerResponse>()
  let isDraining = false
  let isClosing = false

  const http = createHttp({
    ...parts,
    traffic: {
      isDraining: () => isDraining,
      isClosing: () => isClosing,
      begin: (response) => void responses.add(response),
      end: (response) => void responses.delete(response),
    },
  })
  sockets.attach(http)
  registerSaleGauges(app, parts.metrics)
  registerStoreGauges(app, parts.metrics)

  /** Event streams never finish by themselves. Their clients reconnect to another server. */
  function endStreams() {
    for (const response of responses)
      if (String(response.getHeader('content-type')).startsWith('text/event-stream')) response.destroy()
  }

  return {
    async listen() {
      // Before the process serves anything: at the first hold it would block the event loop.
      await app.db.load()
      return new Promise((resolve, reject) => {
        http.once('error', (error: NodeJS.ErrnoException) => {
          const address = `${env.host}:${env.port}`
          const reason =
            error.code === 'EADDRINUSE'
              ? `PORT: ${address} is taken by another process.`
              : `HOST, PORT: cannot listen at ${address} (${error.message}).`
          reject(new StartFailed(reason))
        })
        http.listen({ port: env.port, host: env.host, backlog: BACKLOG }, () => {
          const { port } = http.address() as AddressInfo
          const url = `http://${env.host.includes(':') ? `[${env.host}]` : env.host}:${port}`
          log.info({ url }, 'listening')
          resolve({ url })
        })
      })
    },

    drain() {
      isDraining = true
    },

    async close(deadlineMs) {
      isDraining = true
      const deadline = performance.now() + deadlineMs
      if (!env.embedded) await sleep(Math.min(UNREADY_MS, deadlineMs / 10))
      isClosing = true
      sockets.drain()
      while ((responses.size > 0 || sockets.running > 0) && performance.now() < deadline) {
        endStreams()
        await sleep(POLL_MS)
      }
      const closed = new Promise((resolve) => http.close(resolve))
      await sockets.close()
      http.closeAllConnections()
      await closed
    },
  }
}
