import { Redis } from 'ioredis'
import { failFastWhileItHangs } from './failFast.ts'

export interface RedisOptions {
  /** Told of every connection error; ioredis reconnects by itself. */
  onError?: (error: Error) => void
}

/**
 * For commands of requests. While Redis is away they fail at once instead of queueing: a join that waits
 * offline could be replayed long after its caller gave up (ioredis 2131). A command that hangs fails after 2 s, and those after it at once until Redis
 * answers again.
 */
export function connectForCommands(url: string, { onError = () => {} }: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    enableAutoPipelining: true,
    maxRetriesPerRequest: 0,
    commandTimeout: 2_000,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  })
  redis.on('error', onError)
  return failFastWhileItHangs(redis)
}

/** For one subscriber, or for BullMQ's workers: waits for Redis as long as it takes. */
export function connectForWaiting(url: string, { onError = () => {} }: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    maxRetriesPerRequest: null,
    connectTimeout: 2_000,
    // It leaves a promise that nobody has, which ends a process that is told to stop as Redis comes back.
    autoResubscribe: false,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  })
  redis.on('error', onError)
  return redis
}

/** For those who add to BullMQ's queues: as for commands, without auto-pipelining, since BullMQ pipelines itself. */
export function connectForQueues(url: string, { onError = () => {} }: RedisOptions = {}): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: 2_000,
    connectTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
  })
  redis.on('error', onError)
  return redis
}
