import { Agent, request } from 'node:https'
import {
  bulkhead,
  ConsecutiveBreaker,
  circuitBreaker,
  handleAll,
  type IPolicy,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  wrap,
} from 'cockatiel'
import webPush from 'web-push'
import { createBoundedCache } from '../async/boundedCache.ts'
import type { Keys } from '../keys.ts'
import { isPushEndpoint, lookUpPublic, NotPublic } from './endpoint.ts'

/** A browser's subscription, as PushSubscription has it, and the kid of our key that it is bound to. */
export interface PushSubscription {
  readonly endpoint: string
  readonly p256dh: string
  readonly auth: string
  readonly key: string
}

export interface PushMessage {
  /** JSON for the service worker. At most some 3,000 bytes. */
  readonly payload: string
  /** A message that still waits at the push service is replaced by a later one of its topic. Base64url, up to 32 characters. */
  readonly topic: string
  /** Seconds for which the push service keeps it for a browser that is away. */
  readonly ttlSeconds: number
}

/**
 * `sent`: the push service took it. `unknown`: it may have. `gone`: the subscription has ended. `refused`: no attempt can
 * succeed. `failed`: it was not taken; try again, after `retryAfterSeconds` where that is given.
 */
export interface PushOutcome {
  readonly state: 'sent' | 'unknown' | 'gone' | 'refused' | 'failed'
  readonly retryAfterSeconds?: number
  /** For the log. It has no address. */
  readonly reason?: string
}

export interface Push {
  /** Sends a message (RFC 8030), encrypted for the browser (RFC 8291). Never throws; takes ten seconds at most. */
  send(subscription: PushSubscription, message: PushMessage): Promise<PushOutcome>
}

export interface PushOptions {
  keys: Pick<Keys, 'push'>
  /** Where a push service reaches the operator: a mail address. */
  contact: string
  /** Default: one that connects to public addresses only. */
  agent?: Agent
  /** How long a whole request may take, in milliseconds. */
  deadlineMs?: number
}

/** A push service that works answers sooner. In milliseconds, for a whole request. */
const DEADLINE_MS = 10_000
/** Requests of this process to one push service at once: a slow service does not use up the requests to the others. */
const PER_SERVICE = 16
/** As many as the jobs of a process have under way: these wait for a request that ends. */
const WAITING = 128
/** After so many requests in a row without an answer, or with an error of the service, it gets no request for a while. */
const FAILURES = 5
const BREAK_MS = 10_000
/** Browsers have a handful of push services. Any client may name a host of its own. */
const SERVICES_AT_LEAST = 100

/** An answer that says that the push service has trouble. */
class ServiceTrouble extends Error {
  readonly outcome: PushOutcome
  constructor(outcome: PushOutcome) {
    super(outcome.reason)
    this.outcome = outcome
  }
}

/**
 * Returns the sender of web push. The client names the host of the push service, so the agent refuses each address that is not
 * public, after the look-up of the name and for each connection. No redirect is followed, and no answer is read.
 */
export function createPush({
  keys,
  contact,
  agent = createPublicAgent(),
  deadlineMs = DEADLINE_MS,
}: PushOptions): Push {
  const services = createBoundedCache<string, IPolicy>(SERVICES_AT_LEAST)

  function serviceOf(endpoint: string): IPolicy {
    const { origin } = new URL(endpoint)
    const known = services.get(origin)
    if (known) return known
    const breaker = circuitBreaker(handleAll, {
      halfOpenAfter: BREAK_MS,
      breaker: new ConsecutiveBreaker(FAILURES),
    })
    const policy = wrap(bulkhead(PER_SERVICE, WAITING), breaker)
    services.set(origin, policy)
    return policy
  }

  return {
    async send(subscription, message) {
      const key = keys.push.find(({ kid }) => kid === subscription.key)
      if (!key) return { state: 'gone' }
      if (!isPushEndpoint(subscription.endpoint)) return { state: 'refused', reason: 'not an endpoint' }
      try {
        const { endpoint, p256dh, auth } = subscription
        const details = webPush.generateRequestDetails(
          { endpoint, keys: { p256dh, auth } },
          message.payload,
          {
            vapidDetails: { subject: `mailto:${contact}`, ...key },
            TTL: message.ttlSeconds,
            topic: message.topic,
            urgency: 'high',
          },
        )
        return await serviceOf(endpoint).execute(async () => {
          const outcome = await post(endpoint, details.headers, details.body as Buffer, { agent, deadlineMs })
          if (outcome.state === 'failed' || outcome.state === 'unknown') throw new ServiceTrouble(outcome)
          return outcome
        })
      } catch (error) {
        if (error instanceof ServiceTrouble) return error.outcome
        if (isBulkheadRejectedError(error)) return { state: 'failed', retryAfterSeconds: 1, reason: 'busy' }
        if (isBrokenCircuitError(error))
          return { state: 'failed', retryAfterSeconds: BREAK_MS / 1_000, reason: 'does not answer' }
        return { state: 'refused', reason: (error as Error).message }
      }
    },
  }
}

function post(
  endpoint: string,
  headers: Record<string, string | number>,
  body: Buffer,
  { agent, deadlineMs }: { agent: Agent; deadlineMs: number },
): Promise<PushOutcome> {
  return new Promise((done) => {
    // Until the connection stands nothing can have been sent.
    let isConnected = false
    const sending = request(endpoint, {
      method: 'POST',
      headers,
      agent,
      signal: AbortSignal.timeout(deadlineMs),
    })
    sending.on('socket', (socket) => {
      if (sending.reusedSocket) isConnected = true
      else
        socket.once('secureConnect', () => {
          isConnected = true
        })
    })
    sending.on('response', (response) => {
      done(outcomeOf(response.statusCode ?? 0, response.headers['retry-after']))
      // Whatever follows, it is not read: the service may send without end.
      response.on('error', () => {})
      if (Number(response.headers['content-length'] ?? 0) > LONGEST_ANSWER) sending.destroy()
      else drain(response, sending)
    })
    sending.on('error', (error: NodeJS.ErrnoException) => {
      if (error instanceof NotPublic) done({ state: 'refused', reason: error.message })
      else done({ state: isConnected ? 'unknown' : 'failed', reason: error.code ?? error.name })
    })
    sending.end(body)
  })
}

/** Bytes of an answer that are read, so that the connection can be used again. */
const LONGEST_ANSWER = 10_000

function drain(response: NodeJS.ReadableStream, sending: { destroy(): void }) {
  let read = 0
  response.on('data', (chunk: Buffer) => {
    read += chunk.length
    if (read > LONGEST_ANSWER) sending.destroy()
  })
}

function outcomeOf(status: number, retryAfter: string | undefined): PushOutcome {
  const reason = `HTTP ${status}`
  if (status >= 200 && status < 300) return { state: 'sent' }
  if (status === 404 || status === 410) return { state: 'gone' }
  if (status !== 429 && status < 500) return { state: 'refused', reason }
  // The other form is a date, which no push service sends.
  const seconds = /^\d{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) : undefined
  return { state: 'failed', reason, ...(seconds !== undefined && { retryAfterSeconds: seconds }) }
}

/** Node looks no address up that stands for a host, so `isPushEndpoint` refuses these. */
function createPublicAgent(): Agent {
  return new Agent({
    keepAlive: true,
    maxFreeSockets: PER_SERVICE,
    timeout: DEADLINE_MS,
    lookup: lookUpPublic,
  })
}
