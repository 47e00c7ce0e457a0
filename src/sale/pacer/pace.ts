/** What one tick of the pacer is reckoned from. */
export interface PaceFigures {
  /** Seats and places that nobody holds or owns. */
  readonly available: number
  /** Confirmed orders so far, and their tickets. */
  readonly orders: number
  readonly tickets: number
  /** Admissions alive with no hold and no order paying, weighed by searching.ts. */
  readonly searching: number
  /** Places called in the last 30 s, without those given up, and how many of them have come in. */
  readonly calledLately: number
  readonly cameLately: number
  /** Of the places called before that, how many were called and how many of those came in. */
  readonly called: number
  readonly came: number
  /** Those waiting. */
  readonly waiting: number
  /** How many this tick may call at most. */
  readonly allowance: number
  /** Shoppers searching at once per order that is still to be had. */
  readonly shoppersPerOrder: number
}

const TICKETS_PER_ORDER = 2.5
const ORDERS_TO_MEASURE = 100
/** How many called places weigh as much as what is assumed before anything is measured. */
const ASSUMED = 10

/** Measured from 100 orders on; until then, what sales like these see. */
export function ticketsPerOrder({ orders, tickets }: Pick<PaceFigures, 'orders' | 'tickets'>): number {
  return orders < ORDERS_TO_MEASURE ? TICKETS_PER_ORDER : tickets / orders
}

/** Of the places called, the share that comes; everybody, until enough were called to say otherwise. */
export function shareThatComes({ called, came }: Pick<PaceFigures, 'called' | 'came'>): number {
  return Math.min(1, (came + ASSUMED) / (called + ASSUMED))
}

/** Of the holds that end, the share that ends unpaid; three in ten, until enough have ended. */
export function shareUnpaid({ ended, unpaid }: { ended: number; unpaid: number }): number {
  return (unpaid + 0.3 * ASSUMED) / (ended + ASSUMED)
}

/** Seats that a place called comes to take, of those whose search is over. */
export function seatsPerPlace({ taken, called }: { taken: number; called: number }): number {
  return (taken + TICKETS_PER_ORDER * ASSUMED) / (called + ASSUMED)
}

/**
 * Those who are still to come of the places called in the last 30 s. Of 100 called, where four in ten come and 38 are
 * in, two more will come; the share of those not yet in, 25, would hold up the line for half a minute.
 *
 * With twice the share's standard error on top: at first it is measured on some thirty places and multiplied by
 * hundreds. Without, of 200 simulated sales with a fifth of no-shows 13 had over 30 people search a full house; so none.
 */
export function countUnderWay(
  figures: Pick<PaceFigures, 'calledLately' | 'cameLately' | 'called' | 'came'>,
): number {
  const share = shareThatComes(figures)
  const error = Math.sqrt((share * (1 - share)) / (figures.called + ASSUMED))
  return Math.max(0, figures.calledLately * Math.min(1, share + 2 * error) - figures.cameLately)
}

/**
 * How many places a tick calls:
 *
 *     orders    = ceil(available seats / tickets per order)
 *     searching = admissions alive with no hold and no order paying, weighed by how likely they still take something
 *               + places called in the last 30 s, times the measured share that comes, less those who are in
 *     step      = min(rate, max(0, k · orders − searching), those waiting)
 *
 * Rounded upward, so that one last seat always calls somebody, whatever the share. Nothing is carried over from
 * one tick to the next: idle time banks no burst.
 */
export function paceStep(figures: PaceFigures): number {
  const orders = Math.ceil(figures.available / ticketsPerOrder(figures))
  const searching = figures.searching + countUnderWay(figures)
  const room = Math.max(0, figures.shoppersPerOrder * orders - searching)
  return Math.min(figures.allowance, Math.ceil(room), figures.waiting)
}

/** The rate as whole places: of 2.5 a second every other tick may call 3. A function of the tick, so nothing adds up. */
export function allowanceOf(rate: number, tick: number): number {
  return Math.floor(rate * (tick + 1)) - Math.floor(rate * tick)
}

/** The place up to which `step` people are called: places that were given up are passed over. */
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
