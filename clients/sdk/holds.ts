import {
  ExchangeHoldDocument,
  HoldByIdDocument,
  HoldDocument,
  HoldUpdatedDocument,
  ReleaseHoldDocument,
} from './generated/operations.ts'
import { randomId } from './session.ts'
import type { Connections } from './transport/connections.ts'
import { subscribeOrPoll } from './transport/subscribeOrPoll.ts'
import type { ExchangeResult, Hold, HoldResult, HoldSelection, ReleaseResult } from './types.ts'

export interface Holds {
  /**
   * Holds all seats of the selection or none. `key` is the idempotency key: after a lost answer the caller sends the
   * same key again and gets the first call's outcome.
   */
  hold(eventId: string, selection: HoldSelection, key?: string): Promise<HoldResult>
  /**
   * Replaces a live hold by another selection in one step: after a refusal the old hold is as it was. The new hold ends
   * when the old one would have ended. `key` as for `hold`.
   */
  exchange(holdId: string, selection: HoldSelection, key?: string): Promise<ExchangeResult>
  /** Releases a hold. A second call has no further effect. */
  release(holdId: string): Promise<ReleaseResult>
  watch(holdId: string, next: (hold: Hold) => void, failed: (error: unknown) => void): () => void
}

const POLL_EVERY_SECONDS = 3

export function createHolds({ client, socket, clock }: Connections): Holds {
  return {
    async hold(eventId, selection, key = randomId()) {
      const { hold: result } = await client.request(HoldDocument, {
        input: { eventId, selection, idempotencyKey: key },
      })
      if (result.__typename === 'Hold') clock.sync(result.asOf)
      return result
    },
    async exchange(holdId, selection, key = randomId()) {
      const { exchangeHold: result } = await client.request(ExchangeHoldDocument, {
        input: { holdId, selection, idempotencyKey: key },
      })
      if (result.__typename === 'Hold') clock.sync(result.asOf)
      return result
    },
    async release(holdId) {
      return (await client.request(ReleaseHoldDocument, { input: { holdId } })).releaseHold
    },
    watch(holdId, next, failed) {
      const take = (now: Hold) => {
        clock.sync(now.asOf)
        next(now)
      }
      return subscribeOrPoll({
        socket,
        operation: HoldUpdatedDocument,
        variables: () => ({ id: holdId }),
        next: (data) => take(data.holdUpdated),
        async poll(signal) {
          const data = await client.request(HoldByIdDocument, { id: holdId }, { signal })
          if (data.hold) take(data.hold)
          return POLL_EVERY_SECONDS
        },
        failed,
      })
    },
  }
}
