import { circuitBreaker, handleWhen, isBrokenCircuitError, SamplingBreaker } from 'cockatiel'
import { busy } from './busy.ts'
import type { TakePermit } from './limiter.ts'
import { createPermitLine } from './permitLine.ts'
import { CannotCharge, type PaymentProvider, ProviderBusy } from './provider.ts'
import { createReservations } from './reservations.ts'
import { type Caller, createSlots, type Release } from './slots.ts'

export interface GuardOptions {
  takePermit: TakePermit
  /** The calls that one process has under way at the same time; as many more wait for a slot. Default: 20. */
  slots?: number
  /** The time after which the outcome of a call counts as unknown. Default: 5 s. */
  timeoutMs?: number
  /**
   * Called for each requested authorization. `refused`: a limit or the breaker stopped it, or it got no answer; a declined
   * card is an answer.
   */
  onAuthorization?: (refused: boolean) => void
}

/** The event of a call: events whose calls wait for a slot or a permit are served in rotation. */
interface OfEvent {
  eventId: string
}

type Guarded<Call> = Call extends (request: infer Request) => infer Answer
  ? (request: Omit<Request, 'signal'> & OfEvent) => Answer
  : never

/** The calls of a provider behind our limits. Each may throw `ProviderBusy`: then nothing was sent. */
export type ProviderCalls = {
  [Name in 'prepare' | 'confirm' | 'retrieve' | 'cancel' | 'capture' | 'refund']: Guarded<
    PaymentProvider[Name]
  >
}

/** A checkout's right to call the provider. */
export interface Reservation extends ProviderCalls {
  /** Gives it back; the calls must not be used after it. */
  end(): void
}

/** A provider behind our limits. */
export interface GuardedProvider
  extends ProviderCalls,
    Pick<PaymentProvider, 'name' | 'publishableKey' | 'list'> {
  /** True while the breaker stops all calls, since the provider answers none. */
  readonly isOut: boolean
  /**
   * Reserves the calls of one checkout, before it writes anything. Takes the permit of the first `prepare`, and no slot:
   * a slot covers one call. Throws ProviderBusy where no permit is free within a second, where too many checkouts are under
   * way in this process and the event has its even share of them, or where the provider is known to be down.
   */
  reserve(eventId: string): Promise<Reservation>
}

/** How long a checkout waits for a permit before it is refused with ProviderBusy. */
const CHECKOUT_PATIENCE_MS = 1_000
/** How long any other call waits for a slot and a permit: no fan waits for a job, and a claimed order has to go on. */
const PATIENCE_MS = 10_000
/** How long the breaker sends nothing to a provider that is down, before one call tries it again. */
const BREAK_MS = 5_000

/**
 * Returns the provider behind one limit for all processes, the slots of this process and a circuit breaker. The breaker opens
 * when, of ten calls or more within 10 s, over half ended with no answer; a refusal is an answer.
 *
 * A slot covers one call, from its start to its real end. A call that takes too long is aborted. Its caller gets an error at
 * once, and its slot is free when the provider has ended it.
 */
