import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { follow } from './follow.ts'
import type { Live } from './live.ts'
import { hold, readHold, releaseHold, watchHold } from './operations.ts'
import type { Hold, HoldResult, HoldSelection, ReleaseResult } from './schema.ts'
import { randomId } from './session.ts'

export interface Holds {
  /**
   * Holds all or none. `key` names the intention: who calls again because no answer came gives the same
   * one, and gets the first call's outcome.
   */
  hold(eventId: string, selection: HoldSelection, key?: string): Promise<HoldResult>
  /** Releasing twice is releasing once. */
  release(holdId: string): Promise<ReleaseResult>
  watch(holdId: string, next: (hold: Hold) => void, failed: (error: unknown) => void): () => void
}

interface Deps {
  client: Client
  live: Live
  clock: Clock
}

const ASK_EVERY_SECONDS = 3

export function createHolds({ client, live, clock }: Deps): Holds {
  return {
    async hold(eventId, selection, key = randomId()) {
      const { hold: result } = await client.request(hold, {
        input: { eventId, selection, idempotencyKey: key },
      })
      if (result.__typename === 'Hold') clock.hear(result.asOf)
      return result
    },
    async release(holdId) {
      return (await client.request(releaseHold, { input: { holdId } })).releaseHold
    },
    watch(holdId, next, failed) {
      const take = (now: Hold) => {
        clock.hear(now.asOf)
        next(now)
      }
      return follow({
        live,
        operation: watchHold,
        variables: () => ({ id: holdId }),
        next: (data) => take(data.holdUpdated),
        async ask(signal) {
          const data = await client.request(readHold, { id: holdId }, { signal })
          if (data.hold) take(data.hold)
          return ASK_EVERY_SECONDS
        },
        failed,
      })
    },
  }
}
