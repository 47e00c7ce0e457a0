import type { Redis } from 'ioredis'

/**
 * Tells every process that something changed. Never fails and is never waited for: what it announces is
 * committed already, and whoever misses it reads again before long.
 */
export type Publish = (channel: string, message: string) => void

export function createPublisher(redis: Redis): Publish {
  return (channel, message) => {
    redis.publish(channel, message).catch(() => {})
  }
}
