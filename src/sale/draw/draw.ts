import { createHmac, hash } from 'node:crypto'

/** All inputs of the draw. They are public once the draw is made. */
export interface Draw {
  readonly eventId: string
  /** Hex. */
  readonly seed: string
  /** The number of arrival indexes in the draw. */
  readonly size: number
  readonly beacon: string
}

/**
 * Returns the places of the arrival indexes 1 … size, in this order: a permutation of 1 … size. Without the seed it cannot be
 * predicted; with the seed it can be checked. docs/draw.md specifies it for the authors of independent checks: the result
 * must not change in any bit for a sale that names this version of the draw.
 *
 * A large draw takes too long for a thread that serves: call drawnPlaces.ts there.
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
 * Returns a generator of 32-bit numbers: SHA-256 of the key and a counter of 8 bytes, for one counter after the other, each
 * digest read as eight numbers.
 *
 * A digest is read as a binary string, which Node makes several times faster than a Buffer: a Buffer is an allocation
 * outside of the heap (`bench/draw.ts`).
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

/** Returns a number from 0 to m - 1, each equally likely: words above the last whole multiple of m are skipped. */
function uniform(next: () => number, m: number): number {
  const limit = Math.floor(2 ** 32 / m) * m
  for (;;) {
    const word = next()
    if (word < limit) return word % m
  }
}
