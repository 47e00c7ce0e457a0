import type { Draw, QueuePosition } from '../../../sdk/index.ts'

/** What this device noted about the draw before it was made. The server cannot change it afterwards. */
export interface Noted {
  readonly arrival: number
  readonly commitment: string
  readonly beaconSource: string | null
  /** In milliseconds. */
  readonly at: number
}

const keyOf = (eventId: string, arrival: number) => `fairgate.draw.${eventId}.${arrival}`

/** Notes the commitment and the arrival, once for each place, and only before the seed is published. */
export function note(storage: Storage, position: QueuePosition, draw: Draw, at: number): void {
  if (draw.seed !== null || position.arrival === 0) return
  const key = keyOf(position.eventId, position.arrival)
  try {
    if (storage.getItem(key) !== null) return
    const noted: Noted = {
      arrival: position.arrival,
      commitment: draw.commitment,
      beaconSource: draw.beaconSource,
      at,
    }
    storage.setItem(key, JSON.stringify(noted))
  } catch {
    // A browser that stores nothing has nothing to compare later; the check says so.
  }
}

/** Returns what was noted for a place; null where this device noted nothing. */
export function readNoted(storage: Storage, eventId: string, arrival: number): Noted | null {
  try {
    return JSON.parse(storage.getItem(keyOf(eventId, arrival)) ?? 'null')
  } catch {
    return null
  }
}
