import { andThen, type MaybePromise } from '../async/maybePromise.ts'
import type { AdmissionClaims } from '../sale/admission/admissions.ts'
import { admissionRequired, Fault, unauthenticated } from '../sale/faults.ts'
import type { Watch } from './request/broadcast.ts'
import { type Context, callerFor } from './request/context.ts'
import { hasTokenExpired } from './request/tokenExpiry.ts'

/**
 * Returns the claims of the caller's admission; null where the sale has no waiting room. Throws ADMISSION_REQUIRED
 * where the waiting room is on and the caller has no admission.
 */
export function checkAdmission(context: Context, eventId: string): MaybePromise<AdmissionClaims | null> {
  const { sales, admissions } = context.app
  return andThen(sales.find(eventId), (sale) => {
    if (!sale?.waitingRoom) return null
    const claims = admissions.check(callerFor(context, eventId), eventId)
    if (!claims) throw admissionRequired()
    return claims
  })
}

export const ADMISSION_WATCH = {
  /** A check that fails by our own error is repeated after this time: it ends no subscription. */
  recheckMs: 1_000,
  /** A check reads the row at least so often, or twice as often: the message of its end may be lost. */
  backstopMs: 60_000,
}

/**
 * Returns a watch that ends with ADMISSION_REQUIRED when the admission ends, and at once when its place moves to another
 * device or is given up, or a purchase ends the admission; within a minute where the message of that was lost. An admission that a
 * hold has extended goes on once this socket has received its new end. With the waiting room off, every subscription goes on.
 */
export function watchAdmission(context: Context, claims: AdmissionClaims): Watch {
  const { eventId, arrival, expiresAt } = claims
  return (end) => {
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const stopListening = context.app.admissions.onChange({ eventId, arrival }, () => {
      clearTimeout(timer)
      void check()
    })

    /**
     * Checks again at an instant of the database's clock, or when the account's token expires; after one second at the
     * earliest.
     */
    async function checkAt(instant: Date) {
      const now = await context.app.clock.now()
      const { tokenEndsAt } = context
      const endsAt = Math.min(instant.getTime(), tokenEndsAt ? tokenEndsAt.getTime() + 1 : Infinity)
      // A crowd that reconnects at once does not read its rows at once.
      const backstop = (ADMISSION_WATCH.backstopMs * (1 + Math.random())) / 2
      checkIn(Math.max(ADMISSION_WATCH.recheckMs, Math.min(backstop, endsAt - now.getTime())))
    }

    function checkIn(ms: number) {
      clearTimeout(timer)
      if (!isOver) timer = setTimeout(verify, ms)
    }

    function stop() {
      isOver = true
      clearTimeout(timer)
      stopListening()
    }

    /** A database that is away leaves the messages. */
    async function verify() {
      await context.app.admissions.verify(claims).catch(() => {})
      if (!isOver) await check()
    }

    async function check() {
      try {
        if (hasTokenExpired(context)) throw unauthenticated()
        const next = await checkAdmission(context, eventId)
        if (next !== null) await checkAt(next.expiresAt)
      } catch (error) {
        if (isOver) return
        if (!(error instanceof Fault)) return checkIn(ADMISSION_WATCH.recheckMs)
        stop()
        end(error)
      }
    }

    void checkAt(expiresAt).catch(() => checkIn(ADMISSION_WATCH.recheckMs))
    return stop
  }
}