export function guard(
  provider: PaymentProvider,
  { takePermit, slots: count = 20, timeoutMs = 5_000, onAuthorization = () => {} }: GuardOptions,
): GuardedProvider {
  const slots = createSlots(count)
  const permits = createPermitLine(takePermit)
  const breaker = circuitBreaker(
    // Both say that nothing was sent, and nothing about the provider's health.
    handleWhen((error) => !(error instanceof ProviderBusy || error instanceof CannotCharge)),
    {
      halfOpenAfter: BREAK_MS,
      breaker: new SamplingBreaker({ threshold: 0.5, duration: 10_000, minimumRps: 1 }),
    },
  )
  let brokenUntil = 0
  breaker.onBreak(() => {
    brokenUntil = performance.now() + BREAK_MS
    permits.refuseAll(BREAK_MS)
  })
  const reservations = createReservations(2 * count)

  function refuseWhileBroken() {
    const remaining = brokenUntil - performance.now()
    if (remaining > 0) throw busy(remaining)
  }

  /** Waits in a slot for nothing: a call that has to wait for its permit gives its slot back first. */
  async function call<T>(
    caller: Caller,
    eventId: string,
    hasPermit: boolean,
    send: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + PATIENCE_MS
    for (let isPermitted = hasPermit; ; isPermitted = true) {
      refuseWhileBroken()
      const release = await slots.take(caller, eventId, deadline - performance.now())
      try {
        isPermitted ||= await permits.takeFree()
      } catch (error) {
        release()
        throw error
      }
      if (isPermitted) return run(send, release)
      release()
      await permits.take(caller, eventId, deadline - performance.now())
    }
  }

  async function run<T>(send: (signal: AbortSignal) => Promise<T>, release: Release): Promise<T> {
    let underWay: Promise<T> | undefined
    try {
      return await breaker.execute(() => {
        const controller = new AbortController()
        const sent = (async () => send(controller.signal))()
        underWay = sent
        return within(timeoutMs, sent, controller)
      })
    } catch (error) {
      throw isBrokenCircuitError(error) ? busy(BREAK_MS) : error
    } finally {
      if (underWay) void underWay.then(release, release)
      else release()
    }
  }

  /** Reports a call on which an authorization depends; `answered`: its answer is the authorization's. */
  async function reported<T>(calling: Promise<T>, answered: boolean): Promise<T> {
    try {
      const answer = await calling
      if (answered) onAuthorization(false)
      return answer
    } catch (error) {
      if (!(error instanceof CannotCharge)) onAuthorization(true)
      throw error
    }
  }

  function callsOf(caller: Caller, takePrepaid: () => boolean): ProviderCalls {
    return {
      prepare: (request) =>
        reported(
          call(caller, request.eventId, takePrepaid(), (signal) => provider.prepare({ ...request, signal })),
          false,
        ),
      confirm: (request) =>
        reported(
          call(caller, request.eventId, false, (signal) => provider.confirm({ ...request, signal })),
          true,
        ),
      retrieve: (request) =>
        call(caller, request.eventId, false, (signal) => provider.retrieve({ ...request, signal })),
      cancel: (request) =>
        call(caller, request.eventId, false, (signal) => provider.cancel({ ...request, signal })),
      capture: (request) =>
        call(caller, request.eventId, false, (signal) => provider.capture({ ...request, signal })),
      refund: (request) =>
        call(caller, request.eventId, false, (signal) => provider.refund({ ...request, signal })),
    }
  }

  return {
    name: provider.name,
    publishableKey: provider.publishableKey,
    ...callsOf('job', () => false),
    // Ops alone call it, one call a page: it takes no permit that a fan may be waiting for.
    list: (eventId) => provider.list(eventId),

    get isOut() {
      return brokenUntil > performance.now()
    },

    async reserve(eventId) {
      try {
        refuseWhileBroken()
        if (!reservations.begin(eventId)) throw busy(timeoutMs / 2)
        try {
          if (!(await permits.takeFree())) await permits.take('checkout', eventId, CHECKOUT_PATIENCE_MS)
        } catch (error) {
          reservations.end(eventId)
          throw error
        }
      } catch (error) {
        onAuthorization(true)
        throw error
      }
      let isPrepaid = true
      let isOver = false
      return {
        ...callsOf('checkout', () => {
          const was = isPrepaid
          isPrepaid = false
          return was
        }),
        end() {
          if (!isOver) reservations.end(eventId)
          isOver = true
        },
      }
    },
  }
}

async function within<T>(ms: number, work: Promise<T>, controller: AbortController): Promise<T> {
  const { promise: isLate, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new Error(`the payment provider did not answer within ${ms} ms`)
    controller.abort(error)
    reject(error)
  }, ms)
  try {
    return await Promise.race([work, isLate])
  } finally {
    clearTimeout(timer)
  }
}
