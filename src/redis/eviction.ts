import type { Redis } from 'ioredis'
import { StartFailed } from '../startFailed.ts'

/**
 * Throws where Redis may drop keys to make room: a queue or a place in the line would be gone without an error.
 * Reads it from INFO, which managed services allow where CONFIG is closed.
 */
export async function requireNoEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy !== undefined && policy !== 'noeviction') {
    throw new StartFailed(
      `Redis evicts keys when memory runs out (maxmemory-policy is ${policy}). Set it to noeviction.`,
    )
  }
}
