/** One fan's random numbers. The same seed and fan number give the same sequence. */
export interface Random {
  /** From 0 to 1, without 1. */
  next(): number
  /** True with this probability. */
  happens(share: number): boolean
  between(low: number, high: number): number
  /** A whole number from 0 to `count` - 1. */
  below(count: number): number
}

export function createRandom(seed: number, number: number): Random {
  // mulberry32
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)
  function next() {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    happens: (share) => next() < share,
    between: (low, high) => low + next() * (high - low),
    below: (count) => Math.floor(next() * count),
  }
}
