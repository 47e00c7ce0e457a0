import { hash } from 'node:crypto'

/**
 * Returns the key of an account's place: the first 12 bytes of SHA-256 over event and account. It is short enough for Redis
 * to store two million of them, and the account cannot be recovered from it.
 */
export function accountDigest(eventId: string, accountId: string): Buffer {
  return digest(`${eventId}\n${accountId}`, 12)
}

/** Returns what a place and an admission are bound to: the first 8 bytes of SHA-256 over the device's id. */
export function deviceDigest(deviceId: string): Buffer {
  return digest(deviceId, 8)
}

/** Goes through hexadecimal: a Buffer straight from `hash` takes longer (Node 24), and keeps all 32 bytes in memory. */
function digest(text: string, bytes: number): Buffer {
  return Buffer.from(hash('sha256', text, 'hex').slice(0, 2 * bytes), 'hex')
}

export function isSameDigest(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
