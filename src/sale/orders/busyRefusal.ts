import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import { extendRefusedHold, type RefusedHold } from '../../sql/holds/refusedHolds.ts'
import { CheckoutBusy } from '../refusals.ts'

export interface BusyRefusalDeps {
  db: Database
  publish: Publish
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
}

/**
 * Returns how a checkout is refused while the payment provider is busy or down. The hold is extended by the wait before the next
 * attempt, up to ten minutes in all (prisma/functions/extend_refused_hold.sql), and the change is published. Throws where the
 * database cannot be reached: then the answer must not say that the hold is safe.
 */
export function createBusyRefusal({ db, publish, seatMap }: BusyRefusalDeps) {
  return async (hold: RefusedHold, retryAfterSeconds: number): Promise<CheckoutBusy> => {
    const { eventId, holdId } = hold
    const changes = await extendRefusedHold(db, hold, retryAfterSeconds)
    if (changes.length > 0) {
      seatMap.publish(eventId, changes)
      publish(channels.hold(eventId, holdId), '')
    }
    return new CheckoutBusy(retryAfterSeconds)
  }
}
