import { Redis, type RedisOptions } from 'ioredis'
import { failFastWhileItHangs } from './failFast.ts'

export interface ConnectOptions {
  /** Receives every connection error; ioredis reconnects by itself. */
  onError?: (error: Error) => void
}

const RECONNECT: RedisOptions = {
  connectTimeout: 2_000,
  retryStrategy: (attempt) => Math.min(50 * attempt, 1_000),
}

/**
 * While Redis is away a command fails at once. ioredis would queue it: a join that waits in that queue could be sent long
 * after its caller gave up (ioredis 2131). A command that hangs fails after 2 s.
 */
const FAIL_FAST: RedisOptions = {
  ...RECONNECT,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  commandTimeout: 2_000,
}

/**
 * A connection for the commands of requests. Commands fail at once while Redis is away. Where Redis hangs, the first
 * command fails after 2 s, and later ones fail at once until Redis replies again.
 */
export function connectForCommands(url: string, options: ConnectOptions = {}): Redis {
  return failFastWhileItHangs(connect(url, { ...FAIL_FAST, enableAutoPipelining: true }, options))
}

/** A connection for a subscriber, or for BullMQ's workers: waits for Redis without a time limit. */
export function connectForWaiting(url: string, options: ConnectOptions = {}): Redis {
  // ioredis's own resubscription leaves a rejected promise without a handler, which ends a process that stops as Redis
  // comes back. ChannelHub subscribes again by itself.
  return connect(url, { ...RECONNECT, maxRetriesPerRequest: null, autoResubscribe: false }, options)
}

/** A connection for adding jobs to BullMQ's queues. Without auto-pipelining, since BullMQ pipelines by itself. */
export function connectForQueues(url: string, options: ConnectOptions = {}): Redis {
  return connect(url, FAIL_FAST, options)
}

function connect(url: string, options: RedisOptions, { onError = () => {} }: ConnectOptions): Redis {
  const redis = new Redis(url, options)
  redis.on('error', onError)
  return redis
}
