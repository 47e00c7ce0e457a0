import { SignJWT } from 'jose'
import type { Keys } from '../../keys.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { TicketView } from './orders.ts'

/** The `typ` of a barcode: no other token of ours can be taken for one, and none of ours for another's. */
export const BARCODE_TYPE = 'fairgate-ticket+jwt'

export interface Tickets {
  /**
   * What the door scans: a JWT signed with Ed25519 (RFC 8037), to be checked offline with the public keys.
   * Says which ticket of which event it is and where it lets in, in the plan's own words, and nothing about
   * a person. The same ticket always has the same barcode, for as long as the same key signs.
   */
  barcode(ticket: Pick<TicketView, 'id' | 'eventId' | 'seatNo'>): Promise<string>
}

export function createTickets({ keys, catalogue }: { keys: Keys; catalogue: Catalogue }): Tickets {
  return {
    async barcode({ id, eventId, seatNo }) {
      const [{ kid, privateKey }] = keys.barcodes
      const event = await catalogue.event(eventId)
      const section = event?.sectionOfSeat(seatNo)
      if (!event || !section) throw new Error(`ticket ${id} has no place in the plan`)
      // Undefined where the section is general admission: the claim is left out.
      const seat = event.seat(seatNo)?.key
      return new SignJWT({ event: eventId, ticket: id, section: section.key, seat })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: BARCODE_TYPE })
        .sign(privateKey)
    },
  }
}
