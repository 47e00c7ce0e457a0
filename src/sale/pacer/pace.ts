/** The figures from which one tick of the pacer computes how many places to call. */
export interface PaceFigures {
  /** Seats, and units of general admission, that are neither held nor sold. */
  readonly available: number
  /** Seats in holds that run out within the next half minute without a payment, weighted by the share of such holds that do. */
  readonly returning: number
  /** Confirmed orders so far, and their tickets. */
  readonly orders: number
  readonly tickets: number
  /** Current admissions without a hold and without an order that is paying, weighted by searching.ts. */
  readonly searching: number
  /** Places called in the last 30 s, without abandoned ones, and how many of them have come in. */
  readonly calledRecently: number
  readonly cameRecently: number
  /** Of the last places called before that: how many, and how many of them came in. */
  readonly called: number
  readonly came: number
  /** Places that wait to be called. */
  readonly waiting: number
  /** The most places that this tick may call. */
  readonly allowance: number
  /** Shoppers who may search at the same time, for each order that is still possible. */
  readonly shoppersPerOrder: number
}

const TICKETS_PER_ORDER = 2.5
const ORDERS_TO_MEASURE = 100
/** The weight of an assumption, in measured places or holds: after ten of them, measurement and assumption weigh the same. */
const ASSUMED = 10

/** Returns the tickets per order: measured from 100 orders on, until then the average of similar sales. */
export function ticketsPerOrder({ orders, tickets }: Pick<PaceFigures, 'orders' | 'tickets'>): number {
  return orders < ORDERS_TO_MEASURE ? TICKETS_PER_ORDER : tickets / orders
}

/** Returns the share of called places that come in. It begins at 1, and moves to the measured share as places are called. */
export function shareThatComes({ called, came }: Pick<PaceFigures, 'called' | 'came'>): number {
  return Math.min(1, (came + ASSUMED) / (called + ASSUMED))
}

/** Returns the share of ended holds that ended unpaid. It begins at 0.3, and moves to the measured share as holds end. */
export function shareUnpaid({ ended, unpaid }: { ended: number; unpaid: number }): number {
  return (unpaid + 0.3 * ASSUMED) / (ended + ASSUMED)
}

/**
 * Returns the share of holds that end unpaid among those that reach their last half minute. It begins at 0.5, and moves to the
 * measured share as such holds end.
 */
export function shareUnpaidLate({ late, lateUnpaid }: { late: number; lateUnpaid: number }): number {
  return (lateUnpaid + 0.5 * ASSUMED) / (late + ASSUMED)
}

/** Returns the seats that a called place takes on average, among those whose search is over. */
export function seatsPerPlace({ taken, called }: { taken: number; called: number }): number {
  return (taken + TICKETS_PER_ORDER * ASSUMED) / (called + ASSUMED)
}

/**
 * Returns how many of the places called in the last 30 s are still expected to come in. Example: of 100 called places four
 * in ten come, and 38 are in; two more will come. Applying the share to the 62 that are not in would give 25, and would
 * hold up the line for half a minute.
 *
 * The share is raised by twice its standard error, since at first it is measured on some thirty places and multiplied by
 * hundreds. In 200 simulated sales with a fifth of no-shows, 13 without this margin had over 30 fans search a full house,
 * and none with it.
 */
export function countUnderWay(
  figures: Pick<PaceFigures, 'calledRecently' | 'cameRecently' | 'called' | 'came'>,
): number {
  const share = shareThatComes(figures)
  const error = Math.sqrt((share * (1 - share)) / (figures.called + ASSUMED))
  return Math.max(0, figures.calledRecently * Math.min(1, share + 2 * error) - figures.cameRecently)
}

/**
 * Returns how many places a tick calls:
 *
 *     orders    = ceil(available seats / tickets per order)
 *               + seats that are about to come back / tickets per order, rounded
 *     searching = current admissions without hold and without paying order, weighted by how likely they still take seats
 *               + places called in the last 30 s, times the measured share that comes in, less those already in
 *     step      = min(rate, max(0, k · orders − searching), waiting)
 *
 * It is rounded up, so that the last seat always calls a place, whatever the share. Nothing carries over from one tick to the
 * next: idle time allows no burst later.
 *
 * A called fan takes half a minute to come in and to choose. Where accounts hold every seat and never pay, the line would
 * otherwise stand still until their holds run out, and only those accounts would be inside at that moment, to hold the seats
 * again. test/sale/pacer/hoarders.test.ts simulates it.
 */
export function paceStep(figures: PaceFigures): number {
  const tickets = ticketsPerOrder(figures)
  const orders = Math.ceil(figures.available / tickets) + Math.round(figures.returning / tickets)
  const searching = figures.searching + countUnderWay(figures)
  const needed = Math.max(0, figures.shoppersPerOrder * orders - searching)
  return Math.min(figures.allowance, Math.ceil(needed), figures.waiting)
}

/**
 * Returns the whole places that this tick may call: at a rate of 2.5, every other tick may call 3. It depends on the tick's
 * number alone, so an unused allowance does not add up.
 */
export function allowanceOf(rate: number, tick: number): number {
  return Math.floor(rate * (tick + 1)) - Math.floor(rate * tick)
}

/** Returns the place up to which a tick calls so that `step` fans are called: it skips abandoned places. */
export function callUpTo(
  admittedUpTo: number,
  step: number,
  joined: number,
  abandoned: Pick<Set<number>, 'has'>,
): number {
  let place = admittedUpTo
  for (let left = step; left > 0 && place < joined; ) if (!abandoned.has(++place)) left--
  return place
}
