import type { Redis } from 'ioredis'

/**
 * Returns a function that reads the run id of the server behind the connection. Redis has a new run id after each start. So
 * data with another run id may be an older copy.
 *
 * After a reconnect the address may belong to another server, or to the same server with an older copy. So the run id is
 * read again on every connection, before its first use. The function throws while Redis is away.
 */
export function createRunIdReader(redis: Redis): () => Promise<string> {
  // Not async/singleFlight.ts: the answer is kept for as long as the connection lasts.
  let currentRunId: Promise<string> | undefined
  redis.on('close', () => {
    currentRunId = undefined
  })
  return () => {
    if (!currentRunId) {
      const reading = redis.info('server').then((info) => /^run_id:(\w+)/m.exec(info)?.[1] as string)
      currentRunId = reading
      reading.catch(() => {
        if (currentRunId === reading) currentRunId = undefined
      })
    }
    return currentRunId
  }
}
