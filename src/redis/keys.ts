/**
 * Every key and channel that Fairgate itself uses in Redis. An event's keys share the hash tag {event},
 * so that an event lives on one node of a cluster. BullMQ has its own prefix, see QUEUE_PREFIX.
 */
export const keys = {
  /** Counter: the last arrival index given. */
  arrivals: (eventId: string) => `fg:{${eventId}}:arrivals`,
  /** String: Redis's run id, and the number of the copy of the journal: all of the event's places are here. */
  placesMark: (eventId: string) => `fg:{${eventId}}:places`,
  /** Hash, one of many: account digest → arrival index. */
  places: (eventId: string, bucket: number) => `fg:{${eventId}}:places:${bucket}`,
  /** Counter: joins of late, of an account, a device or an address near its limit; by their digests. */
  joins: (eventId: string, who: string) => `fg:{${eventId}}:joins:${who}`,
  /** String: the digest of the account that came with this answer to a challenge, by its digest; empty once it is spent. */
  answer: (eventId: string, answer: string) => `fg:{${eventId}}:answer:${answer}`,
  /** String: 2 bits a seat, as the API sends them. */
  statuses: (eventId: string, sectionNo: number) => `fg:{${eventId}}:map:${sectionNo}:statuses`,
  /** String: 4 bytes a seat, big-endian: the revision that the status belongs to. */
  revisions: (eventId: string, sectionNo: number) => `fg:{${eventId}}:map:${sectionNo}:revisions`,
  /** Hash: of each section `<section>:version`, and how many seats have a status, `<section>:<status>`; `round`, `mark`. */
  sections: (eventId: string) => `fg:{${eventId}}:map`,
  /** List: when the last permits to ask a payment provider were taken. */
  permits: (provider: string) => `fg:{payments:${provider}}:permits`,
  /** Stream: what each process counted of the event's holds and checkouts, a sample a second. */
  load: (eventId: string) => `fg:{${eventId}}:load`,
  /** Stream: what each process saw of its database pool and of the payment provider, a sample a second. */
  processLoad: 'fg:load',
} as const

export const channels = {
  /** A tick of the pacer, or any change of the room. */
  room: (eventId: string) => `fg:{${eventId}}:room`,
  /** Changes of a section's seats. */
  section: (eventId: string, sectionNo: number) => `fg:{${eventId}}:map:${sectionNo}`,
  /** The sale's settings or state changed. */
  sale: (eventId: string) => `fg:{${eventId}}:sale`,
  hold: (eventId: string, holdId: string) => `fg:{${eventId}}:hold:${holdId}`,
  waitlist: (eventId: string, entryId: string) => `fg:{${eventId}}:waitlist:${entryId}`,
  order: (eventId: string, orderId: string) => `fg:{${eventId}}:order:${orderId}`,
  /** A commit left rows in the outbox. */
  outbox: 'fg:outbox',
} as const

export const QUEUE_PREFIX = 'fg:jobs'
