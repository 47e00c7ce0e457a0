/*
 * A pacer that believes it leads, in a process of its own: it ticks as often as it can, and says each tick of which
 * something came.
 *
 *     node test/support/pacer.ts <database url> <redis url> <event id> [point]
 *
 * At the point `read` it says "here" between what it has read and what it writes, and goes on half a second later.
 * At the point `written` it says so between what it has written and what it publishes, and goes on no more.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase } from '../../src/sql/database.ts'
import { testRoom } from './room.ts'

const [databaseUrl, redisUrl, eventId, point] = process.argv.slice(2) as [string, string, string, string?]

const say = (what: string) => process.stdout.write(`${what}\n`)
const unmeasured = { checkoutP99Ms: null, poolWaitMs: null, providerRefusedShare: null }

const room = await testRoom({
  db: createDatabase(databaseUrl),
  redisUrl,
  load: {
    async recent() {
      if (point === 'read') {
        // What is read beside this is there by then.
        await sleep(500)
        say('here')
        await sleep(500)
      }
      return unmeasured
    },
  },
})
if (point === 'written') {
  const { rooms } = room as { rooms: { publishTick(ticked: unknown): void } }
  rooms.publishTick = () => {
    say('here')
    // Nothing runs in this process any more.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
}
for (;;) {
  // One that slept while it read may find its queries timed out: it has changed nothing either.
  const tick = await room.pacer.tick(eventId).catch(() => null)
  if (tick || point === 'read') say(JSON.stringify(tick))
  await sleep(20)
}
