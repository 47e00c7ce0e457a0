import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { SignJWT } from 'jose'
import type { Keys } from '../../keys.ts'
import type { Database } from '../../sql/database/database.ts'
import { readVoidTicketNos } from '../../sql/orders/tickets.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'

/** The `typ` and media type of the IETF's Token Status List (draft-ietf-oauth-status-list). */
export const STATUS_LIST_TYPE = 'statuslist+jwt'

/** The path of an event's list, on the public address. */
export const ticketStatusPath = (eventId: string) => `/events/${eventId}/ticket-status`

/** A scanner that is online fetches the list again after this time. */
export const STATUS_TTL_SECONDS = 60
/** A door without a network for a whole weekend's first two days still has a valid list. */
const VALID_SECONDS = 48 * 3_600

export interface TicketStatus {
  /**
   * Returns an event's list of void tickets: an IETF Token Status List of one bit a ticket, signed with the key of barcodes. The
   * bit at a ticket's number is 1 where the ticket is void. Null where there is no such event.
   */
  list(eventId: string): Promise<string | null>
}

export interface TicketStatusDeps {
  db: Database
  keys: Keys
  catalogue: Catalogue
  publicUrl: string
}

export function createTicketStatus({ db, keys, catalogue, publicUrl }: TicketStatusDeps): TicketStatus {
  return {
    async list(eventId) {
      const event = await catalogue.event(eventId)
      if (!event) return null
      const seats = event.sections.reduce((sum, { capacity }) => sum + capacity, 0)
      const bits = bitsOf(await readVoidTicketNos(db, eventId), seats)
      const [{ kid, privateKey }] = keys.barcodes
      return new SignJWT({
        status_list: { bits: 1, lst: (await compress(bits, { level: 9 })).toString('base64url') },
        ttl: STATUS_TTL_SECONDS,
      })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: STATUS_LIST_TYPE })
        .setSubject(publicUrl + ticketStatusPath(eventId))
        .setIssuedAt()
        .setExpirationTime(`${VALID_SECONDS}s`)
        .sign(privateKey)
    },
  }
}

/**
 * Sets the bit of each number, the lowest bit of a byte first. A seat's ticket n is sold after its ticket n-1 became void, so
 * the list has room for every ticket of now, and for each seat's next one.
 */
function bitsOf(voidNos: readonly number[], seats: number): Buffer {
  const rounds = 2 + voidNos.reduce((most, no) => Math.max(most, Math.floor(no / seats) + 1), 0)
  const bits = Buffer.alloc(Math.ceil((rounds * seats) / 8))
  for (const no of voidNos) bits[no >> 3] = (bits[no >> 3] as number) | (1 << (no & 7))
  return bits
}

const compress = promisify(deflate)
