/** Messages at once. Whoever comes back leaves what it followed and follows it again: twice fifty operations. */
const BURST = 250
/** What a message costs of a socket's time: fifty a second, on and on. A page sends one now and then. */
const MESSAGE_MS = 20
/** What one message may weigh; a longer one counts as several. */
const BYTES = 4_096

/**
 * What one socket may send: so much at once, and so much a second from then on. Whatever a message asks for, reading it
 * costs; a socket that sends without end would leave this process no time for anybody else. `spentUntil` is all that is
 * kept of a socket, by performance.now(): 0 at first, then what the last message gave. Null where a message of so many
 * bytes is more than it may send.
 */
export function spend(spentUntil: number, bytes: number): number | null {
  const now = Math.floor(performance.now())
  const weight = Math.max(1, Math.ceil(bytes / BYTES))
  const until = Math.max(spentUntil, now) + weight * MESSAGE_MS
  return until - now > BURST * MESSAGE_MS ? null : until
}
