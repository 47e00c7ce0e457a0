/*
 * A pacer that assumes that it leads, in a process of its own. It ticks as often as it can, and prints each tick that changed
 * something.
 *
 *     node test/support/pacer.ts <database url> <redis url> <event id> [point]
 *
 * At its point it prints "here", and the whole process stands still until it reads a byte from stdin. The point `read` is
 * between what a tick has read and what it writes; there it prints each tick. The point `written` is between what a tick
 * has written and what it publishes.
 */
import { readSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../../src/sql/database/database.ts'
import { testRoom } from './room.ts'

const [databaseUrl, redisUrl, eventId, point] = process.argv.slice(2) as [string, string, string, string?]

const say = (text: string) => process.stdout.write(`${text}\n`)
const unmeasured = { checkoutP99Ms: null, poolWaitMs: null, providerRefusedShare: null }

function standStill() {
  say('here')
  readSync(0, Buffer.alloc(1))
}

const db = createDatabase(databaseUrl)
const query = db.pool.query.bind(db.pool) as (...args: unknown[]) => Promise<unknown>
let queries = 0
db.pool.query = ((...args: unknown[]) => {
  queries++
  return query(...args).finally(() => queries--)
}) as typeof db.pool.query

const room = await testRoom({
  db,
  redisUrl,
  load: {
    async recent() {
      if (point === 'read') {
        // A tick reads the load last, beside its other queries.
        while (queries > 0) await sleep(5)
        standStill()
      }
      return unmeasured
    },
  },
})
if (point === 'written') {
  const { rooms } = room as { rooms: { publishTick(ticked: unknown): void } }
  rooms.publishTick = standStill
}
for (;;) {
  // The queries of a process that stood still may have timed out: then the tick has changed nothing either.
  const tick = await room.pacer.tick(eventId).catch(() => null)
  if (tick || point === 'read') say(JSON.stringify(tick))
  await sleep(20)
}
