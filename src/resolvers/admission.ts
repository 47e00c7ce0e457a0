import { admissionRequired, Fault } from '../sale/faults.ts'
import { type Context, callerFor } from './context.ts'

/**
 * Throws ADMISSION_REQUIRED where the sale's waiting room is on and the caller has no admission to it. Answers
 * when the admission ends; null where none is needed.
 */
export async function checkAdmission(context: Context, eventId: string): Promise<Date | null> {
  const sale = await context.app.sales.find(eventId)
  if (!sale?.waitingRoom) return null
  const claims = await context.app.admissions.check(callerFor(context, eventId), eventId)
  if (!claims) throw admissionRequired()
  return claims.expiresAt
}

/** Where the check itself failed, it is made again after this long: nobody is put out by our trouble. */
const RECHECK_MS = 1_000

/**
 * The same values until the admission ends, then ADMISSION_REQUIRED. An admission that a hold has stretched, and
 * that this socket was told of, goes on; so does everything once the waiting room is turned off.
 */
export function untilAdmissionEnds<T>(
  context: Context,
  eventId: string,
  endsAt: Date | null,
  values: AsyncIterable<T>,
): AsyncIterable<T> {
  if (endsAt === null) return values
  const inner = values[Symbol.asyncIterator]()
  let timer = checkAt(endsAt)
  let fault: Fault | undefined
  let rejectNext: ((fault: Fault) => void) | undefined

  function checkAt(instant: Date) {
    return setTimeout(check, Math.max(1, instant.getTime() - Date.now()))
  }

  async function check() {
    try {
      const next = await checkAdmission(context, eventId)
      if (next !== null) timer = checkAt(next)
    } catch (error) {
      if (!(error instanceof Fault)) {
        timer = setTimeout(check, RECHECK_MS)
        return
      }
      fault = error
      rejectNext?.(error)
      inner.return?.()
    }
  }

  return {
    [Symbol.asyncIterator]: () => ({
      next: () =>
        new Promise((resolve, reject) => {
          if (fault) return reject(fault)
          rejectNext = reject
          inner.next().then((result) => {
            if (result.done) clearTimeout(timer)
            resolve(result)
          }, reject)
        }),
      async return() {
        clearTimeout(timer)
        return (await inner.return?.()) ?? { done: true, value: undefined }
      },
    }),
  }
}
