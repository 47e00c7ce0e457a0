/**
 * Every key and channel that Fairgate itself uses in Redis. An event's keys share the hash tag {event}, so that one node
 * of a cluster has them all. BullMQ's keys have their own prefix: QUEUE_PREFIX.
 */
export const keys = {
  /** Counter: the last arrival index that was assigned. */
  arrivals: (eventId: string) => `fg:{${eventId}}:arrivals`,
  /** String: Redis's run id and the number of the copy. Present where the copy of the event's places is complete. */
  placesMark: (eventId: string) => `fg:{${eventId}}:places`,
  /** Hash, one of many buckets: account digest → arrival index. */
  places: (eventId: string, bucket: number) => `fg:{${eventId}}:places:${bucket}`,
  /** Counter: recent joins of an account, a device or an address that is near its limit. `source` contains its digest. */
  joins: (eventId: string, source: string) => `fg:{${eventId}}:joins:${source}`,
  /** String: the digest of the account that claimed this answer to a challenge; empty once the answer is spent. */
  answer: (eventId: string, answer: string) => `fg:{${eventId}}:answer:${answer}`,
  /** String: 2 bits a seat, as the API sends them. */
  statuses: (eventId: string, sectionNo: number) => `fg:{${eventId}}:map:${sectionNo}:statuses`,
  /** String: 4 bytes a seat, big-endian: the revision of the seat's status. */
  revisions: (eventId: string, sectionNo: number) => `fg:{${eventId}}:map:${sectionNo}:revisions`,
  /** Hash: for each section `<section>:version`, and `<section>:<status>`, its seats of that status; also `round`, `mark`. */
  sections: (eventId: string) => `fg:{${eventId}}:map`,
  /** Counter: the rounds in which a process compared maps with the database. */
  mapRounds: 'fg:{maps}:rounds',
  /** Sorted set: the events with holds, by the last round that saw one. A new run of Redis adds each event with a map. */
  mapsWithHolds: 'fg:{maps}:held',
  /** String: the run id of the Redis whose older maps, if any, are in `mapsWithHolds`. */
  mapsRun: 'fg:{maps}:run',
  /** List: the times at which the last permits to call a payment provider were taken. */
  permits: (provider: string) => `fg:{payments:${provider}}:permits`,
  /** Hash: event → the priority of its last job in this queue. */
  jobPriorities: (queue: string) => `fg:{jobs:${queue}}:priorities`,
  /** Stream: each process's counts of the event's holds and checkouts, one sample a second. */
  load: (eventId: string) => `fg:{${eventId}}:load`,
  /** Stream: each process's figures of its database pool and of the payment provider, one sample a second. */
  processLoad: 'fg:load',
} as const

export const channels = {
  /** A tick of the pacer, or any other change of the room. */
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
