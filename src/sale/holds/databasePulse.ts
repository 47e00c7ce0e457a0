import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { type Loop, loop } from '../../async/loop.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import { type ExtendedEvent, renewPulse } from '../../sql/database/pulse.ts'

/**
 * Renews the database's pulse, which stops the clock of holds, offers and admissions while no process reaches the database. The
 * rules: prisma/functions/sale_clock.sql.
 */
export interface Pulse {
  /** Renews it at once and then each second, in this process. Any number of processes may do so. */
  start(): void
  /**
   * Renews it once. After a gap, extends the holds and admissions that were alive, and publishes their new ends. Throws where
   * the database cannot be reached.
   */
  renew(): Promise<void>
  /** Renews it no more, and waits for the current renewal. */
  close(): Promise<void>
}

export interface PulseDeps {
  db: Database
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
  publish: Publish
  log: Logger
  /** A gap up to this is no outage. Default: 5. Shorter in tests alone. */
  gapSeconds?: number
}

const RENEW_EVERY_MS = 1_000
/** The owners of extended holds read them again in groups: all together would be a burst just when the database is back. */
const PUBLISHED_AT_ONCE = 200
const PUBLISH_PAUSE_MS = 50

export function createPulse({ db, seatMap, publish, log, gapSeconds = 5 }: PulseDeps): Pulse {
  let renewing: Loop | undefined
  let isAway = false

  /** No renewal waits for it: it may take longer than the gap that counts as an outage. */
  async function publishEnds({ eventId, changes, holdIds }: ExtendedEvent) {
    if (changes.length > 0) seatMap.publish(eventId, [...changes])
    for (let from = 0; from < holdIds.length; from += PUBLISHED_AT_ONCE) {
      if (from > 0) await sleep(PUBLISH_PAUSE_MS, undefined, { ref: false })
      for (const id of holdIds.slice(from, from + PUBLISHED_AT_ONCE)) publish(channels.hold(eventId, id), '')
    }
  }

  async function renew() {
    const extended = await renewPulse(db, gapSeconds)
    isAway = false
    for (const event of extended) {
      const { eventId, gapSeconds, holdIds, admissions } = event
      log.warn(
        { eventId, gapSeconds, holds: holdIds.length, admissions },
        'holds and admissions got the time of an outage',
      )
      void publishEnds(event)
    }
  }

  return {
    renew,
    start() {
      renewing ??= loop(RENEW_EVERY_MS, renew, (error) => {
        if (!isAway) log.warn({ err: error }, 'the pulse is not renewed: the clock of holds stands still')
        isAway = true
      })
    },
    async close() {
      await renewing?.stop()
    },
  }
}
