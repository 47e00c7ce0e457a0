import {
  JoinWaitlistDocument,
  LeaveWaitlistDocument,
  WaitlistEntryByIdDocument,
  WaitlistUpdatedDocument,
} from './generated/operations.ts'
import type { Connections } from './transport/connections.ts'
import { subscribeOrPoll } from './transport/subscribeOrPoll.ts'
import type { JoinWaitlistResult, WaitlistEntry, WaitlistWish } from './types.ts'

export interface Waitlist {
  /** Joins at the end of the waitlist of a sold-out sale. A second join returns the same entry. */
  join(eventId: string, wish: WaitlistWish): Promise<JoinWaitlistResult>
  /** Leaves the waitlist and gives up an offer. */
  leave(entryId: string): Promise<WaitlistEntry>
  /** Watches the entry. An offer is a hold, which is paid like any other. */
  watch(entryId: string, next: (entry: WaitlistEntry) => void, failed: (error: unknown) => void): () => void
}

const POLL_EVERY_SECONDS = 10

export function createWaitlist({ client, socket, clock }: Connections): Waitlist {
  return {
    async join(eventId, wish) {
      return (await client.request(JoinWaitlistDocument, { input: { eventId, ...wish } })).joinWaitlist
    },
    async leave(entryId) {
      return (await client.request(LeaveWaitlistDocument, { input: { id: entryId } })).leaveWaitlist
    },
    watch(entryId, next, failed) {
      const take = (entry: WaitlistEntry) => {
        if (entry.hold) clock.sync(entry.hold.asOf)
        next(entry)
      }
      return subscribeOrPoll({
        socket,
        operation: WaitlistUpdatedDocument,
        variables: () => ({ id: entryId }),
        next: (data) => take(data.waitlistUpdated),
        async poll(signal) {
          const { node } = await client.request(WaitlistEntryByIdDocument, { id: entryId }, { signal })
          if (node?.__typename === 'WaitlistEntry') take(node)
          return POLL_EVERY_SECONDS
        },
        failed,
      })
    },
  }
}
