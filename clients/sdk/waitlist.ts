import type { Client } from './client.ts'
import type { Clock } from './clock.ts'
import { follow } from './follow.ts'
import type { Live } from './live.ts'
import { joinWaitlist, leaveWaitlist, readWaitlistEntry, watchWaitlistEntry } from './operations.ts'
import type { JoinWaitlistResult, WaitlistEntry, WaitlistWish } from './schema.ts'

export interface Waitlist {
  /** Joins at the end, once the sale is sold out; joining twice is joining once. */
  join(eventId: string, wish: WaitlistWish): Promise<JoinWaitlistResult>
  /** Leaves, and gives back what is offered. */
  leave(entryId: string): Promise<WaitlistEntry>
  /** The entry now and what becomes of it: an offer is a hold, to be paid as any other. */
  watch(entryId: string, next: (entry: WaitlistEntry) => void, failed: (error: unknown) => void): () => void
}

interface Deps {
  client: Client
  live: Live
  clock: Clock
}

const ASK_EVERY_SECONDS = 10

export function createWaitlist({ client, live, clock }: Deps): Waitlist {
  return {
    async join(eventId, wish) {
      return (await client.request(joinWaitlist, { input: { eventId, ...wish } })).joinWaitlist
    },
    async leave(entryId) {
      return (await client.request(leaveWaitlist, { input: { id: entryId } })).leaveWaitlist
    },
    watch(entryId, next, failed) {
      const take = (entry: WaitlistEntry) => {
        if (entry.hold) clock.hear(entry.hold.asOf)
        next(entry)
      }
      return follow({
        live,
        operation: watchWaitlistEntry,
        variables: () => ({ id: entryId }),
        next: (data) => take(data.waitlistUpdated),
        async ask(signal) {
          const { node } = await client.request(readWaitlistEntry, { id: entryId }, { signal })
          if (node) take(node)
          return ASK_EVERY_SECONDS
        },
        failed,
      })
    },
  }
}
