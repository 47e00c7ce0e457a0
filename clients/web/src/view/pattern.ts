/**
 * The fine interlaced lines of security printing, as SVG paths in a box of `width` by `height`. The same text gives the
 * same pattern, so each event has its own pattern on its page and its tickets.
 */
export function guilloche(text: string, width: number, height: number, lines = 28): string[] {
  const random = seeded(text)
  const slow = 1.2 + random() * 1.3
  const fast = 3 + Math.floor(random() * 4) + random() * 0.4
  const twist = 0.5 + random() * 0.9
  const lean = random() * Math.PI * 2
  return Array.from({ length: lines }, (_, line) => {
    const phase = (line / lines) * Math.PI * 2
    const points: string[] = []
    for (let step = 0; step <= 90; step++) {
      const t = (step / 90) * Math.PI * 2
      const envelope = 0.62 + 0.3 * Math.sin(slow * t + lean)
      const wave = envelope * Math.sin(fast * t + phase) * 0.6 + 0.4 * Math.sin(slow * t + twist * phase)
      points.push(`${((step / 90) * width).toFixed(1)} ${(height / 2 + (wave * height) / 2.1).toFixed(1)}`)
    }
    return `M${points.join('L')}`
  })
}

/** Pseudo-random numbers: mulberry32, seeded with FNV-1a of the text. */
function seeded(text: string): () => number {
  let state = 0x811c9dc5
  for (const character of text) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
