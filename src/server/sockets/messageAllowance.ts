import { BOUNDS } from './bounds.ts'

/**
 * Charges one message of `bytes` to a socket's allowance: a burst, then a steady rate. Returns the new state of the allowance,
 * or null where the message exceeds it. `spentUntil` is that state, by performance.now(); it is 0 at first.
 *
 * Reading any message costs time: without an allowance, one socket could keep the whole process busy.
 */
export function spend(spentUntil: number, bytes: number): number | null {
  const now = Math.floor(performance.now())
  const weight = Math.max(1, Math.ceil(bytes / BOUNDS.weightBytes))
  const until = Math.max(spentUntil, now) + weight * BOUNDS.messageMs
  return until - now > BOUNDS.burstMessages * BOUNDS.messageMs ? null : until
}
