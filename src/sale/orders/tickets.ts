import { createHash } from 'node:crypto'
import type { Keys, PairedKey } from '../../keys.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { toBase45 } from './base45.ts'
import { hasValidTickets, type OrderView, type TicketView } from './orders.ts'

/**
 * Every barcode begins with it: a scanner knows the format by it, and the signature covers it. No signed JWT begins so, and
 * the same keys sign both.
 */
const BARCODE_PREFIX = 'FG1:'

export interface Tickets {
  /**
   * Returns the barcode that the door scans, at most 140 characters of a QR code's alphanumeric mode. It has the event, the
   * ticket's number, the section and the seat, and an Ed25519 signature (RFC 8032), which the door checks offline. It has no
   * personal data. docs/scanners.md has its bytes. A ticket's barcode stays the same as long as the same key signs.
   *
   * Null before the money is captured, and for a void ticket. A free order's tickets have their barcodes at once.
   */
  barcode(
    ticket: Pick<TicketView, 'id' | 'no' | 'eventId' | 'seatNo' | 'voided'>,
    order: Pick<OrderView, 'state' | 'payment' | 'amount'>,
  ): Promise<string | null>
}

export function createTickets({ keys, catalogue }: { keys: Keys; catalogue: Catalogue }): Tickets {
  return {
    async barcode({ id, no, eventId, seatNo, voided }, order) {
      if (voided || !hasValidTickets(order)) return null
      const [key] = keys.barcodes
      const event = await catalogue.event(eventId)
      const section = event?.sectionOfSeat(seatNo)
      if (!event || !section) throw new Error(`ticket ${id} has no seat in the plan`)
      const fields = Buffer.alloc(14)
      keyId(key).copy(fields)
      fields.writeUInt32BE(no, 4)
      fields.writeUInt16BE(section.no, 8)
      // A unit of general admission has no number in the hall.
      fields.writeUInt32BE(event.seat(seatNo) ? seatNo : 0, 10)
      const content = Buffer.concat([fields, Buffer.from(eventId.slice('evt_'.length))])
      const signed = Buffer.concat([Buffer.from(BARCODE_PREFIX), content])
      const signature = await crypto.subtle.sign('Ed25519', key.privateKey, signed)
      return BARCODE_PREFIX + toBase45(Buffer.concat([content, Buffer.from(signature)]))
    },
  }
}

/** A kid may be long; four bytes of its digest pick the key of a ring, and the signature decides. */
function keyId({ kid }: PairedKey): Buffer {
  return createHash('sha256').update(kid).digest().subarray(0, 4)
}
