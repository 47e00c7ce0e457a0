/** What the controller looks at: over the last 10 s and all processes; null where nothing was measured. */
export interface Strain {
  readonly checkoutP99Ms: number | null
  /** How long requests waited for a connection to the database. */
  readonly poolWaitMs: number | null
  readonly providerRefusedShare: number | null
}

/** The rate of a room and what the controller remembers of it, as it stands in the room's row. */
export interface RateState {
  /** What the rate is cut to, in places a second; null while nothing is cut. */
  readonly cutTo: number | null
  readonly rateCeiling: number
  /** Why the rate is under the ceiling: empty while it is not. Begins with "after" where the trouble is over. */
  readonly rateReason: string
  readonly rateChangedAt: Date | null
  readonly troubledRate: number | null
  readonly cutAt: Date | null
}

/** What may be in trouble. */
export type Trouble = 'checkout' | 'pool' | 'provider'

/** How the sentence on each begins: the room's row keeps the sentence alone. */
const BEGINS: Readonly<Record<Trouble, string>> = {
  checkout: 'checkout p99',
  pool: 'wait for the database pool',
  provider: 'payment provider refuses',
}

/** Where trouble begins. */
const CHECKOUT_P99_MS = 3_000
const POOL_WAIT_MS = 50
const REFUSED_SHARE = 0.02

/** Strain is measured over so long: what it says of a rate is known so long after the rate was set. */
const WINDOW_MS = 10_000
/**
 * After a cut those who were called before it are still to come, most within ten seconds: then a fresh window tells
 * of the lower rate. Halved every ten seconds, a simulated plant of half the ceiling and ten seconds of lag
 * is cut to an eighth, and does 0.56 of what it could in ten minutes; so 0.85.
 */
const CUT_SEEN_MS = 2 * WINDOW_MS
const RISE = 1.05
const OVER = 'after '
/** Where even a sixteenth is too much, nothing is gained by less: a rate near zero would need an hour to come back. */
const LOWEST_SHARE = 1 / 16
/**
 * For ten minutes the rate stays a tenth under the one that brought trouble. Rising on, it would be back there in
 * two minutes and be halved again, and so on all evening: a simulated plant of a third of the ceiling is cut six
 * times in ten minutes and does 0.73 of what it could; with this memory three times, and 0.85.
 */
const KEEPS_UNDER = 0.9
const REMEMBERED_MS = 600_000

/**
 * The rate from now on: halved where the last 10 s were trouble, then plus 5 percent for every 10 s clear, up to the
 * ceiling. It is not halved again before the effect of the last cut can be seen. Where nothing is
 * measured it stays. Answers with the state given, the same object, where nothing changes.
 *
 * The strain is the whole service's, the rate an event's: of several events on sale each one slows down.
 */
export function nextRate(state: RateState, strain: Strain, now: Date): RateState {
  const { checkoutP99Ms, poolWaitMs, providerRefusedShare } = strain
  if (checkoutP99Ms === null && poolWaitMs === null && providerRefusedShare === null) return state
  const trouble = troubleOf(strain)
  const age = state.rateChangedAt ? now.getTime() - state.rateChangedAt.getTime() : Number.POSITIVE_INFINITY
  const lastWasCut = state.cutAt !== null && state.cutAt.getTime() === state.rateChangedAt?.getTime()
  if (trouble !== null) return lastWasCut && age < CUT_SEEN_MS ? state : cut(state, trouble, lastWasCut, now)
  return age < WINDOW_MS ? state : rise(state, now)
}

/** Places a second that may be called. */
export function rateInForce({ cutTo, rateCeiling }: Pick<RateState, 'cutTo' | 'rateCeiling'>): number {
  return Math.min(cutTo ?? rateCeiling, rateCeiling)
}

function cut(state: RateState, trouble: string, goesOn: boolean, now: Date): RateState {
  const rate = rateInForce(state)
  if (rate === 0) return state
  return {
    ...state,
    cutTo: Math.max(rate / 2, Math.min(rate, state.rateCeiling * LOWEST_SHARE)),
    rateReason: trouble,
    rateChangedAt: now,
    // Trouble outlives the rate that brought it by those who are inside: of cuts that follow one another the first
    // rate is to blame.
    troubledRate: goesOn && state.troubledRate !== null ? state.troubledRate : rate,
    cutAt: now,
  }
}

function rise(state: RateState, now: Date): RateState {
  const { cutTo, rateCeiling, rateReason, troubledRate, cutAt } = state
  if (cutTo === null) return state
  const remembers = troubledRate !== null && cutAt && now.getTime() - cutAt.getTime() < REMEMBERED_MS
  const highest = remembers ? troubledRate * KEEPS_UNDER : Number.POSITIVE_INFINITY
  const next = Math.max(cutTo, Math.min(cutTo * RISE, highest))
  if (next >= rateCeiling) return { ...state, cutTo: null, rateReason: '', rateChangedAt: now }
  if (next === cutTo && rateReason.startsWith(OVER)) return state
  return {
    ...state,
    cutTo: next,
    rateReason: rateReason.startsWith(OVER) ? rateReason : OVER + rateReason,
    rateChangedAt: now,
  }
}

/** What a reason names, without its numbers. */
export function troublesIn(rateReason: string): Trouble[] {
  return (Object.keys(BEGINS) as Trouble[]).filter((trouble) => rateReason.includes(BEGINS[trouble]))
}

/** Null: all clear. */
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
