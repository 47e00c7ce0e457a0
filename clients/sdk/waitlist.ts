import type { Connections } from './connections.ts'
import { joinWaitlist, leaveWaitlist, readWaitlistEntry, watchWaitlistEntry } from './operations.ts'
import type { JoinWaitlistResult, WaitlistEntry, WaitlistWish } from './schema.ts'
import { subscribeOrPoll } from './subscribeOrPoll.ts'

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
      return (await client.request(joinWaitlist, { input: { eventId, ...wish } })).joinWaitlist
    },
    async leave(entryId) {
      return (await client.request(leaveWaitlist, { input: { id: entryId } })).leaveWaitlist
    },
    watch(entryId, next, failed) {
      const take = (entry: WaitlistEntry) => {
        if (entry.hold) clock.sync(entry.hold.asOf)
        next(entry)
      }
      return subscribeOrPoll({
        socket,
        operation: watchWaitlistEntry,
        variables: () => ({ id: entryId }),
        next: (data) => take(data.waitlistUpdated),
        async poll(signal) {
          const { node } = await client.request(readWaitlistEntry, { id: entryId }, { signal })
          if (node) take(node)
          return POLL_EVERY_SECONDS
        },
        failed,
      })
    },
  }
}
