import { setTimeout as sleep } from 'node:timers/promises'
import {
  bulkhead,
  circuitBreaker,
  handleWhen,
  isBrokenCircuitError,
  isBulkheadRejectedError,
  SamplingBreaker,
  TimeoutStrategy,
  timeout,
} from 'cockatiel'
import type { TakePermit } from './limiter.ts'
import { type AuthorizeRequest, type PaymentProvider, type Payments, ProviderBusy } from './provider.ts'

export interface GuardOptions {
  takePermit: TakePermit
  /** The calls that one process runs at the same time; as many more wait for a slot. Default: 20. */
  slots?: number
  /** The time after which the outcome of a call counts as unknown. Default: 5 s. */
  timeoutMs?: number
  /**
   * Called for each requested authorization. `refused`: a limit or the breaker stopped it, or it got no answer; a declined
   * card is an answer.
   */
  onAuthorization?: (refused: boolean) => void
}

/** How long a checkout waits for a permit before it fails with ProviderBusy. */
const CHECKOUT_PATIENCE_MS = 1_000
/** How long a job waits for a permit: longer, since no fan waits for a job. */
const JOB_PATIENCE_MS = 10_000
/** How long the breaker sends nothing to a provider that is down, before one call tries it again. */
const BREAK_MS = 5_000

/**
 * Returns the provider behind one limit for all processes, a bulkhead and a circuit breaker. The breaker opens when, of
 * ten calls or more within 10 s, over half ended with no answer; a refusal is an answer.
 */
export function guard(
  provider: PaymentProvider,
  { takePermit, slots = 20, timeoutMs = 5_000, onAuthorization = () => {} }: GuardOptions,
): Payments {
  const slotsOfProcess = bulkhead(slots, slots)
  const callTimeout = timeout(timeoutMs, TimeoutStrategy.Aggressive)
  const breaker = circuitBreaker(
    handleWhen((error) => !(error instanceof ProviderBusy)),
    {
      halfOpenAfter: BREAK_MS,
      breaker: new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 1 }),
    },
  )
  let brokenUntil = 0
  breaker.onBreak(() => {
    brokenUntil = Date.now() + BREAK_MS
  })

  function refuseWhileBroken() {
    const remaining = brokenUntil - Date.now()
    if (remaining > 0) throw busy(remaining)
  }

  async function waitForPermit(patienceMs: number) {
    const deadline = performance.now() + patienceMs
    for (;;) {
      refuseWhileBroken()
      const wait = await takePermit()
      if (wait === 0) return
      if (performance.now() + wait > deadline) throw busy(wait)
      // The jitter keeps calls that wait for the same permit from coming back at the same moment.
      await sleep(wait + Math.random() * 20)
    }
  }

  async function inSlot<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await slotsOfProcess.execute(work)
    } catch (error) {
      throw isBulkheadRejectedError(error) ? busy(timeoutMs / 2) : error
    }
  }

  async function send<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await breaker.execute(() => callTimeout.execute(call))
    } catch (error) {
      throw isBrokenCircuitError(error) ? busy(BREAK_MS) : error
    }
  }

  function asJob<Request, T>(call: (request: Request) => Promise<T>): (request: Request) => Promise<T> {
    return (request) =>
      inSlot(async () => {
        await waitForPermit(JOB_PATIENCE_MS)
        return send(() => call(request))
      })
  }

  const authorizeAsJob = asJob((request: AuthorizeRequest) => provider.authorize(request))

  async function reported<T>(authorizing: () => Promise<T>): Promise<T> {
    try {
      const answer = await authorizing()
      onAuthorization(false)
      return answer
    } catch (error) {
      onAuthorization(true)
      throw error
    }
  }

  return {
    name: provider.name,
    publishableKey: provider.publishableKey,
    authorize: (request) => reported(() => authorizeAsJob(request)),
    capture: asJob((request) => provider.capture(request)),
    void: asJob((request) => provider.void(request)),
    find: asJob((orderId) => provider.find(orderId)),
    // Ops alone call it, one call a page: it takes no permit that a fan may be waiting for.
    list: (eventId) => provider.list(eventId),
    async withPermit(work) {
      let begun = false
      try {
        return await inSlot(async () => {
          await waitForPermit(CHECKOUT_PATIENCE_MS)
          begun = true
          let unused = true
          return work((request) =>
            reported(async () => {
              if (!unused) await waitForPermit(JOB_PATIENCE_MS)
              unused = false
              return send(() => provider.authorize(request))
            }),
          )
        })
      } catch (error) {
        if (!begun) onAuthorization(true)
        throw error
      }
    },
  }
}

/** The retry time is jittered, so that callers that were refused together do not come back together. */
function busy(ms: number): ProviderBusy {
  return new ProviderBusy(Math.ceil(ms / 1_000) + Math.floor(Math.random() * 3))
}
