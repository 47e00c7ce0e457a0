import { setTimeout as sleep } from 'node:timers/promises'
import { backgroundOperation } from '../../async/background.ts'
import { yieldToEventLoop } from '../../async/eventLoop.ts'
import { createFairSlots } from '../../async/fairSlots.ts'
import type { Database } from '../../sql/database/database.ts'
import {
  type EventPlanRow,
  type EventRow,
  type LayoutSeat,
  readLayouts,
  readPlanHead,
  type SectionHeadRow,
  type SectionRow,
} from '../../sql/plans.ts'

/** The process serves nothing else while it parses the seats of a batch. */
const SEATS_AT_ONCE = 2_000
/** The longest rest of the background between two batches. */
const MOST_REST_MS = 200

export interface Plan {
  readonly event: EventRow & EventPlanRow
  readonly sections: readonly SectionRow[]
}

/**
 * Reads whole plans, some sections at a time. The background (async/background.ts) reads one plan at a time, and rests after each
 * batch for twice the time that the batch took: so a list of many events takes at most a third of a core.
 */
export function createPlanReads(db: Database): (eventId: string) => Promise<Plan | null> {
  const background = createFairSlots(1)

  async function read(eventId: string, isInBackground: boolean): Promise<Plan | null> {
    const head = await readPlanHead(db, eventId)
    if (!head) return null
    const sections: SectionRow[] = []
    for (const batch of batchesOf(head.sections)) {
      const startedAt = performance.now()
      const layouts = await readLayouts(
        db,
        eventId,
        batch.map(({ no }) => no),
      )
      for (const section of batch)
        sections.push({ ...section, layout: layouts.get(section.no) as LayoutSeat[] })
      if (isInBackground) await sleep(Math.min(MOST_REST_MS, 2 * (performance.now() - startedAt)))
      else await yieldToEventLoop()
    }
    return { event: head.event, sections }
  }

  return async (eventId) => {
    const operation = backgroundOperation()
    if (operation === undefined) return read(eventId, false)
    await background.take(operation)
    try {
      return await read(eventId, true)
    } finally {
      background.give()
    }
  }
}

function batchesOf(sections: readonly SectionHeadRow[]): SectionHeadRow[][] {
  const batches: SectionHeadRow[][] = []
  let seats = Number.POSITIVE_INFINITY
  for (const section of sections) {
    seats += section.capacity
    if (seats > SEATS_AT_ONCE) {
      batches.push([])
      seats = section.capacity
    }
    batches.at(-1)?.push(section)
  }
  return batches
}
