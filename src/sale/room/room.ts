import { RATE_WINDOW_SECONDS, type RoomRow } from '../../sql/room/rooms.ts'
import type { AbandonedPlaces } from './abandonedPlaces.ts'

/** A room in a server's memory. Positions of waiting fans come from this alone. */
export interface Room extends Omit<RoomRow, 'now'> {
  /** The drawn places, by arrival index less one; null until the draw is made and this process has them. */
  readonly places: Uint32Array | null
  /** The few places that moved to another device or were given up, by arrival index. */
  readonly changed: ReadonlyMap<number, PlaceChange>
  readonly abandoned: AbandonedPlaces
  readonly asOf: Date
}

export interface PlaceChange {
  readonly device: Uint8Array
  readonly hasLeft: boolean
  /** The journal's time. Of two changes of a place the later one stands, whichever message comes first. */
  readonly changedAt: Date
}

/** The part of a room that a tick changes. */
export type TickedRoom = Pick<
  RoomRow,
  | 'eventId'
  | 'tick'
  | 'admittedUpTo'
  | 'joined'
  | 'worked'
  | 'admittedBefore'
  | 'inside'
  | 'seatsPerPlace'
  | 'unpaidShare'
  | 'rate'
  | 'rateCeiling'
  | 'rateReason'
>

/** Places called a second over the last minute in which the room called; 0 where nothing is measured yet. */
export function measuredRate({
  admittedUpTo,
  admittedBefore,
  worked,
}: Pick<Room, 'admittedUpTo' | 'admittedBefore' | 'worked'>): number {
  return worked === 0 ? 0 : (admittedUpTo - admittedBefore) / Math.min(worked, RATE_WINDOW_SECONDS)
}

/**
 * The place of an arrival index. Fans who joined before the freeze have drawn places; later fans follow in order. Null until the
 * draw is made and this process has its places.
 */
export function placeOf({ places }: Pick<Room, 'places'>, arrival: number): number | null {
  if (places === null) return null
  return places[arrival - 1] ?? arrival
}

/** How many fans wait: they joined, were not called, and did not give up. */
export function countWaiting({ joined, admittedUpTo, abandoned }: Room): number {
  return Math.max(0, joined - admittedUpTo - abandoned.uncalled)
}
