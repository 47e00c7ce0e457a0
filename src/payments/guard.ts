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
import { type PaymentProvider, type Payments, ProviderBusy } from './provider.ts'

export interface GuardOptions {
  takePermit: TakePermit
  /** Calls that one process has under way at once; as many more wait for a slot. Default: 20. */
  slots?: number
  /** After this long the outcome of a call counts as unknown. Default: 5 s. */
  timeoutMs?: number
}

/** How long a fan waits for a permit before the answer is that payments are busy. */
const FANS_PATIENCE_MS = 1_000
/** How long a job does: it holds nobody up. */
const JOBS_PATIENCE_MS = 10_000
/** How long nothing is sent to a provider that is down, before one call tries it again. */
const BREAK_MS = 5_000

/**
 * Puts one limit for all processes, a bulkhead and a circuit breaker in front of a provider. The breaker
 * opens when of ten calls or more within 10 s over half ended with no answer; a refusal is an answer.
 */
export function guard(
  provider: PaymentProvider,
  { takePermit, slots = 20, timeoutMs = 5_000 }: GuardOptions,
): Payments {
  const slotsOfProcess = bulkhead(slots, slots)
  const patience = timeout(timeoutMs, TimeoutStrategy.Aggressive)
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

  async function havePermit(patienceMs: number) {
    const deadline = performance.now() + patienceMs
    for (;;) {
      refuseWhileBroken()
      const wait = await takePermit()
      if (wait === 0) return
      if (performance.now() + wait > deadline) throw busy(wait)
      // Whoever waits for the same permit must not come back at the same moment.
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
      return await breaker.execute(() => patience.execute(call))
    } catch (error) {
      throw isBrokenCircuitError(error) ? busy(BREAK_MS) : error
    }
  }

  function asJob<Request, T>(call: (request: Request) => Promise<T>): (request: Request) => Promise<T> {
    return (request) =>
      inSlot(async () => {
        await havePermit(JOBS_PATIENCE_MS)
        return send(() => call(request))
      })
  }

  return {
    name: provider.name,
    publishableKey: provider.publishableKey,
    authorize: asJob((request) => provider.authorize(request)),
    capture: asJob((request) => provider.capture(request)),
    void: asJob((request) => provider.void(request)),
    find: asJob((orderId) => provider.find(orderId)),
    // One call a page, by ops alone: not worth a permit that a fan may be waiting for.
    list: (eventId) => provider.list(eventId),
    withPermit(work) {
      return inSlot(async () => {
        await havePermit(FANS_PATIENCE_MS)
        let unused = true
        return work(async (request) => {
          if (!unused) await havePermit(JOBS_PATIENCE_MS)
          unused = false
          return send(() => provider.authorize(request))
        })
      })
    },
  }
}

/** Jittered, so that those who were refused together do not come back together. */
function busy(ms: number): ProviderBusy {
  return new ProviderBusy(Math.ceil(ms / 1_000) + Math.floor(Math.random() * 3))
}
