import { parentPort } from 'node:worker_threads'
import { yieldCoresToServingThreads } from '../../async/threadPriority.ts'
import type { ThreadAnswer } from '../../async/workThread.ts'
import type { EventWork } from './eventThread.ts'
import { type ParsedBody, parseLongBody } from './longBody.ts'
import { type ReadEvent, readEvent } from './readEvent.ts'

// The thread that reads long bodies and large plans: see eventThread.ts. It answers each piece of work, in order.
yieldCoresToServingThreads()

function perform(work: EventWork): ThreadAnswer<ParsedBody | ReadEvent> {
  try {
    return {
      value: work.kind === 'body' ? parseLongBody(work.bytes) : readEvent(work.input, work.eventId),
    }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

parentPort?.on('message', (work: EventWork) => {
  parentPort?.postMessage(perform(work))
})
