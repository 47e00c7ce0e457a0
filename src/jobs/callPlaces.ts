import { setTimeout as sleep } from 'node:timers/promises'
import { findBusyRooms } from '../sql/room/advance.ts'
import { readOpenRooms } from '../sql/sales.ts'
import { defineEventRounds } from './kit.ts'

/**
 * Ticks are at least 0.9 s apart. A late tick makes the next one early by the same time, and an early tick has no effect.
 * Without a second try, a busy machine calls fewer places than the rate allows.
 */
const AGAIN_MS = 200

/**
 * The pacer: calls the next places of each room with work. A tick is a conditional update, so an extra tick has no effect.
 * Where places can be called, a tick without effect is tried once more.
 */
export const callPlaces = defineEventRounds({
  name: 'callPlaces',
  everyMs: 1_000,
  concurrency: 64,
  find: async ({ db, roomDb }) => findBusyRooms(roomDb, await readOpenRooms(db)),
  async run({ pacer }, { eventId, isDrawn }) {
    if ((await pacer.tick(eventId)) !== null || !isDrawn) return
    await sleep(AGAIN_MS)
    await pacer.tick(eventId)
  },
})
