import { yieldToEventLoop } from '../../async/eventLoop.ts'
import { isSameDigest } from '../tokens/digests.ts'
import { type AbandonedPlacesRecord, createAbandonedPlaces } from './abandonedPlaces.ts'
import { type PlaceChange, placeOf } from './room.ts'

/** Changes that are applied in one go: hundreds of thousands, as the first read may find, would block the loop for a second. */
export const CHANGES_AT_ONCE = 5_000

/** The abandoned places, counted by the places of one draw. */
interface Count {
  /** Null until there is a draw. */
  readonly places: Uint32Array | null
  readonly abandoned: AbandonedPlacesRecord
}

/** The places of one room that moved to another device or were given up, and the count of the abandoned ones. */
export function createPlaceChanges() {
  let changed = new Map<number, PlaceChange>()
  let current: Count = { places: null, abandoned: createAbandonedPlaces() }
  /** Counts by other places, under way: a change meanwhile is written to them too. */
  const underWay = new Set<Count>()

  return {
    get changed(): ReadonlyMap<number, PlaceChange> {
      return changed
    },
    get places() {
      return current.places
    },
    get abandoned() {
      return current.abandoned
    },

    /** Returns true where the place's device or its state is another one now. A change older than the known one is ignored. */
    apply(arrival: number, { device, hasLeft, changedAt }: PlaceChange): boolean {
      const known = changed.get(arrival)
      if (known && known.changedAt >= changedAt) return false
      changed.set(arrival, { device, hasLeft, changedAt })
      for (const count of [current, ...underWay]) setAbandoned(count, arrival, hasLeft)
      return known?.hasLeft !== hasLeft || !isSameDigest(known.device, device)
    },

    /** Each place is its arrival index, as it was taken to be before the draw: the count stays. */
    useArrivalsAsPlaces() {
      current = { ...current, places: new Uint32Array(0) }
    },

    /**
     * Moves the count to the places of a draw, which gives each fan another place. Counts in pieces, and then replaces places
     * and count together. Does nothing where `isWanted` returns false at the end.
     */
    async moveTo(places: Uint32Array | null, isWanted: () => boolean, admittedUpTo: () => number) {
      for (;;) {
        const counted = changed
        const count: Count = { places, abandoned: createAbandonedPlaces() }
        underWay.add(count)
        let taken = 0
        for (const [arrival, { hasLeft }] of counted) {
          setAbandoned(count, arrival, hasLeft)
          if (++taken % CHANGES_AT_ONCE === 0) await yieldToEventLoop()
        }
        underWay.delete(count)
        if (!isWanted()) return
        // Otherwise the changes were forgotten meanwhile: the count starts again.
        if (changed === counted) {
          count.abandoned.callUpTo(admittedUpTo())
          current = count
          return
        }
      }
    },

    forget() {
      changed = new Map()
      current = { ...current, abandoned: createAbandonedPlaces() }
    },
  }
}

/** Before the draw no place is called, and the count of waiting fans is the same in any order of the places. */
function setAbandoned({ places, abandoned }: Count, arrival: number, hasLeft: boolean) {
  abandoned.set(placeOf({ places }, arrival) ?? arrival, arrival, hasLeft)
}
