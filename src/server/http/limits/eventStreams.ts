import type { ServerResponse } from 'node:http'
import { Fault, overloaded } from '../../../sale/faults.ts'
import { createFairShare } from './fairShare.ts'
import type { HttpLimits } from './httpLimits.ts'

/** Counts and bounds the subscriptions by server-sent events: see HTTP_LIMITS. */
export interface EventStreams {
  /** Counts a stream until its response ends. Throws RATE_LIMITED or OVERLOADED where a bound is reached. */
  begin(response: ServerResponse, address: string | null, accountId: string | null): void
  readonly size: number
}

export function createEventStreams(
  onRefused: () => void,
  { streams, streamsOfAddress, streamsOfAccount }: HttpLimits,
): EventStreams {
  const byAddress = createFairShare({ perClient: streamsOfAddress, inAll: streams })
  const byAccount = createFairShare({ perClient: streamsOfAccount, inAll: Number.POSITIVE_INFINITY })

  return {
    begin(response, address, accountId) {
      // It emits no `close` any more.
      if (response.closed) return
      const refusal = byAddress.refusalOf(address) ?? byAccount.refusalOf(accountId)
      if (refusal) onRefused()
      if (refusal === 'all') throw overloaded(5)
      if (refusal)
        throw new Fault(
          'RATE_LIMITED',
          'Too many event streams are open. A WebSocket carries many subscriptions.',
          {
            retryAfterSeconds: 30,
          },
        )
      byAddress.enter(address)
      byAccount.enter(accountId)
      response.once('close', () => {
        byAddress.leave(address)
        byAccount.leave(accountId)
      })
    },
    get size() {
      return byAddress.size
    },
  }
}
