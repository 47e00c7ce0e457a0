/** Messages at once. Whoever comes back leaves what it followed and follows it again: twice fifty operations. */
const BURST = 250
/** Messages a second, on and on. A page sends one now and then. */
const PER_SECOND = 50
/** What one message may weigh; a longer one counts as several. */
const BYTES = 4_096

export interface Allowance {
  /** False where a message of so many bytes is more than a socket may send. */
  take(bytes: number): boolean
}

/**
 * What one socket may send: so much at once, and so much a second from then on. Whatever a message asks for, reading
 * it costs; a socket that sends without end would leave this process no time for anybody else.
 */
export function createAllowance(): Allowance {
  let left = BURST
  let countedAt = performance.now()
  return {
    take(bytes) {
      const now = performance.now()
      left = Math.min(BURST, left + ((now - countedAt) * PER_SECOND) / 1_000)
      countedAt = now
      const weight = Math.max(1, Math.ceil(bytes / BYTES))
      if (left < weight) return false
      left -= weight
      return true
    },
  }
}
