import type { Redis } from 'ioredis'
import { createSamples } from '../../redis/samples.ts'
import { addDurations, countDuration, countOf, type Durations, percentileOf } from './durations.ts'

/** The measurements of all processes together over the last ten seconds. Null: nothing was measured. */
export interface LoadFigures {
  /** The 99th percentile of the event's checkouts that were answered, with any outcome. */
  readonly checkoutP99Ms: number | null
  /** The 95th percentile of the waits for a connection to booking's database. */
  readonly poolWaitMs: number | null
  /**
   * The share of authorizations, of all events, that the payment provider refused or did not answer. One or two
   * failures count as none: in a small sale they would be many percent, and would reduce its rate again and again.
   */
  readonly providerRefusedShare: number | null
  readonly holdsPerSecond: number
  readonly holdsRefusedPerSecond: number
  readonly checkoutsPerSecond: number
  /** Accounts whose holds were refused as too many: they can take no seat at this time. */
  readonly limitedAccounts: readonly string[]
}

/**
 * Counts events while a process serves, and writes one sample a second to Redis for all processes. Counting costs a
 * request one addition and no call to Redis. While Redis is away, samples are lost and requests go on as usual.
 */
export interface Load {
  /** Counts one call. `limitedAccount`: the account, where its hold was refused as too many. */
  hold(eventId: string, made: boolean, limitedAccount?: string): void
  checkout(eventId: string, ms: number): void
  poolWait(ms: number): void
  /** Counts one authorization. `refused`: the provider or a limit refused it, or gave no answer. */
  authorization(refused: boolean): void
  recent(eventId: string): Promise<LoadFigures>
  close(): void
}

const SAMPLE_MS = 1_000
const WINDOW_MS = 10_000
const FEWEST_REFUSALS = 3
/** The most events in one sample: a client may send any number of invented event ids. */
const MOST_EVENTS = 256
/** The most accounts of an event in one sample. */
const MOST_LIMITED = 500

interface EventSample {
  holds: number
  refused: number
  checkouts: Durations
  limited: Map<string, true>
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
    hold(eventId, made, limitedAccount) {
      const sample = ofEvent(eventId)
      if (limitedAccount !== undefined && sample.limited.size < MOST_LIMITED)
        sample.limited.set(limitedAccount, true)
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
        const { holds, refused, checkouts, limited } = unpack<EventSample>(text)
        for (const [account] of limited) event.limited.set(account, true)
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
        limitedAccounts: [...event.limited.keys()],
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
  return { holds: 0, refused: 0, checkouts: new Map(), limited: new Map() }
}

function newProcessSample(): ProcessSample {
  return { poolWaits: new Map(), asked: 0, refused: 0 }
}

function pack(sample: object): string {
  return JSON.stringify(sample, (_key, value) => (value instanceof Map ? [...value] : value))
}

/**
 * A sample as it was packed: lists of pairs in place of its maps. Samples live for seconds, so no other version of the
 * code reads them.
 */
type Packed<T> = { [Key in keyof T]: T[Key] extends Map<infer A, infer B> ? [A, B][] : T[Key] }

function unpack<T>(text: string): Packed<T> {
  return JSON.parse(text)
}
