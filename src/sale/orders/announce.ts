import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange } from '../../seatStatus.ts'

/** What a committed transition of an order changed. */
export interface OrderChange {
  eventId: string
  orderId: string
  /** Null where the hold is as it was. */
  holdId: string | null
  /** Of its seats. */
  changes?: SeatChange[]
  /** The commit left a row in the outbox. */
  outbox?: boolean
}

export interface AnnounceDeps {
  publish: Publish
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
}

export type Announce = (change: OrderChange) => void

/** Tells everybody what a commit changed. Never fails, and nobody waits for it: it is committed already. */
export function createAnnounce({ publish, seatMap }: AnnounceDeps): Announce {
  return ({ eventId, orderId, holdId, changes = [], outbox = false }) => {
    if (outbox) publish(channels.outbox, '')
    publish(channels.order(eventId, orderId), '')
    if (holdId !== null) publish(channels.hold(eventId, holdId), '')
    if (changes.length > 0) seatMap.publish(eventId, changes)
  }
}
