/**
 * Numbers from 0 up to 1 that the same seed gives again. The seed is printed, and taken from SEED where
 * that is set; what runs at the same time still interleaves as it will.
 */
export function seededRandom(): () => number {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32)) >>> 0
  console.log(`SEED=${seed}`)
  let state = seed
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
