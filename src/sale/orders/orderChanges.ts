import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange } from '../../seatStatus.ts'

/** The changes that a committed transition of an order made. */
export interface OrderChange {
  eventId: string
  orderId: string
  /** Null where the hold did not change. */
  holdId: string | null
  /** Of its seats. */
  changes?: SeatChange[]
  /** The arrival index of the admission that it ended. */
  endedArrival?: number | null
  /** The commit left a row in the outbox. */
  outbox?: boolean
}

export interface OrderChangesDeps {
  publish: Publish
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
  rooms?: { publishEnd(eventId: string, arrival: number): void }
}

/** Publishes a committed change to the order's, the hold's and the outbox's channels and to the seat map. */
export type PublishOrderChange = (change: OrderChange) => void

/** Publishing never fails, and no caller waits for it: the change is committed already. */
export function createPublishOrderChange({ publish, seatMap, rooms }: OrderChangesDeps): PublishOrderChange {
  return ({ eventId, orderId, holdId, changes = [], endedArrival = null, outbox = false }) => {
    if (outbox) publish(channels.outbox, '')
    publish(channels.order(eventId, orderId), '')
    if (holdId !== null) publish(channels.hold(eventId, holdId), '')
    if (endedArrival !== null) rooms?.publishEnd(eventId, endedArrival)
    if (changes.length > 0) seatMap.publish(eventId, changes)
  }
}
