import { z } from 'zod'
import { channels } from '../redis/keys.ts'
import { relayBatch } from '../sql/outbox.ts'
import { definePeriodic, type JobApp } from './kit.ts'

/** Rows a batch: as many as one transaction may hold while Redis answers; larger ones gained nothing. */
const BATCH = 500

/** Outbox → queues. Any number of relays may run at once: the rows they claim are disjoint. */
export const relayOutbox = definePeriodic({
  name: 'relayOutbox',
  data: z.strictObject({}),
  concurrency: 1,
  subject: () => 'all',
  schedules: () => [{ everyMs: 100, data: {} }],
  run: relayAll,
})

/** Relays at once when a commit says so, and not only when the schedule comes round. Stops, and drains, on return. */
export function relayWhenNudged(app: JobApp): () => Promise<void> {
  // Not async/sharedReads.ts: its callers do not wait, and a signal during a run asks for one more run.
  let running: Promise<void> | undefined
  let again = false

  async function run() {
    while (again) {
      again = false
      await relayAll(app).catch((error) => app.log.warn({ err: error }, 'the outbox waits'))
    }
    running = undefined
  }
  const stop = app.hub.listen(channels.outbox, () => {
    again = true
    running ??= run()
  })
  return async () => {
    stop()
    await running
  }
}

async function relayAll(app: JobApp): Promise<void> {
  const known = app.queues.tasks
  let moved: number
  do {
    moved = await relayBatch(app.db, known, BATCH, (rows) =>
      app.queues.add(rows.map(({ id, job, data }) => ({ job, id: `ob-${id}`, data }))),
    )
  } while (moved === BATCH)
}
