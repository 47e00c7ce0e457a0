import { SignJWT } from 'jose'
import type { Keys } from '../../keys.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { TicketView } from './orders.ts'

/** The `typ` of a barcode. It keeps a barcode and any other token from being mistaken for each other. */
export const BARCODE_TYPE = 'fairgate-ticket+jwt'

export interface Tickets {
  /**
   * The barcode that the door scans: a JWT signed with Ed25519 (RFC 8037), checked offline with the public keys. It
   * names the event, the ticket, and the section and seat by the plan's keys; it has no personal data. A ticket's barcode
   * stays the same as long as the same key signs.
   */
  barcode(ticket: Pick<TicketView, 'id' | 'eventId' | 'seatNo'>): Promise<string>
}

export function createTickets({ keys, catalogue }: { keys: Keys; catalogue: Catalogue }): Tickets {
  return {
    async barcode({ id, eventId, seatNo }) {
      const [{ kid, privateKey }] = keys.barcodes
      const event = await catalogue.event(eventId)
      const section = event?.sectionOfSeat(seatNo)
      if (!event || !section) throw new Error(`ticket ${id} has no seat in the plan`)
      // Undefined for general admission: then the claim is left out.
      const seat = event.seat(seatNo)?.key
      return new SignJWT({ event: eventId, ticket: id, section: section.key, seat })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: BARCODE_TYPE })
        .sign(privateKey)
    },
  }
}
