import { createHmac, hash } from 'node:crypto'

/** All that the draw is made of; public once it is made. */
export interface Draw {
  readonly eventId: string
  /** Hex. */
  readonly seed: string
  /** How many arrival indexes are drawn. */
  readonly size: number
  readonly beacon: string
}

/**
 * The places of the arrival indexes 1 … size, in this order: a permutation of 1 … size that nobody can foresee who
 * lacks the seed, and everybody can check who has it. docs/draw.md describes it to whoever writes the check anew:
 * not a bit of it may change for a sale that names this version of it.
 *
 * 2,000,000 places take some 0.4 s: never on a thread that serves, see drawnPlaces.ts.
 */
export function drawPlaces({ eventId, seed, size, beacon }: Draw): Uint32Array<ArrayBuffer> {
  const key = createHmac('sha256', Buffer.from(seed, 'hex'))
    .update(`fairgate-draw-v1\n${eventId}\n${size}\n${beacon}`)
    .digest()
  const next = words(key)
  const places = new Uint32Array(size)
  for (let i = 0; i < size; i++) places[i] = i + 1
  for (let k = size - 1; k >= 1; k--) {
    const other = uniform(next, k + 1)
    const place = places[k] as number
    places[k] = places[other] as number
    places[other] = place
  }
  return places
}

/**
 * SHA-256 of the key and a counter of 8 bytes, over and over, each read as eight numbers of 32 bits.
 *
 * As text of one character a byte, since Node makes a quarter of a million such digests in 0.2 s, and as buffers in
 * 0.7 s: each would be an allocation outside of the heap.
 */
function words(key: Buffer): () => number {
  const input = Buffer.alloc(key.length + 8)
  key.copy(input)
  let block = ''
  let at = 0
  let counter = 0
  return () => {
    if (at === block.length) {
      input.writeUInt32BE(Math.floor(counter / 2 ** 32), key.length)
      input.writeUInt32BE(counter % 2 ** 32, key.length + 4)
      counter++
      block = hash('sha256', input, 'binary')
      at = 0
    }
    const high = (block.charCodeAt(at) << 8) | block.charCodeAt(at + 1)
    const low = (block.charCodeAt(at + 2) << 8) | block.charCodeAt(at + 3)
    at += 4
    return high * 65_536 + low
  }
}

/** A number from 0 to m - 1, each as likely: words above the last whole multiple of m are skipped. */
function uniform(next: () => number, m: number): number {
  const limit = Math.floor(2 ** 32 / m) * m
  for (;;) {
    const word = next()
    if (word < limit) return word % m
  }
}
