import { channels } from '../redis/keys.ts'
import { relayBatch } from '../sql/ops/outbox.ts'
import { definePeriodic, type JobApp } from './kit.ts'

/** Rows a batch: one transaction holds them while Redis answers. Larger batches are no faster. */
const BATCH = 500

/** Moves rows from the outbox to the queues. Any number of relays may run at once: they claim different rows. */
export const relayOutbox = definePeriodic({
  name: 'relayOutbox',
  everyMs: 100,
  run: relayAll,
})

/**
 * Relays at once after each commit that publishes a nudge, in addition to the schedule. Returns a function that stops
 * this and waits for the current round.
 */
export function relayWhenNudged(app: JobApp): () => Promise<void> {
  // Not async/sharedReads.ts: its callers do not wait, and a signal during a run asks for one more run.
  let running: Promise<void> | undefined
  let again = false

  async function run() {
    while (again) {
      again = false
      await relayAll(app).catch((error) => app.log.warn({ err: error }, 'the outbox was not relayed'))
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
