/** SEED where it is set, else a new seed. Prints it: SEED=… repeats the run, but for how concurrent steps interleave. */
export function printedSeed(): number {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31)) >>> 0
  console.log(`SEED=${seed}`)
  return seed
}

/** Numbers from 0 up to 1, which the same seed repeats: see `printedSeed`. */
export function seededRandom(): () => number {
  let state = printedSeed()
  // mulberry32
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
