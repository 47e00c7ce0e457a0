import type { Redis } from 'ioredis'

/**
 * Publishes a change to every process. Never fails, and the caller never waits for it: the change is committed already,
 * and a process that misses the message reads the value again at its next interval.
 */
export type Publish = (channel: string, message: string) => void

export function createPublisher(redis: Redis): Publish {
  return (channel, message) => {
    redis.publish(channel, message).catch(() => {})
  }
}
