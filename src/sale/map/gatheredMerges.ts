import { setTimeout as sleep } from 'node:timers/promises'
import type { SeatChange } from '../../seatStatus.ts'

export type Merge = (eventId: string, sectionNo: number, changes: SeatChange[]) => Promise<void>

/** The most that a change waits for others; subscribers are told every 250 ms. */
const GATHER_MS = 10

/** Merges what comes for a section within a few milliseconds at once, and for all sections in one round trip. */
export function createGatheredMerges(merge: Merge): Merge {
  let next: Promise<unknown> | null = null
  const waiting = new Map<string, { changes: SeatChange[]; merged: Promise<void> }>()

  return (eventId, sectionNo, changes) => {
    next ??= sleep(GATHER_MS).then(() => {
      next = null
      waiting.clear()
    })
    const key = `${eventId} ${sectionNo}`
    const known = waiting.get(key)
    if (known) {
      known.changes.push(...changes)
      return known.merged
    }
    const gathered = [...changes]
    const merged = next.then(() => merge(eventId, sectionNo, gathered))
    waiting.set(key, { changes: gathered, merged })
    return merged
  }
}
