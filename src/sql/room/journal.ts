import { createFairSlots } from '../../async/fairSlots.ts'
import { afterMs, createGatherer } from '../../async/gather.ts'
import type { Database } from '../database/database.ts'

/** A place that Redis gave. It must be journalled before any answer names it. */
export interface GivenPlace {
  readonly eventId: string
  readonly arrival: number
  readonly account: Uint8Array
  readonly device: Uint8Array
  /** The number of the copy of the journal that Redis gave it from. */
  readonly copy: number
}

/** A place as the journal has it, which decides over every other copy. */
export interface JournalledPlace {
  /** False: the index is another account's, or the account has another place. */
  readonly found: boolean
  /** The device that has the place now; null where it was not found. */
  readonly device: Uint8Array | null
  readonly hasLeft: boolean
  /** Where it was not found: the account's place, if it has one. */
  readonly live: number | null
}

export interface Journal {
  /**
   * Journals one place durably, in a batch with all others of some 50 ms; a place that is journalled already stays as
   * it is. 'stale' where Redis's copy was re-created since it gave the index. Throws where the batch failed, or where
   * too many places wait already: no answer may name a place that is not journalled. Batches of several events are
   * written in rotation.
   */
  append(place: GivenPlace): Promise<JournalledPlace | 'stale'>
}

/** How long a batch gathers. */
const GATHER_MS = 50

/** Places in one statement. */
const LARGEST_BATCH = 2_000

/** Concurrent statements: more are not faster, and would keep connections from other callers. */
const AT_ONCE = 2

/**
 * Joins that may wait for the journal in this process, of one event half of them: a later one would not get a prompt answer.
 */
const MOST_WAITING = 60_000

export function createJournal(roomDb: Database, mostWaiting = MOST_WAITING): Journal {
  const slots = createFairSlots(AT_ONCE)
  /** By event. */
  const waitingOf = new Map<string, number>()
  let waiting = 0

  function count(eventId: string, places: number) {
    waiting += places
    const left = (waitingOf.get(eventId) ?? 0) + places
    if (left > 0) waitingOf.set(eventId, left)
    else waitingOf.delete(eventId)
  }

  async function write(places: readonly GivenPlace[]): Promise<(JournalledPlace | 'stale')[]> {
    const [{ eventId }] = places as [GivenPlace, ...GivenPlace[]]
    await slots.take(eventId)
    try {
      const others = await journal(roomDb, places)
      return places.map((place, no) => (others ? (others.get(no) ?? asGiven(place)) : 'stale'))
    } finally {
      count(eventId, -places.length)
      slots.give()
    }
  }

  const append = createGatherer<GivenPlace, JournalledPlace | 'stale'>({
    when: afterMs(GATHER_MS),
    keyOf: ({ eventId, copy }) => `${eventId} ${copy}`,
    windowPerKey: true,
    most: LARGEST_BATCH,
    spread: true,
    send: write,
  })

  return {
    append(place) {
      // An event takes at most as much room as it leaves free: so there is always room for the joins of another event.
      if ((waitingOf.get(place.eventId) ?? 0) >= mostWaiting - waiting)
        return Promise.reject(new Error('too many joins wait for the journal'))
      count(place.eventId, 1)
      return append(place)
    },
  }
}

/** Journals a place that replaces `over`, a place of the same account. Otherwise as `append`, without a batch. */
export async function journalInsteadOf(
  roomDb: Database,
  over: number,
  place: GivenPlace,
): Promise<JournalledPlace | 'stale'> {
  const others = await journal(roomDb, [place], over)
  return others ? (others.get(0) ?? asGiven(place)) : 'stale'
}

function asGiven({ device }: GivenPlace): JournalledPlace {
  return { found: true, device, hasLeft: false, live: null }
}

/** Of each place the index (4 bytes), the account (12) and the device (8). */
const BYTES = 24

/**
 * Journals places of one event and copy. Returns those that the journal has otherwise, by their number in the batch;
 * null: stale. See prisma/functions/journal_places.sql.
 */
async function journal(
  { pool }: Database,
  places: readonly GivenPlace[],
  over = 0,
): Promise<Map<number, JournalledPlace> | null> {
  const [{ eventId, copy }] = places as [GivenPlace, ...GivenPlace[]]
  const packed = Buffer.allocUnsafe(places.length * BYTES)
  places.forEach(({ arrival, account, device }, no) => {
    const at = packed.writeInt32BE(arrival, no * BYTES)
    packed.set(account, at)
    packed.set(device, at + 12)
  })
  const { rows } = await pool.query<JournalledPlace & { no: number | null }>({
    name: 'journal_places',
    text: 'select no, found, device, has_left as "hasLeft", live from journal_places($1, $2, $3, $4)',
    values: [eventId, copy, packed, over],
  })
  const others = new Map<number, JournalledPlace>()
  for (const { no, ...place } of rows) {
    if (no === null) return null
    others.set(no, place)
  }
  return others
}
