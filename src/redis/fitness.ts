import type { Redis } from 'ioredis'
import { Unfit } from '../unfit.ts'
import { connectForWaiting } from './connect.ts'

const OLDEST = 7

/**
 * Throws Unfit where Redis is a cluster, is too old, or may evict keys to free memory: a BullMQ queue or a place in the line would
 * disappear without an error. Throws another error where Redis does not answer. Reads INFO, which managed services permit even
 * where they forbid CONFIG.
 */
export async function requireFitRedis(redis: Redis): Promise<void> {
  const info = await redis.info()
  const field = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
  if (field('cluster_enabled') === '1' || field('redis_mode') === 'cluster') {
    throw new Unfit(
      'is a Redis Cluster, which Fairgate does not support: give it one Redis, with replicas if you like',
    )
  }
  const version = field('redis_version')
  if (version !== undefined && Number.parseInt(version, 10) < OLDEST) {
    throw new Unfit(`needs Redis ${OLDEST} or Valkey, this is ${version}`)
  }
  const policy = field('maxmemory_policy')
  if (policy !== undefined && policy !== 'noeviction') {
    throw new Unfit(`evicts keys when memory runs out (maxmemory-policy is ${policy}): set it to noeviction`)
  }
}

/** The same, over a connection of its own, as soon as that connection is open or cannot be opened. */
export async function requireFitRedisAt(url: string): Promise<void> {
  const { promise: failed, reject } = Promise.withResolvers<never>()
  const redis = connectForWaiting(url, { onError: reject })
  try {
    await Promise.race([requireFitRedis(redis), failed])
  } catch (error) {
    // Redis' codes of a wrong password, and of none.
    if (/^(WRONGPASS|NOAUTH|ERR (invalid password|AUTH))/.test((error as Error).message))
      throw new Unfit('refuses the user or the password')
    throw error
  } finally {
    redis.disconnect()
  }
}
