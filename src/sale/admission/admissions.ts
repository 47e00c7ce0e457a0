import {
  type AdmissionRow,
  endAdmission,
  insertAdmission,
  moveAdmission,
  readAdmission,
} from '../../sql/admissions.ts'
import type { Database } from '../../sql/database.ts'
import type { Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import type { Rooms } from '../room/rooms.ts'
import { deviceDigest, isSameDigest } from '../tokens/digests.ts'
import type { AdmissionClaims, QueueClaims, Tokens } from '../tokens/tokens.ts'

export type { AdmissionClaims, AdmissionRow }

export interface Admissions {
  /**
   * What the caller's admission token says, where it is for this event and of this account and device. By its
   * signature, the clock as far as it is known, and what this process remembers; no store is asked. The hold function reads the
   * row as well.
   */
  check(caller: Caller, eventId: string): AdmissionClaims | null
  /** The account's last admission to the event, alive or over. */
  find(eventId: string, accountId: string): Promise<AdmissionRow | null>
  /** Lets a called place in, for `seconds`; once, however often it asks. */
  admit(place: QueueClaims & { place: number }, seconds: number): Promise<AdmissionRow>
  /** Gives the admission of a place back. */
  end(place: QueueClaims): Promise<void>
  /** Binds the admission of a place, if it has one, to the place's device. */
  move(place: QueueClaims): Promise<void>
  /** Told whenever the place of an admission moves to another device, or is given up or taken up again. */
  onChange(place: Pick<QueueClaims, 'eventId' | 'arrival'>, listener: () => void): () => void
  /** The key to the sale; the same each time, until a hold stretches the admission or the signing key changes. */
  token(row: AdmissionRow): { token: string; expiresAt: Date }
}

export interface AdmissionsDeps {
  db: Database
  tokens: Tokens
  rooms: Rooms
  clock: Clock
}

export function createAdmissions({ db, tokens, rooms, clock }: AdmissionsDeps): Admissions {
  /** The place moved to another device or was given up since. Unknown while the queue is away: the row decides. */
  function isDead({ eventId, arrival, device }: AdmissionClaims): boolean {
    const change = rooms.known(eventId)?.changed.get(arrival)
    return change !== undefined && (change.hasLeft || !isSameDigest(change.device, device))
  }

  return {
    check({ account, deviceId, admissionToken }, eventId) {
      if (!account || deviceId === null || admissionToken === null) return null
      const claims = tokens.verifyAdmissionToken(admissionToken, clock.known())
      if (!claims || claims.eventId !== eventId || claims.accountId !== account.id) return null
      if (!isSameDigest(claims.device, deviceDigest(deviceId))) return null
      return isDead(claims) ? null : claims
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
