/** The checkouts of one process that are under way at one provider. */
export interface Reservations {
  /** False where too many are under way. */
  begin(eventId: string): boolean
  end(eventId: string): void
}

/**
 * Allows `most` checkouts, and as many more of events that have less than their even share of `most`: the crowd of one event
 * does not refuse the checkouts of another.
 */
export function createReservations(most: number): Reservations {
  const underWayOf = new Map<string, number>()
  let underWay = 0
  return {
    begin(eventId) {
      const own = underWayOf.get(eventId) ?? 0
      const events = underWayOf.size + (own === 0 ? 1 : 0)
      if (underWay >= 2 * most || (underWay >= most && own * events >= most)) return false
      underWay++
      underWayOf.set(eventId, own + 1)
      return true
    },
    end(eventId) {
      underWay--
      const left = (underWayOf.get(eventId) ?? 0) - 1
      if (left > 0) underWayOf.set(eventId, left)
      else underWayOf.delete(eventId)
    },
  }
}
