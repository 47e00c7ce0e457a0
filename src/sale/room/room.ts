import { RATE_WINDOW_SECONDS, type RoomRow } from '../../sql/rooms.ts'
import type { AbandonedPlaces } from './abandonedPlaces.ts'

/** A room as each server has it in memory: whoever waits is answered from this alone. */
export interface Room extends Omit<RoomRow, 'now'> {
  /** The places that the draw gave, by arrival index less one; null until it is made and this process has them. */
  readonly places: Uint32Array | null
  /** The few places that moved to another device or were given up, by arrival index. */
  readonly changed: ReadonlyMap<number, PlaceChange>
  readonly abandoned: AbandonedPlaces
  readonly asOf: Date
}

export interface PlaceChange {
  readonly device: Uint8Array
  readonly hasLeft: boolean
  /** As the journal says: of two changes of a place the later one stands, whichever is heard of first. */
  readonly changedAt: Date
}

/** What a tick changes of a room. */
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

/** Places called a second over the last minute in which the room was at work; 0 where nothing is measured yet. */
export function measuredRate({
  admittedUpTo,
  admittedBefore,
  worked,
}: Pick<Room, 'admittedUpTo' | 'admittedBefore' | 'worked'>): number {
  return worked === 0 ? 0 : (admittedUpTo - admittedBefore) / Math.min(worked, RATE_WINDOW_SECONDS)
}

/**
 * The place of an arrival index: who came before the line was frozen has the one that was drawn, who came later is
 * served in order. Null until the draw is made and this process has its places.
 */
export function placeOf({ places }: Pick<Room, 'places'>, arrival: number): number | null {
  if (places === null) return null
  return places[arrival - 1] ?? arrival
}

/** How many wait: those who joined and were neither called nor have given up. */
export function countWaiting({ joined, admittedUpTo, abandoned }: Room): number {
  return Math.max(0, joined - admittedUpTo - abandoned.uncalled)
}
