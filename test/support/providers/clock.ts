export interface FakeClock {
  now(): number
  advance(ms: number): void
}

/** The time of a fake provider: the real time, and what `advance` added. */
export function createFakeClock(): FakeClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    advance(ms) {
      ahead += ms
    },
  }
}
