import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Reads that many ask for at the same moment. One runs; whoever asks meanwhile shares the next, since what has begun
 * before may not show what they know of already. So each is told what was true after it asked, and however many ask,
 * one read at a time is made for each key.
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
 * @param mostRestMs for reads that may cost much: between the end of one and the next for those who asked meanwhile is
 *   twice the time that it took, so that a third of a core is spent on them, and at most this
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
