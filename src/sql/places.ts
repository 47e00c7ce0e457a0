import type pg from 'pg'
import { createFairSlots } from '../async/fairSlots.ts'
import { afterMs, createGatherer } from '../async/gather.ts'
import type { Database } from './database/database.ts'
import { inTransaction } from './database/transaction.ts'
import { CLOSED_SINCE } from './rooms.ts'

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

/** A new copy of the journal in the making. The lock is held, so no place is journalled meanwhile. */
export interface CopyInTheMaking {
  /** The number of the last copy. */
  readonly copy: number
  /** The highest arrival index that was ever given, and of the draw, which is over: the next fan's is higher. */
  readonly last: number
  /** All places in order of arrival, each as 12 bytes of account and 4 bytes of index, big-endian. */
  pages(): AsyncIterable<Buffer>
  /** The new copy's number, in force when the work is done. */
  renumber(copy: number): Promise<void>
}

/** Places in a page: Redis does nothing else while it writes one, for about 5 ms. */
const PAGE = 4_000

/** How long to wait for another process that copies. */
const LOCK_TIMEOUT_MS = 3_000

/**
 * Runs `work` while no process journals or copies. False where the event has no room. Throws where another process
 * copies for long; then try again later.
 */
export function withJournalLocked(
  roomDb: Database,
  eventId: string,
  work: (making: CopyInTheMaking) => Promise<void>,
): Promise<boolean> {
  return inTransaction(roomDb, async (client) => {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`)
    await client.query('select pg_advisory_xact_lock(places_lock($1))', [eventId])
    const { rows } = await client.query(
      `select r.places_copy as copy,
         greatest(r.admitted_up_to, r.size, coalesce((select max(p.arrival) from places p where p.event_id = $1), 0)) as last
       from rooms r where r.event_id = $1`,
      [eventId],
    )
    const [room] = rows
    if (!room) return false
    await work({
      copy: room.copy,
      last: room.last,
      pages: () => pagesOf(client, eventId),
      async renumber(copy) {
        await client.query('update rooms set places_copy = $2 where event_id = $1', [eventId, copy])
      },
    })
    return true
  })
}

/** Each page is one value: rows would cost many times as much. */
async function* pagesOf(client: pg.PoolClient, eventId: string): AsyncGenerator<Buffer> {
  let after = 0
  for (;;) {
    const { rows } = await client.query<{ last: number | null; places: Buffer }>(
      `select max(p.arrival) as last, string_agg(p.account || int4send(p.arrival), ''::bytea order by p.arrival) as places
       from (
         select arrival, account from places where event_id = $1 and arrival > $2 order by arrival limit $3
       ) p`,
      [eventId, after, PAGE],
    )
    const [page] = rows
    if (!page || page.last === null) return
    yield page.places
    after = page.last
  }
}

/** The account's place; null where it has none, or has given it up. */
export async function findPlace(
  { pool }: Database,
  eventId: string,
  account: Uint8Array,
): Promise<{ arrival: number; device: Uint8Array } | null> {
  const { rows } = await pool.query(
    'select arrival, device from places where event_id = $1 and account = $2 and left_at is null',
    [eventId, account],
  )
  return rows[0] ?? null
}

/**
 * Of two changes of a place the later one has the later time, also where the clock stood still or stepped back: by a
 * millisecond, so that it is later as a `Date` too.
 */
const CHANGED_NOW = "greatest(now(), changed_at + interval '1 millisecond')"

/** Gives a place up, once. Returns the time of it; null where another device has the place. */
export async function leavePlace(
  { pool }: Database,
  eventId: string,
  arrival: number,
  device: Uint8Array,
): Promise<Date | null> {
  const { rows } = await pool.query(
    `update places
     set left_at = coalesce(left_at, now()), changed_at = case when left_at is null then ${CHANGED_NOW} else changed_at end
     where event_id = $1 and arrival = $2 and device = $3
     returning changed_at as "changedAt"`,
    [eventId, arrival, device],
  )
  return rows[0]?.changedAt ?? null
}

/** Gives a place that was given up back to its fan, on `device`. Returns the time of it. */
export async function retakePlace(
  { pool }: Database,
  eventId: string,
  arrival: number,
  device: Uint8Array,
): Promise<Date> {
  const { rows } = await pool.query(
    `update places set left_at = null, device = $3, changed_at = ${CHANGED_NOW}
     where event_id = $1 and arrival = $2
     returning changed_at as "changedAt"`,
    [eventId, arrival, device],
  )
  return rows[0].changedAt
}

/** Moves a place to another device. Returns the time of it; null where the place was given up meanwhile. */
export async function movePlace(
  { pool }: Database,
  eventId: string,
  arrival: number,
  device: Uint8Array,
): Promise<Date | null> {
  const { rows } = await pool.query(
    `update places set device = $3, changed_at = ${CHANGED_NOW}
     where event_id = $1 and arrival = $2 and left_at is null
     returning changed_at as "changedAt"`,
    [eventId, arrival, device],
  )
  return rows[0]?.changedAt ?? null
}

export interface ChangedPlace {
  readonly arrival: number
  readonly device: Uint8Array
  readonly hasLeft: boolean
  readonly changedAt: Date
}

/** Of each change the index (4 bytes), its time (8), 1 where the place was given up (1), and the device (8). */
const CHANGE_BYTES = 21

/** Changes in a value. */
const CHANGES_TOGETHER = 5_000

/**
 * Places that moved, were given up or taken up again after the millisecond `since`. The iterable decodes one at a time:
 * they are few, but a process that starts may find hundreds of thousands, which as rows would block the event loop.
 */
export async function readChangedPlaces(
  { pool }: Database,
  eventId: string,
  since: Date,
): Promise<Iterable<ChangedPlace>> {
  const { rows } = await pool.query<{ changes: Buffer }>(
    `select string_agg(
       int4send(c.arrival) || float8send(floor(extract(epoch from c.changed_at) * 1000)::float8)
         || case when c.left_at is null then '\\x00'::bytea else '\\x01'::bytea end || c.device,
       ''::bytea
     ) as changes
     from (
       select *, (row_number() over () - 1) / $3 as page from places where event_id = $1 and changed_at > $2::timestamptz + interval '999 microseconds'
     ) c
     group by c.page`,
    [eventId, since, CHANGES_TOGETHER],
  )
  return changesIn(rows.map(({ changes }) => changes))
}

function* changesIn(pages: readonly Buffer[]): Generator<ChangedPlace> {
  for (const page of pages)
    for (let at = 0; at < page.length; at += CHANGE_BYTES)
      yield {
        arrival: page.readInt32BE(at),
        device: new Uint8Array(page.subarray(at + 13, at + CHANGE_BYTES)),
        hasLeft: page[at + 12] === 1,
        changedAt: new Date(page.readDoubleBE(at + 4)),
      }
}

export interface Turn {
  readonly device: Uint8Array
  readonly hasLeft: boolean
  /** When the place was called, plus the time in which the line was closed since; null where it was not called yet. */
  readonly calledAt: Date | null
  /** When the last tick ran: whether the line was open after it is not known. */
  readonly tickedAt: Date | null
}

/** A place by the journal and the log of calls; null where it was never journalled. */
export async function readTurn(
  { pool }: Database,
  eventId: string,
  { arrival, place }: { arrival: number; place: number },
): Promise<Turn | null> {
  const { rows } = await pool.query(
    `select p.device, p.left_at is not null as "hasLeft", c.at + ${CLOSED_SINCE} as "calledAt", r.ticked_at as "tickedAt"
     from places p join rooms r on r.event_id = p.event_id
     left join lateral (
       select c.at, c.closed from calls c
       where c.event_id = $1 and c.admitted_up_to >= $3
       order by c.admitted_up_to limit 1
     ) c on true
     where p.event_id = $1 and p.arrival = $2`,
    [eventId, arrival, place],
  )
  return rows[0] ?? null
}
