import { randomBytes } from 'node:crypto'

/**
 * A name for one request, by which its lines in the log are found. Shorter than a UUID, and in one piece: Node puts a
 * UUID together from twenty, which weigh a kilobyte as long as an operation goes on.
 */
export function newRequestId(): string {
  return randomBytes(12).toString('base64url')
}
