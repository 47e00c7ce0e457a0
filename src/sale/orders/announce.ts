import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange, SeatStatus } from '../../seatStatus.ts'
import type { ChangedSeats } from '../../sql/orders.ts'

/** What a committed transition of an order changed. */
export interface OrderChange {
  eventId: string
  orderId: string
  /** Null where the hold is as it was. */
  holdId: string | null
  /** The seats that have a new revision, and the status that all of them have now. */
  seats?: ChangedSeats & { status: SeatStatus }
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
  return ({ eventId, orderId, holdId, seats, outbox = false }) => {
    if (outbox) publish(channels.outbox, '')
    publish(channels.order(eventId, orderId), '')
    if (holdId !== null) publish(channels.hold(eventId, holdId), '')
    if (!seats?.seatNos) return
    const { status, revisions } = seats
    seatMap.publish(
      eventId,
      seats.seatNos.map((seatNo, i) => ({ seatNo, status, revision: revisions?.[i] as number })),
    )
  }
}
