import { countWaiting, measuredRate, placeOf, type Room } from '../room/room.ts'
import type { SaleView } from '../saleView.ts'

export type QueueState =
  | 'PRE_QUEUE'
  | 'WAITING'
  | 'ADMITTED'
  | 'LAPSED'
  | 'FINISHED'
  | 'REPLACED'
  | 'OPEN'
  | 'SOLD_OUT'
  | 'ENDED'

/** Why a waiting place has an estimate, or has none. */
export type Outlook = 'ESTIMATED' | 'PAUSED' | 'RATE_UNKNOWN' | 'ALL_HELD' | 'MAY_NOT_REACH'

/** A place as its fan sees it. */
export interface PositionView {
  readonly eventId: string
  readonly state: QueueState
  readonly queueToken: string
  readonly arrival: number
  readonly place: number | null
  readonly position: number | null
  readonly estimatedWaitSeconds: number | null
  /** Null for a place that does not wait. */
  readonly outlook: Outlook | null
  readonly paused: boolean
  readonly available: number
  readonly held: number
  readonly admission: { readonly token: string; readonly expiresAt: Date } | null
  readonly turnEndsAt: Date | null
  readonly pollAfterSeconds: number
  readonly asOf: Date
}

/** The part of a position that depends on its state. */
export type StateView = Pick<PositionView, 'state'> &
  Partial<
    Pick<
      PositionView,
      | 'place'
      | 'position'
      | 'estimatedWaitSeconds'
      | 'outlook'
      | 'admission'
      | 'turnEndsAt'
      | 'pollAfterSeconds'
    >
  >

/** True while no place is called because ops paused the room or the whole sale. */
export function isPaused(sale: SaleView, room: Room | null): boolean {
  return sale.paused || (room?.paused ?? false)
}

/**
 * Returns the outlook of a waiting place, with the estimated wait in seconds: places ahead, divided by places called a
 * second.
 *
 * The estimate is null in each of these cases. The room or the sale is paused. No seat is available. The seats will hardly
 * last to this place: what is left, with the held seats that may come back, is no more than the places ahead would take at
 * the average of the called places so far. No rate is measured, or the wait is longer than a week.
 */
export function outlookOf(
  sale: SaleView,
  room: Room,
  place: number,
): { outlook: Outlook; estimatedWaitSeconds: number | null } {
  const ahead = place - room.admittedUpTo - 1
  const none = (outlook: Outlook) => ({ outlook, estimatedWaitSeconds: null })
  if (isPaused(sale, room)) return none('PAUSED')
  if (sale.counts.available === 0) return none('ALL_HELD')
  if (ahead * room.seatsPerPlace >= seatsLeft(sale, room)) return none('MAY_NOT_REACH')
  const rate = expectedRate(room)
  if (rate === 0) return none('RATE_UNKNOWN')
  const seconds = Math.ceil(ahead / rate)
  if (seconds > LONGEST_ESTIMATE_SECONDS) return none('RATE_UNKNOWN')
  return { outlook: 'ESTIMATED', estimatedWaitSeconds: seconds }
}

/**
 * Returns the last place with an estimate of at most `seconds`, or the place before it, by the rounding of numbers; `admittedUpTo` where
 * no place has one. It is `outlookOf` solved for the place.
 */
export function lastPlaceWithin(sale: SaleView, room: Room, seconds: number): number {
  const next = outlookOf(sale, room, room.admittedUpTo + 1)
  if (next.outlook !== 'ESTIMATED') return room.admittedUpTo
  const left = seatsLeft(sale, room) / room.seatsPerPlace
  const last = Math.min(Math.floor(expectedRate(room) * seconds), Math.ceil(left) - 1, MOST_PLACES)
  const place = room.admittedUpTo + 1 + last
  // A division and a product of the same numbers may be rounded apart.
  const { estimatedWaitSeconds: wait } = outlookOf(sale, room, place)
  return wait !== null && wait <= seconds ? place : place - 1
}

/** Far more places than a line has. */
const MOST_PLACES = 1_000_000_000

