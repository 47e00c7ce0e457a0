import type { QueuePosition } from '../../../sdk/index.ts'

/** The estimate as the page shows it. */
interface Wait {
  readonly outlook: QueuePosition['outlook']
  /** Until the turn; null without an estimate. */
  readonly seconds: number | null
}

/** A new estimate replaces the shown one where the turn is later or sooner by this share of the wait, and by this time. */
const CHANGE = { share: 0.25, ms: 60_000 }
/** A line that calls a place every few seconds may have no measured rate for a moment. */
const KEEPS_MS = 60_000

/**
 * Returns a function that makes the estimates of a place steady. Of a slow line the measured rate jumps with each call: a fan
 * would see the time of the turn come and go.
 */
export function createSteadyWait(): (position: QueuePosition) => Wait {
  let shown: { turnAt: number; seenAt: number } | null = null
  return ({ asOf, outlook, estimatedWaitSeconds }) => {
    const now = Date.parse(asOf)
    if (outlook === 'ESTIMATED' && estimatedWaitSeconds !== null) {
      const turnAt = now + estimatedWaitSeconds * 1_000
      const most = Math.max(CHANGE.ms, CHANGE.share * estimatedWaitSeconds * 1_000)
      shown = { turnAt: shown && Math.abs(turnAt - shown.turnAt) < most ? shown.turnAt : turnAt, seenAt: now }
    } else if (outlook !== 'RATE_UNKNOWN' || (shown && now - shown.seenAt > KEEPS_MS)) {
      shown = null
    }
    if (!shown) return { outlook, seconds: null }
    return { outlook: 'ESTIMATED', seconds: Math.max(0, Math.round((shown.turnAt - now) / 1_000)) }
  }
}
