/** A draw as the sale publishes it. */
export interface PublishedDraw {
  readonly eventId: string
  /** Hexadecimal. */
  readonly seed: string
  readonly size: number
  readonly beacon: string
}

/** Digests that are requested together: one at a time would wait for the browser's crypto thread each time. */
const BATCH = 2_048
const WORDS_PER_DIGEST = 8

/** The commitment to a seed: its SHA-256, both in hexadecimal. */
export async function commitmentOf(seed: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytesOf(seed))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/**
 * Returns the place that the draw gives an arrival index from 1 to `size`, as docs/draw.md defines it. It shares nothing with
 * the server. `progress` is called with the done share, from 0 to 1.
 */
export async function drawPlace(
  { eventId, seed, size, beacon }: PublishedDraw,
  arrival: number,
  progress: (share: number) => void = () => {},
): Promise<number> {
  const text = new TextEncoder().encode(`fairgate-draw-v1\n${eventId}\n${size}\n${beacon}`)
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const seedKey = await crypto.subtle.importKey('raw', bytesOf(seed), hmac, false, ['sign'])
  const key = new Uint8Array(await crypto.subtle.sign(hmac, seedKey, text))

  let digests: DataView[] = []
  let counter = 0
  let word = 0
  async function fill() {
    digests = await Promise.all(
      Array.from({ length: BATCH }, async () => new DataView(await digestOf(key, counter++))),
    )
    word = 0
  }

  const places = Uint32Array.from({ length: size }, (_, i) => i + 1)
  for (let k = size - 1; k >= 1; k--) {
    const range = k + 1
    const limit = Math.floor(2 ** 32 / range) * range
    let drawn: number
    do {
      if (word >= digests.length * WORDS_PER_DIGEST) {
        progress(1 - k / size)
        await fill()
      }
      drawn = (digests[Math.floor(word / WORDS_PER_DIGEST)] as DataView).getUint32(
        4 * (word % WORDS_PER_DIGEST),
      )
      word++
    } while (drawn >= limit)
    const other = drawn % range
    const place = places[k] as number
    places[k] = places[other] as number
    places[other] = place
  }
  progress(1)
  return places[arrival - 1] as number
}

/** SHA-256 of the key and the counter as eight bytes, big-endian. */
function digestOf(key: Uint8Array, counter: number): Promise<ArrayBuffer> {
  const block = new Uint8Array(key.length + 8)
  block.set(key)
  const view = new DataView(block.buffer)
  view.setUint32(key.length, Math.floor(counter / 2 ** 32))
  view.setUint32(key.length + 4, counter % 2 ** 32)
  return crypto.subtle.digest('SHA-256', block)
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
