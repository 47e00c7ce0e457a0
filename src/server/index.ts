import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { App } from '../app.ts'
import { StartFailed } from '../startFailed.ts'
import { createIdentities } from './auth/identity.ts'
import { createBroadcaster } from './broadcast/broadcaster.ts'
import { createGraphql } from './graphql/graphql.ts'
import { createOutcomes } from './graphql/outcomes.ts'
import { watchedPriority } from './graphql/priority.ts'
import { createHttp } from './http/http.ts'
import { createMetrics } from './metrics/metrics.ts'
import { registerSaleGauges, registerStoreGauges } from './metrics/storeGauges.ts'
import { createSockets } from './sockets/sockets.ts'

export interface Server {
  /** Throws StartFailed where the port is taken or cannot be listened at. */
  listen(): Promise<{ url: string }>
  /** `/readyz` says no from now on; everything is served all the same. */
  drain(): void
  /**
   * Takes nothing new, lets what was begun finish for up to `deadlineMs`, then cuts off the rest. Sockets are sent
   * to other servers.
   */
  close(deadlineMs: number): Promise<void>
}

/**
 * Connections that may wait to be taken: a crowd opens thousands in a second. With Node's 511 a rehearsal of 3,000
 * lost 28,000 of them, and every one came back after 1, 3 or 7 seconds (TCP's own patience). The system's
 * net.core.somaxconn is the ceiling.
 */
const BACKLOG = 4_096

/** How long a load balancer may take to see that this process is not ready. In the embedded default there is none. */
const UNREADY_MS = 2_000
const LOOK_AGAIN_MS = 20

/** The API process: HTTP and sockets over one app. */
export function createServer(app: App): Server {
  const { env, log } = app
  const metrics = createMetrics(log)
  const outcomes = createOutcomes({ log, metrics })
  const identities = createIdentities(app)
  const broadcaster = createBroadcaster({ app, outcomes, metrics })
  const graphql = createGraphql({ log, outcomes, broadcaster, withGraphiql: env.embedded })
  const priority = watchedPriority(env.databasePool, metrics)
  const sockets = createSockets({ app, graphql, identities, broadcaster, outcomes, metrics, priority })
  const responses = new Set<ServerResponse>()
  let isDraining = false
  let isClosing = false

  const http = createHttp({
    app,
    graphql,
    identities,
    outcomes,
    metrics,
    priority,
    traffic: {
      isDraining: () => isDraining,
      isClosing: () => isClosing,
      begin: (response) => void responses.add(response),
      end: (response) => void responses.delete(response),
    },
  })
  sockets.attach(http)
  registerStoreGauges(app, metrics)
  registerSaleGauges(app, metrics)

  /** Event streams never finish by themselves; their clients come back to another server. */
  function endStreams() {
    for (const response of responses)
      if (String(response.getHeader('content-type')).startsWith('text/event-stream')) response.destroy()
  }

  return {
    listen: () =>
      new Promise((resolve, reject) => {
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
      }),

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
        await sleep(LOOK_AGAIN_MS)
      }
      const closed = new Promise((resolve) => http.close(resolve))
      await sockets.close()
      http.closeAllConnections()
      await closed
    },
  }
}
