/** The controller's input: figures of the last 10 s over all processes; null where nothing was measured. */
export interface Strain {
  readonly checkoutP99Ms: number | null
  /** Milliseconds that requests waited for a connection to the database. */
  readonly poolWaitMs: number | null
  readonly providerRefusedShare: number | null
}

/** A room's rate and the controller's state, as stored in the room's row. */
export interface RateState {
  /** The rate after a cut, in places a second; null while there is no cut. */
  readonly cutTo: number | null
  readonly rateCeiling: number
  /** Why the rate is below the ceiling; empty while it is not. Begins with "after" once the trouble is over. */
  readonly rateReason: string
  readonly rateChangedAt: Date | null
  readonly troubledRate: number | null
  readonly cutAt: Date | null
}

/** The parts that may be in trouble. */
export type Trouble = 'checkout' | 'pool' | 'provider'

/** How each part's reason begins. The room's row stores only the reason, so the part is recognized by this. */
const BEGINS: Readonly<Record<Trouble, string>> = {
  checkout: 'checkout p99',
  pool: 'wait for the database pool',
  provider: 'payment provider refuses',
}

/** Above these limits a part is in trouble; for the refused share, from the limit on. */
const CHECKOUT_P99_MS = 3_000
const POOL_WAIT_MS = 50
const REFUSED_SHARE = 0.02

/** The strain covers this period. So the effect of a rate is known this long after the rate was set. */
const WINDOW_MS = 10_000
/**
 * The effect of a cut is known after this period. Fans called before the cut still come in, most of them within ten seconds;
 * only the window after that shows the lower rate. With a cut every ten seconds, a simulated service with half the ceiling's
 * capacity and ten seconds of lag is cut to an eighth, and admits 0.56 of its capacity in ten minutes; with this period, 0.85.
 */
const CUT_KNOWN_MS = 2 * WINDOW_MS
const RISE = 1.05
const PAST = 'after '
/** The rate is never cut below a sixteenth of the ceiling: from a rate near zero it would need an hour to rise again. */
const LOWEST_SHARE = 1 / 16
/**
 * For ten minutes the rate stays a tenth below the rate that caused trouble. Without this limit the rate would reach that
 * rate again in two minutes, and be halved again, all evening. A simulated service with a third of the ceiling's capacity is
 * cut six times in ten minutes and admits 0.73 of its capacity; with this limit it is cut three times and admits 0.85.
 */
const SHARE_OF_TROUBLED_RATE = 0.9
const TROUBLE_REMEMBERED_MS = 600_000

/**
 * Returns the state with the rate from now on: halved where the last 10 s had trouble; otherwise 5 percent higher for every
 * 10 s without trouble, up to the ceiling. The rate is not halved again before the effect of the last cut is known. Where
 * nothing is measured, it does not change. Without a change, returns the same object.
 *
 * The strain is that of the whole service, and the rate that of one event: with several events on sale, each one slows down.
 */
export function nextRate(state: RateState, strain: Strain, now: Date): RateState {
  const { checkoutP99Ms, poolWaitMs, providerRefusedShare } = strain
  if (checkoutP99Ms === null && poolWaitMs === null && providerRefusedShare === null) return state
  const trouble = troubleOf(strain)
  const sinceChangeMs = state.rateChangedAt
    ? now.getTime() - state.rateChangedAt.getTime()
    : Number.POSITIVE_INFINITY
  const lastWasCut = state.cutAt !== null && state.cutAt.getTime() === state.rateChangedAt?.getTime()
  if (trouble !== null)
    return lastWasCut && sinceChangeMs < CUT_KNOWN_MS ? state : cut(state, trouble, lastWasCut, now)
  return sinceChangeMs < WINDOW_MS ? state : rise(state, now)
}

/** Returns the places that may be called in a second. */
export function rateInForce({ cutTo, rateCeiling }: Pick<RateState, 'cutTo' | 'rateCeiling'>): number {
  return Math.min(cutTo ?? rateCeiling, rateCeiling)
}

function cut(state: RateState, trouble: string, followsCut: boolean, now: Date): RateState {
  const rate = rateInForce(state)
  if (rate === 0) return state
  return {
    ...state,
    cutTo: Math.max(rate / 2, Math.min(rate, state.rateCeiling * LOWEST_SHARE)),
    rateReason: trouble,
    rateChangedAt: now,
    // Fans who are already inside keep the trouble going after the rate is cut. So the rate before the first of several
    // consecutive cuts caused the trouble.
    troubledRate: followsCut && state.troubledRate !== null ? state.troubledRate : rate,
    cutAt: now,
  }
}

function rise(state: RateState, now: Date): RateState {
  const { cutTo, rateCeiling, rateReason, troubledRate, cutAt } = state
  if (cutTo === null) return state
  const isRemembered =
    troubledRate !== null && cutAt && now.getTime() - cutAt.getTime() < TROUBLE_REMEMBERED_MS
  const highest = isRemembered ? troubledRate * SHARE_OF_TROUBLED_RATE : Number.POSITIVE_INFINITY
  const next = Math.max(cutTo, Math.min(cutTo * RISE, highest))
  if (next >= rateCeiling) return { ...state, cutTo: null, rateReason: '', rateChangedAt: now }
  if (next === cutTo && rateReason.startsWith(PAST)) return state
  return {
    ...state,
    cutTo: next,
    rateReason: rateReason.startsWith(PAST) ? rateReason : PAST + rateReason,
    rateChangedAt: now,
  }
}

/** Returns the parts that a reason names, without its numbers. */
export function troublesIn(rateReason: string): Trouble[] {
  return (Object.keys(BEGINS) as Trouble[]).filter((trouble) => rateReason.includes(BEGINS[trouble]))
}

/** Returns the reason for a cut; null where no part is in trouble. */
function troubleOf({ checkoutP99Ms, poolWaitMs, providerRefusedShare }: Strain): string | null {
  const found: string[] = []
  if (checkoutP99Ms !== null && checkoutP99Ms > CHECKOUT_P99_MS)
    found.push(`${BEGINS.checkout} ${(checkoutP99Ms / 1_000).toFixed(1)} s over ${CHECKOUT_P99_MS / 1_000} s`)
  if (poolWaitMs !== null && poolWaitMs > POOL_WAIT_MS)
    found.push(`${BEGINS.pool} ${Math.round(poolWaitMs)} ms over ${POOL_WAIT_MS} ms`)
  if (providerRefusedShare !== null && providerRefusedShare >= REFUSED_SHARE)
    found.push(
      `${BEGINS.provider} ${(providerRefusedShare * 100).toFixed(1)} percent, the limit is ${REFUSED_SHARE * 100}`,
    )
  return found.length === 0 ? null : found.join(', ')
}
