import { hash } from 'node:crypto'

/** SHA-256's block size, in bytes. */
const BLOCK = 64
const DIGEST = 32

/**
 * Returns a function that computes HMAC-SHA-256 (RFC 2104) of a text, in base64url. That function throws RangeError for a
 * text of more than `longest` characters.
 *
 * It uses two one-shot hashes, which take about half as long as `createHmac` with its native object for each call (Node 24).
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
    if (text.length > longest) throw new RangeError(`the text has more than ${longest} characters`)
    const length = inner.write(text, BLOCK)
    outer.write(hash('sha256', inner.subarray(0, BLOCK + length), 'binary'), BLOCK, 'latin1')
    return hash('sha256', outer, 'base64url')
  }
}
