import { andThen, type MaybePromise } from '../async/maybePromise.ts'
import type { AdmissionClaims } from '../sale/admission/admissions.ts'
import { admissionRequired, Fault } from '../sale/faults.ts'
import type { Watch } from './broadcast.ts'
import { type Context, callerFor } from './context.ts'

/**
 * Throws ADMISSION_REQUIRED where the sale's waiting room is on and the caller has no admission to it. Answers
 * what the admission says; null where none is needed.
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

/** Where the check itself failed, it is made again after this long: nobody is put out by our trouble. */
const RECHECK_MS = 1_000

/**
 * Ends with ADMISSION_REQUIRED when the admission does, and as soon as its place moves to another device or is given
 * up. One that a hold has stretched, and that this socket was told of, goes on; so does everything once the waiting
 * room is turned off.
 */
export function watchAdmission(context: Context, { eventId, arrival, expiresAt }: AdmissionClaims): Watch {
  return (end) => {
    let timer: NodeJS.Timeout | undefined
    let isOver = false
    const stopListening = context.app.admissions.onChange({ eventId, arrival }, () => {
      clearTimeout(timer)
      void check()
    })

    /** By the database's clock; waits a second at least, whatever the clocks say. */
    async function checkAt(instant: Date) {
      const now = await context.app.clock.now()
      checkIn(Math.max(RECHECK_MS, instant.getTime() - now.getTime()))
    }

    function checkIn(ms: number) {
      clearTimeout(timer)
      if (!isOver) timer = setTimeout(check, ms)
    }

    function stop() {
      isOver = true
      clearTimeout(timer)
      stopListening()
    }

    async function check() {
      try {
        const next = await checkAdmission(context, eventId)
        if (next !== null) await checkAt(next.expiresAt)
      } catch (error) {
        if (isOver) return
        if (!(error instanceof Fault)) return checkIn(RECHECK_MS)
        stop()
        end(error)
      }
    }

    void checkAt(expiresAt).catch(() => checkIn(RECHECK_MS))
    return stop
  }
}