/** The seats that are available, and the share of the held ones that comes back. */
function seatsLeft({ counts }: SaleView, { unpaidShare }: Room): number {
  return counts.available + counts.held * unpaidShare
}

/**
 * A week. Ops may set a rate near zero: no fan waits for longer than this, and far above it the seconds exceed an integer of
 * the API.
 */
const LONGEST_ESTIMATE_SECONDS = 604_800

/** The measured rate. After a cut at most the rate in force: the measured minute shows a cut only later. */
function expectedRate(room: Room): number {
  return Math.min(measuredRate(room), room.rate)
}

const SOONEST_POLL = 3
const LATEST_POLL = 15

/**
 * Returns the seconds until a client's next poll: 3 s near the front, up to 15 s far back, where a few seconds change
 * nothing for the fan. Jittered by up to a third, so that fans who joined together do not poll together.
 */
export function pollAfter(wait: number | null, random = Math.random()): number {
  const base = wait === null ? LATEST_POLL : clamp(wait / 10, SOONEST_POLL, LATEST_POLL)
  return Math.round(clamp(base * (1 + (wait === null ? -random : random) / 3), SOONEST_POLL, LATEST_POLL))
}

/** Milliseconds from the opening until a server has the places of a draw of 2,000,000, on a busy machine: `bench/draw.ts`. */
const DRAW_MS = 800

/**
 * Returns the seconds until a client's next poll before the opening, or while the draw is being made. Once the opening is
 * near, the poll is timed so that the fan knows the place within two seconds after it.
 *
 * Rounded up to whole seconds, the poll comes 0.8 to 1.8 s after the opening, depending on when in a second the client polls
 * now. Fans join at all times of a second, so the polls are spread without jitter. Jitter would leave the last of them no
 * time for the round trip.
 */
export function pollBeforeOpening(msToOpening: number, random = Math.random()): number {
  const seconds = Math.ceil((Math.max(0, msToOpening) + DRAW_MS) / 1_000)
  return seconds > LATEST_POLL ? pollAfter(null, random) : seconds
}

/**
 * Returns the milliseconds between two updates of a waiting place on a socket: one second where the place is called within
 * a minute, then longer in proportion to the wait, at most 15 s. Each update costs the server a message, and far back the
 * position changes by nothing that matters.
 */
export function updateEveryMs(wait: number | null): number {
  return wait === null ? LATEST_POLL * 1_000 : clamp(wait / 60, 1, LATEST_POLL) * 1_000
}

/** Returns the wait in seconds that `updateEveryMs` needs. No client sees it, unlike the estimate, so it may be rough. */
export function roughWait(room: Room, place: number): number | null {
  const ahead = place - room.admittedUpTo - 1
  const rate = expectedRate(room) || room.rate
  return rate === 0 ? null : ahead / rate
}

/** The room's public state. */
export interface RoomView {
  readonly eventId: string
  readonly admittedUpTo: number
  readonly admissionRate: number
  readonly paused: boolean
  readonly waiting: number
  readonly inside: number
  /** The number of places that the seats left will serve, at the average of the called places so far. */
  readonly enoughFor: number
  readonly draw: {
    readonly commitment: string
    readonly seed: string | null
    readonly size: number | null
    readonly beaconSource: string | null
    readonly beacon: string
  }
}

export function toRoomView(sale: SaleView, room: Room): RoomView {
  const { eventId, admittedUpTo, inside, commitment, seed, size, beaconSource, beacon } = room
  return {
    eventId,
    admittedUpTo,
    admissionRate: measuredRate(room),
    paused: isPaused(sale, room),
    waiting: countWaiting(room),
    inside,
    enoughFor: Math.floor(seatsLeft(sale, room) / room.seatsPerPlace),
    draw: { commitment, seed, size, beaconSource, beacon },
  }
}

/** True once the place of this arrival index has been called. */
export function isCalled(room: Room, arrival: number): boolean {
  const place = placeOf(room, arrival)
  return place !== null && place <= room.admittedUpTo
}

function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value))
}
