import { createHash, createHmac } from 'node:crypto'

export interface PublicDraw {
  readonly eventId: string
  /** Hexadecimal. */
  readonly seed: string
  readonly size: number
  readonly beacon: string
}

/** The commitment to a seed: its SHA-256, both in hexadecimal. */
export function commitmentOf(seed: string): string {
  return createHash('sha256').update(Buffer.from(seed, 'hex')).digest('hex')
}

/**
 * Returns the places of the arrival indexes 1 … size, as docs/draw.md defines them. The code follows that page and
 * shares nothing with the server, so that each of the two reveals a mistake in the other.
 */
export function placesOf({ eventId, seed, size, beacon }: PublicDraw): number[] {
  const key = createHmac('sha256', Buffer.from(seed, 'hex'))
    .update(`fairgate-draw-v1\n${eventId}\n${size}\n${beacon}`)
    .digest()
  const words = wordsOf(key)
  const uniform = (m: number): number => {
    for (;;) {
      const word = words.next().value
      if (word < Math.floor(2 ** 32 / m) * m) return word % m
    }
  }
  const places = Array.from({ length: size }, (_, i) => i + 1)
  for (let k = size - 1; k >= 1; k--) {
    const other = uniform(k + 1)
    const place = places[k] as number
    places[k] = places[other] as number
    places[other] = place
  }
  return places
}

function* wordsOf(key: Buffer): Generator<number, never> {
  for (let j = 0n; ; j++) {
    const counter = Buffer.alloc(8)
    counter.writeBigUInt64BE(j)
    const block = createHash('sha256').update(key).update(counter).digest()
    for (let at = 0; at < block.length; at += 4) yield block.readUInt32BE(at)
  }
}
