import { type AddressRange, isPrivate, isWithin, parseAddress, subscriberOf } from '../../addresses.ts'
import type { Keys } from '../../keys.ts'
import type { HoldOrigin } from '../../sql/holds/holds.ts'
import type { Caller } from '../caller.ts'
import { deviceDigest } from '../tokens/digests.ts'
import { createMac } from '../tokens/mac.ts'

/** Finds the device and the address of a caller's holds, so that the sale can limit the live holds of one device or address. */
export interface HoldOrigins {
  /** Returns digests of 8 bytes each; null for a part that is unknown or that does not count. */
  of(eventId: string, caller: Pick<Caller, 'deviceId' | 'address'>): HoldOrigin
}

export interface HoldOriginsDeps {
  keys: Pick<Keys, 'tokens'>
  trustedProxies: readonly AddressRange[]
}

/** An event's id and an IPv6 network. */
const LONGEST = 200
const DIGEST_BYTES = 8

/**
 * An address is stored as an HMAC under the secret that signs the queue tokens, with the event in it. IPv4 has so few
 * addresses that a bare hash could be searched for them. After a rotation of that secret an address has another digest: for
 * the life of a hold, both count by themselves.
 *
 * An address does not count where it is one of our own proxies, or where the internet does not route it. Without
 * TRUSTED_PROXIES, every fan would come from the load balancer's private address, and share one limit.
 */
export function createHoldOrigins({ keys, trustedProxies }: HoldOriginsDeps): HoldOrigins {
  let ring = keys.tokens
  let mac = createMac(ring[0].secret, LONGEST)

  function addressDigest(eventId: string, address: string | null) {
    const parsed = address === null ? null : parseAddress(address)
    if (!parsed || isPrivate(parsed) || isWithin(parsed, trustedProxies)) return null
    if (ring !== keys.tokens) {
      ring = keys.tokens
      mac = createMac(ring[0].secret, LONGEST)
    }
    const digest = mac(`hold-origin\n${eventId}\n${subscriberOf(parsed.toString())}`)
    return new Uint8Array(Buffer.from(digest, 'base64url').subarray(0, DIGEST_BYTES))
  }

  return {
    of: (eventId, { deviceId, address = null }) => ({
      device: deviceId === null ? null : new Uint8Array(deviceDigest(deviceId)),
      address: addressDigest(eventId, address),
    }),
  }
}
