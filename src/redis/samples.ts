import type { Redis } from 'ioredis'
import { keys } from './keys.ts'

/** Samples of the last seconds. Every process writes them and reads those of all processes. Old samples expire. */
export interface Samples {
  /** Writes this process's samples of one second: one for each event, by its id, and one of the process. One round trip. */
  write(ofEvents: ReadonlyMap<string, string>, ofProcess: string | null): Promise<void>
  /** Returns the samples of all processes within the last `ms` by Redis's own clock. */
  read(eventId: string, ms: number): Promise<{ ofEvent: string[]; ofProcesses: string[] }>
}

/** After this time without a sample Redis deletes the stream. */
const EXPIRES_AFTER_SECONDS = 60
/** Older samples are trimmed. No caller reads back this far. */
const KEPT_MS = 30_000

/**
 * Keeps the samples in streams, because Redis itself timestamps each entry: processes with different clocks agree on the
 * last ten seconds. Both methods throw while Redis is away.
 */
export function createSamples(redis: Redis): Samples {
  let lastTime = 0

  return {
    async write(ofEvents, ofProcess) {
      const oldest = Math.max(0, lastTime - KEPT_MS)
      // ioredis pipelines these by itself. An explicit pipeline would fail on a cluster, where the keys are on several nodes.
      const add = async (key: string, sample: string) => {
        const written = redis.xadd(key, 'MINID', '~', oldest, '*', 'sample', sample)
        const [id] = await Promise.all([written, redis.expire(key, EXPIRES_AFTER_SECONDS)])
        lastTime = Math.max(lastTime, timeOf(id as string))
      }
      const additions = [...ofEvents].map(([eventId, sample]) => add(keys.load(eventId), sample))
      if (ofProcess !== null) additions.push(add(keys.processLoad, ofProcess))
      await Promise.all(additions)
    },

    async read(eventId, ms) {
      const [seconds, micros] = await redis.time()
      const since = Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000) - ms
      const [ofEvent, ofProcesses] = await Promise.all([
        redis.xrange(keys.load(eventId), since, '+'),
        redis.xrange(keys.processLoad, since, '+'),
      ])
      return { ofEvent: ofEvent.map(sampleOf), ofProcesses: ofProcesses.map(sampleOf) }
    },
  }
}

/** An entry's id begins with the time, in milliseconds, at which Redis received the entry. */
function timeOf(id: string): number {
  return Number(id.split('-')[0])
}

function sampleOf([, fields]: [id: string, fields: string[]]): string {
  return fields[1] ?? ''
}
