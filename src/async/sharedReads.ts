import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Single flight for callers that must see what was true after their call. A caller that comes while a read runs shares the
 * next read with all others that came meanwhile. So each key has one read at a time, however many callers there are.
 */
export interface SharedReads<T> {
  read(key: string, read: () => Promise<T>): Promise<T>
}

interface Reading<T> {
  running: Promise<T>
  startedAt: number
  next?: Promise<T>
}

/**
 * @param mostRestMs for expensive reads: the next read waits for twice the time that the last one took, and at most for so
 *   long. So the reads take at most a third of a core.
 */
export function createSharedReads<T>(mostRestMs = 0): SharedReads<T> {
  const readings = new Map<string, Reading<T>>()

  function start(key: string, read: () => Promise<T>): Promise<T> {
    const reading: Reading<T> = {
      startedAt: performance.now(),
      running: read().finally(() => {
        if (!reading.next) readings.delete(key)
      }),
    }
    readings.set(key, reading)
    return reading.running
  }

  return {
    read(key, read) {
      const reading = readings.get(key)
      if (!reading) return start(key, read)
      const again = async () => {
        const restMs = Math.min(mostRestMs, 2 * (performance.now() - reading.startedAt))
        if (restMs > 0) await sleep(restMs)
        return start(key, read)
      }
      reading.next ??= reading.running.then(again, again)
      return reading.next
    },
  }
}
