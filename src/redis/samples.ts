import type { Redis } from 'ioredis'
import { keys } from './keys.ts'

/** Samples of the last seconds, written by every process and read by all; what is older falls away by itself. */
export interface Samples {
  /** Writes what one process counted in a second: of events by their id, and of itself. One round trip. */
  write(ofEvents: ReadonlyMap<string, string>, ofProcess: string | null): Promise<void>
  /** What all processes wrote within the last `ms`, by Redis's own clock. */
  read(eventId: string, ms: number): Promise<{ ofEvent: string[]; ofProcesses: string[] }>
}

/** A stream that nobody writes to any more. */
const FORGOTTEN_AFTER_SECONDS = 60
/** What is trimmed is older than anybody asks for. */
const KEPT_MS = 30_000

/**
 * Streams, because Redis itself stamps what it is given: processes whose clocks differ agree on what the last ten
 * seconds were. All throw while Redis is away.
 */
export function createSamples(redis: Redis): Samples {
  let lastTime = 0

  return {
    async write(ofEvents, ofProcess) {
      const oldest = Math.max(0, lastTime - KEPT_MS)
      // Gathered by the client and not in a pipeline of ours: a cluster takes no pipeline over several nodes.
      const add = async (key: string, sample: string) => {
        const written = redis.xadd(key, 'MINID', '~', oldest, '*', 'sample', sample)
        const [id] = await Promise.all([written, redis.expire(key, FORGOTTEN_AFTER_SECONDS)])
        lastTime = Math.max(lastTime, timeOf(id as string))
      }
      const adding = [...ofEvents].map(([eventId, sample]) => add(keys.load(eventId), sample))
      if (ofProcess !== null) adding.push(add(keys.processLoad, ofProcess))
      await Promise.all(adding)
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

/** An entry's id begins with the milliseconds at which Redis took it. */
function timeOf(id: string): number {
  return Number(id.split('-')[0])
}

function sampleOf([, fields]: [id: string, fields: string[]]): string {
  return fields[1] ?? ''
}
