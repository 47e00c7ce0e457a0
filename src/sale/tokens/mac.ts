import { hash } from 'node:crypto'

/** Bytes that SHA-256 takes in at once. */
const BLOCK = 64
const DIGEST = 32

/**
 * HMAC-SHA-256 (RFC 2104) of a text, in base64url. Throws for one of more than `longest` characters.
 *
 * By two one-shot hashes: `createHmac` makes a native object for each call (2.7 to 4.9 µs, this takes 1.1 to 3.0; Node 24).
 */
export function createMac(secret: Uint8Array, longest: number): (text: string) => string {
  const key = Buffer.alloc(BLOCK)
  key.set(secret.length > BLOCK ? hash('sha256', secret, 'buffer') : secret)
  const inner = Buffer.alloc(BLOCK + 3 * longest)
  const outer = Buffer.alloc(BLOCK + DIGEST)
  for (const [i, byte] of key.entries()) {
    inner[i] = byte ^ 0x36
    outer[i] = byte ^ 0x5c
  }
  return (text) => {
    if (text.length > longest) throw new RangeError(`a text of more than ${longest} characters`)
    const length = inner.write(text, BLOCK)
    outer.write(hash('sha256', inner.subarray(0, BLOCK + length), 'binary'), BLOCK, 'latin1')
    return hash('sha256', outer, 'base64url')
  }
}
