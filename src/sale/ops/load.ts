import type { Redis } from 'ioredis'
import { createSamples } from '../../redis/samples.ts'
import { addDurations, countDuration, countOf, type Durations, percentileOf } from './durations.ts'

/** What all processes together saw in the last ten seconds. Null: nothing was measured. */
export interface LoadFigures {
  /** Of the event's checkouts that were answered, of whatever outcome. */
  readonly checkoutP99Ms: number | null
  /** What 95 in 100 of those who asked a pool for a connection to booking's database waited at most. */
  readonly poolWaitMs: number | null
  /**
   * Of what the payment provider was asked to authorize, for whatever event, the share that it was not there for. One or
   * two that failed are chance: in a small sale they would be many percent, and cut its rate again and again.
   */
  readonly providerRefusedShare: number | null
  readonly holdsPerSecond: number
  readonly holdsRefusedPerSecond: number
  readonly checkoutsPerSecond: number
}

/**
 * What a process counts while it serves, a sample a second in Redis for all to read. Counting costs a request an
 * addition; Redis is asked for nothing by it, and while Redis is away what was counted is lost and nobody disturbed.
 */
export interface Load {
  hold(eventId: string, made: boolean): void
  checkout(eventId: string, ms: number): void
  poolWait(ms: number): void
  /** One authorization that was asked for. Refused: the provider or a limit said no, or gave no answer. */
  authorization(refused: boolean): void
  recent(eventId: string): Promise<LoadFigures>
  close(): void
}

const SAMPLE_MS = 1_000
const WINDOW_MS = 10_000
const FEWEST_REFUSALS = 3
/** In one process and second. Ids that name no event come from whoever makes them up. */
const MOST_EVENTS = 256

interface EventSample {
  holds: number
  refused: number
  checkouts: Durations
}

interface ProcessSample {
  poolWaits: Durations
  asked: number
  refused: number
}

export function createLoad({ redis }: { redis: Redis }): Load {
  const samples = createSamples(redis)
  let ofEvents = new Map<string, EventSample>()
  let ofProcess = newProcessSample()

  function ofEvent(eventId: string): EventSample {
    let sample = ofEvents.get(eventId)
    if (!sample) {
      sample = newEventSample()
      if (ofEvents.size < MOST_EVENTS) ofEvents.set(eventId, sample)
    }
    return sample
  }

  function write() {
    const isIdle = ofProcess.asked === 0 && ofProcess.poolWaits.size === 0
    if (isIdle && ofEvents.size === 0) return
    const events = new Map([...ofEvents].map(([eventId, sample]) => [eventId, pack(sample)]))
    samples.write(events, isIdle ? null : pack(ofProcess)).catch(() => {})
    ofEvents = new Map()
    ofProcess = newProcessSample()
  }

  const timer = setInterval(write, SAMPLE_MS)
  timer.unref()

  return {
    hold(eventId, made) {
      const sample = ofEvent(eventId)
      if (made) sample.holds++
      else sample.refused++
    },
    checkout: (eventId, ms) => countDuration(ofEvent(eventId).checkouts, ms),
    poolWait: (ms) => countDuration(ofProcess.poolWaits, ms),
    authorization(refused) {
      ofProcess.asked++
      if (refused) ofProcess.refused++
    },

    async recent(eventId) {
      const read = await samples.read(eventId, WINDOW_MS).catch(() => ({ ofEvent: [], ofProcesses: [] }))
      const event = newEventSample()
      for (const text of read.ofEvent) {
        const { holds, refused, checkouts } = unpack<EventSample>(text)
        event.holds += holds
        event.refused += refused
        addDurations(event.checkouts, checkouts)
      }
      const all = newProcessSample()
      for (const text of read.ofProcesses) {
        const { poolWaits, asked, refused } = unpack<ProcessSample>(text)
        all.asked += asked
        all.refused += refused
        addDurations(all.poolWaits, poolWaits)
      }
      const seconds = WINDOW_MS / 1_000
      return {
        checkoutP99Ms: percentileOf(event.checkouts, 0.99),
        poolWaitMs: percentileOf(all.poolWaits, 0.95),
        providerRefusedShare: shareRefused(all),
        holdsPerSecond: event.holds / seconds,
        holdsRefusedPerSecond: event.refused / seconds,
        checkoutsPerSecond: countOf(event.checkouts) / seconds,
      }
    },

    close: () => clearInterval(timer),
  }
}

function shareRefused({ asked, refused }: ProcessSample): number | null {
  if (asked === 0) return null
  return refused < FEWEST_REFUSALS ? 0 : refused / asked
}

function newEventSample(): EventSample {
  return { holds: 0, refused: 0, checkouts: new Map() }
}

function newProcessSample(): ProcessSample {
  return { poolWaits: new Map(), asked: 0, refused: 0 }
}

function pack(sample: object): string {
  return JSON.stringify(sample, (_key, value) => (value instanceof Map ? [...value] : value))
}

/** As it was packed, with lists of pairs for its maps. Samples live for seconds: an older version's are not met. */
type Packed<T> = { [Key in keyof T]: T[Key] extends Map<infer A, infer B> ? [A, B][] : T[Key] }

function unpack<T>(text: string): Packed<T> {
  return JSON.parse(text)
}
