import { Worker } from 'node:worker_threads'
import { createWorkThread } from '../../async/workThread.ts'
import { overloaded } from '../faults.ts'
import { RANGES } from '../numberRanges.ts'
import { isLargePlan } from '../plan/readSeatingPlan.ts'
import type { EventInput } from './eventInput.ts'
import type { ParsedBody } from './longBody.ts'
import { type ReadEvent, readEvent } from './readEvent.ts'

export type EventWork =
  | { readonly kind: 'body'; readonly bytes: Uint8Array }
  | { readonly kind: 'event'; readonly input: EventInput; readonly eventId: string }

/**
 * Reads what organizers send. Long bodies and large plans are read one at a time on a thread of lower priority: the event loop of
 * the process goes on meanwhile (`bench/load-plan.ts`).
 */
export interface EventThread {
  /** Parses a long body: longBody.ts. The caller must not use the bytes any more. Throws OVERLOADED. */
  parseBody(bytes: Uint8Array): Promise<ParsedBody>
  /** Reads the input of `createEvent`; a small one at once. Throws OVERLOADED. */
  readEvent(input: EventInput, eventId: string): Promise<ReadEvent>
  close(): void
}

/** Long bodies come one at a time: server/http/limits/longBodies.ts. */
const MOST_WAITING = 20
/** A plan of 150,000 seats takes some seconds, and far longer where other processes keep every core busy. */
const PATIENCE_MS = 120_000
const IDLE_MS = 10_000
/** A plan of 150,000 seats takes less than half of it. */
const MEMORY_MB = 1_536
/** Units of general admission that take longer than a process that serves may block. */
const LARGE_CAPACITY = 10_000

export function createEventThread(): EventThread {
  const thread = createWorkThread<EventWork, ParsedBody | ReadEvent>({
    start: () =>
      new Worker(new URL('./eventWorker.ts', import.meta.url), {
        resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB },
      }),
    purpose: 'reads events',
    mostWaiting: MOST_WAITING,
    refusal: () => overloaded(5),
    patienceMs: PATIENCE_MS,
    idleMs: IDLE_MS,
  })
  return {
    parseBody(bytes) {
      // A Buffer may be a part of a larger one, which other requests use.
      const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes)
      const transferred = own.buffer as ArrayBuffer
      return thread.run({ kind: 'body', bytes: own }, [transferred]) as Promise<ParsedBody>
    },
    async readEvent(input, eventId) {
      return isLarge(input)
        ? (thread.run({ kind: 'event', input, eventId }) as Promise<ReadEvent>)
        : readEvent(input, eventId)
    },
    close: thread.close,
  }
}

function isLarge({ seatingPlan, generalAdmission }: EventInput): boolean {
  let capacity = 0
  for (const area of generalAdmission ?? []) capacity += Math.min(area.capacity, RANGES.capacity.max)
  return capacity > LARGE_CAPACITY || isLargePlan(seatingPlan)
}
