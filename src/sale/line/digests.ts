import { hash } from 'node:crypto'

/**
 * Whose a place is: the first 12 bytes of SHA-256 over event and account. Short enough for Redis to hold two
 * million of them, and nobody's account can be read from it.
 */
export function accountDigest(eventId: string, accountId: string): Buffer {
  return hash('sha256', `${eventId}\n${accountId}`, 'buffer').subarray(0, 12)
}

/** What a place and an admission are bound to: the first 8 bytes of SHA-256 over the device's id. */
export function deviceDigest(deviceId: string): Buffer {
  return hash('sha256', deviceId, 'buffer').subarray(0, 8)
}

export function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
