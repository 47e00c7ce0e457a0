import { overloaded } from '../../../sale/faults.ts'

const MB = 1_024 * 1_024

/** The bytes of unanswered requests' bodies that a process keeps. See docs/security.md. */
export const BODY_BUDGET = {
  /** Of each body, so that an exhausted budget never stops a fan: the operations of a fan have up to 8 KB. */
  freeBytes: 16 * 1_024,
  /** Two of the largest bodies of one account, and four in all. Parsing takes some ten times the bytes for a moment. */
  organizers: { perSender: 64 * MB, inAll: 128 * MB },
  /** By address: sixteen of the largest bodies, and 256 in all. */
  others: { perSender: 4 * MB, inAll: 64 * MB },
}

export type BodyBudgetLimits = typeof BODY_BUDGET

export interface BodyLease {
  /** Counts bytes that arrived. Throws OVERLOADED where the sender or all senders together have too many. */
  take(bytes: number): void
  /** The request is answered. */
  end(): void
}

export interface BodyBudget {
  /** The sender is an account of an organizer, or the address of any other client. */
  begin(group: 'organizers' | 'others', sender: string): BodyLease
  /** The counted bytes. */
  readonly bytes: number
}

export function createBodyBudget(limits: BodyBudgetLimits = BODY_BUDGET): BodyBudget {
  const groups = {
    organizers: { ...limits.organizers, bytes: 0, bySender: new Map<string, number>() },
    others: { ...limits.others, bytes: 0, bySender: new Map<string, number>() },
  }

  return {
    begin(group, sender) {
      const of = groups[group]
      let received = 0
      let counted = 0

      function count(bytes: number) {
        const ofSender = (of.bySender.get(sender) ?? 0) + bytes
        if (ofSender > 0) of.bySender.set(sender, ofSender)
        else of.bySender.delete(sender)
        of.bytes += bytes
        counted += bytes
      }

      return {
        take(bytes) {
          received += bytes
          const more = Math.max(0, received - limits.freeBytes) - counted
          if (more <= 0) return
          if ((of.bySender.get(sender) ?? 0) + more > of.perSender || of.bytes + more > of.inAll)
            throw overloaded(1 + 4 * Math.random())
          count(more)
        },
        end() {
          if (counted > 0) count(-counted)
        },
      }
    },
    get bytes() {
      return groups.organizers.bytes + groups.others.bytes
    },
  }
}
