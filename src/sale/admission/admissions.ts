import type { Database } from '../../sql/database/database.ts'
import {
  type AdmissionRow,
  endAdmission,
  insertAdmission,
  moveAdmission,
  readAdmission,
} from '../../sql/room/admissions.ts'
import type { Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import type { Rooms } from '../room/rooms.ts'
import { deviceDigest, isSameDigest } from '../tokens/digests.ts'
import type { AdmissionClaims, QueueClaims, Tokens } from '../tokens/tokens.ts'

export type { AdmissionClaims, AdmissionRow }

export interface Admissions {
  /**
   * Returns the claims of the caller's admission token, where it is valid for this event, account and device; else null.
   * Checks the signature, the clock's last known time and this process's copy of the room. It reads no store: the hold
   * function checks the row as well.
   */
  check(caller: Caller, eventId: string): AdmissionClaims | null
  /**
   * Reads the row of an admission, and notes here that it has ended, where it has: this process may have missed the message, while it
   * or Redis was away.
   */
  verify(claims: AdmissionClaims): Promise<void>
  /** Returns the account's last admission to the event, current or ended. */
  find(eventId: string, accountId: string): Promise<AdmissionRow | null>
  /** Admits a called place for `seconds`. Further calls return the same admission. */
  admit(place: QueueClaims & { place: number }, seconds: number): Promise<AdmissionRow>
  /** Ends the admission of a place. */
  end(place: QueueClaims): Promise<void>
  /** Binds the admission of a place, if it has one, to the place's device. */
  move(place: QueueClaims): Promise<void>
  /**
   * Calls `listener` whenever the place of an admission moves to another device, is given up or taken again, or a purchase ends
   * the admission. Returns how to stop.
   */
  onChange(place: Pick<QueueClaims, 'eventId' | 'arrival'>, listener: () => void): () => void
  /** Returns the admission token: the same each time, until a hold extends the admission or the signing key changes. */
  token(row: AdmissionRow): { token: string; expiresAt: Date }
}

export interface AdmissionsDeps {
  db: Database
  tokens: Tokens
  rooms: Rooms
  clock: Clock
}

export function createAdmissions({ db, tokens, rooms, clock }: AdmissionsDeps): Admissions {
  /**
   * True where the place has moved to another device or was given up since, or a purchase has ended the admission. While the
   * room's stores are away this process may not have that change: the row decides.
   */
  function isRevoked({ eventId, arrival, device }: AdmissionClaims): boolean {
    const change = rooms.known(eventId)?.changed.get(arrival)
    if (rooms.hasEnded(eventId, arrival)) return true
    return change !== undefined && (change.hasLeft || !isSameDigest(change.device, device))
  }

  return {
    check({ account, deviceId, admissionToken }, eventId) {
      if (!account || deviceId === null || admissionToken === null) return null
      const claims = tokens.verifyAdmissionToken(admissionToken, clock.estimate())
      if (!claims || claims.eventId !== eventId || claims.accountId !== account.id) return null
      if (!isSameDigest(claims.device, deviceDigest(deviceId))) return null
      return isRevoked(claims) ? null : claims
    },
    async verify({ eventId, accountId, arrival }) {
      const row = await readAdmission(db, eventId, accountId)
      if (row?.state === 'ENDED' && row.arrival === arrival) rooms.noteEnd(eventId, arrival)
    },
    find: (eventId, accountId) => readAdmission(db, eventId, accountId),
    admit: ({ eventId, accountId, arrival, place, device }, seconds) =>
      insertAdmission(db, { eventId, accountId, arrival, place, device }, seconds),
    end: ({ eventId, accountId, arrival }) => endAdmission(db, eventId, accountId, arrival),
    onChange: ({ eventId, arrival }, listener) => rooms.onPlace(eventId, arrival, listener),
    move: ({ eventId, accountId, arrival, device }) => moveAdmission(db, eventId, accountId, arrival, device),
    token({ eventId, accountId, arrival, place, device, expiresAt }) {
      const claims = { eventId, accountId, arrival, place, device: new Uint8Array(device), expiresAt }
      return { token: tokens.signAdmissionToken(claims), expiresAt }
    },
  }
}
