import type { Redis } from 'ioredis'
import { StartFailed } from '../startFailed.ts'

/**
 * Throws StartFailed where Redis may evict keys to free memory: a BullMQ queue or a place in the line would disappear
 * without an error. Reads the policy from INFO, which managed services permit even where they forbid CONFIG.
 */
export async function requireNoEviction(redis: Redis): Promise<void> {
  const policy = /^maxmemory_policy:(\S+)/m.exec(await redis.info('memory'))?.[1]
  if (policy !== undefined && policy !== 'noeviction') {
    throw new StartFailed(
      `Redis evicts keys when memory runs out (maxmemory-policy is ${policy}). Set it to noeviction.`,
    )
  }
}
