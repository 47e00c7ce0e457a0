import { countWaiting, measuredRate, placeOf, type Room } from '../room/room.ts'
import type { SaleView } from '../saleView.ts'

export type QueueState =
  | 'PRE_QUEUE'
  | 'WAITING'
  | 'ADMITTED'
  | 'LAPSED'
  | 'FINISHED'
  | 'OPEN'
  | 'SOLD_OUT'
  | 'ENDED'

/** A place as its fan is told of it. */
export interface PositionView {
  readonly eventId: string
  readonly state: QueueState
  readonly queueToken: string
  readonly arrival: number
  readonly place: number | null
  readonly position: number | null
  readonly estimatedWaitSeconds: number | null
  readonly paused: boolean
  readonly available: number
  readonly held: number
  readonly admission: { readonly token: string; readonly expiresAt: Date } | null
  readonly turnEndsAt: Date | null
  readonly pollAfterSeconds: number
  readonly asOf: Date
}

/** True where nobody is called: ops paused the room or the whole sale. */
export function isPaused(sale: SaleView, room: Room | null): boolean {
  return sale.paused || (room?.paused ?? false)
}

/**
 * Places ahead over places called a second. Null where nobody is called or nothing is measured yet, and where the
 * seats that are left, with the held ones that may come back, will hardly reach this place: where those ahead
 * would take them all, if they take what a place called has taken until now.
 */
export function estimateWait(sale: SaleView, room: Room, place: number): number | null {
  const ahead = place - room.admittedUpTo - 1
  const rate = expectedRate(room)
  if (isPaused(sale, room) || rate === 0) return null
  const left = sale.counts.available + sale.counts.held * room.unpaidShare
  if (ahead * room.seatsPerPlace >= left) return null
  const seconds = Math.ceil(ahead / rate)
  return seconds > LONGEST_ESTIMATE_SECONDS ? null : seconds
}

/** Ops may let a rate near zero stand: what takes longer than a week is no time that anybody waits, and soon no whole number. */
const LONGEST_ESTIMATE_SECONDS = 604_800

/** As measured; after a cut no more than the controller allows now, which the measured minute shows later. */
function expectedRate(room: Room): number {
  return Math.min(measuredRate(room), room.rate)
}

const SOONEST_POLL = 3
const LATEST_POLL = 15

/**
 * When one who polls is told to ask again: near the front after 3 s, far back after up to 15 s, since nothing
 * happens there that a few seconds would change. Jittered by up to a third, so that those who joined together do
 * not ask together.
 */
export function pollAfter(wait: number | null, random = Math.random()): number {
  const base = wait === null ? LATEST_POLL : clamp(wait / 10, SOONEST_POLL, LATEST_POLL)
  return Math.round(clamp(base * (1 + (wait === null ? -random : random) / 3), SOONEST_POLL, LATEST_POLL))
}

/** How long the draw of 2,000,000 takes at most, from the opening until a server has the places, on a busy machine. */
const DRAW_MS = 800

/**
 * Before the opening: so that the place is known within two seconds after it, once it is near. After it, while the
 * draw is being made: likewise from now.
 *
 * In whole seconds that is 0.8 to 1.8 s after the opening, by where in a second somebody asks: they came at all times of it,
 * and ask apart without a jitter, which would leave the last of them no time for the way.
 */
export function pollBeforeOpening(msToOpening: number, random = Math.random()): number {
  const seconds = Math.ceil((Math.max(0, msToOpening) + DRAW_MS) / 1_000)
  return seconds > LATEST_POLL ? pollAfter(null, random) : seconds
}

/**
 * How often a socket hears of a waiting place: each second for whoever is called within a minute, then less often
 * in proportion, down to every 15 s. A socket's second costs the server a message, and far back the position
 * changes by nothing that matters.
 */
export function updateEveryMs(wait: number | null): number {
  return wait === null ? LATEST_POLL * 1_000 : clamp(wait / 60, 1, LATEST_POLL) * 1_000
}

/** The wait that cadence goes by; unlike the estimate it is told to nobody, so that it may be rough. */
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
    draw: { commitment, seed, size, beaconSource, beacon },
  }
}

/** True once everybody at or before the place of this arrival index has been called. */
export function isCalled(room: Room, arrival: number): boolean {
  const place = placeOf(room, arrival)
  return place !== null && place <= room.admittedUpTo
}

function clamp(value: number, lowest: number, highest: number): number {
  return Math.min(highest, Math.max(lowest, value))
}
