import { randomFillSync } from 'node:crypto'

const BYTES = 12
/** Random bytes for many ids: a call for each id would be a tenth of a small answer's cost (bench/waiting-room-json.ts). */
const drawn = Buffer.alloc(BYTES * 500)
let used = drawn.length

/**
 * Returns a new id for one request, which its lines in the log repeat. It is one string: Node builds a UUID from twenty
 * pieces, which take a kilobyte for as long as the operation runs.
 */
export function newRequestId(): string {
  if (used === drawn.length) {
    randomFillSync(drawn)
    used = 0
  }
  used += BYTES
  return drawn.toString('base64url', used - BYTES, used)
}
