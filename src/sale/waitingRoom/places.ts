import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createSingleFlights } from '../../async/singleFlight.ts'
import { createKeptPlaces } from '../../redis/places.ts'
import type { Database } from '../../sql/database.ts'
import {
  createJournal,
  type GivenPlace,
  type JournalledPlace,
  journalInsteadOf,
  withJournalLocked,
} from '../../sql/places.ts'

/** A place as it stands in the journal. */
export interface OwnPlace {
  readonly arrival: number
  /** Whose it is. */
  readonly device: Uint8Array
  readonly hasLeft: boolean
}

/**
 * The line: Redis gives the places, the journal in PostgreSQL has the last word. Whatever Redis loses, or comes
 * back with, is made anew from the journal, and a wrong place put right by itself; the journal itself refuses an
 * index given twice and an account's second place.
 */
export interface Places {
  /**
   * The account's place, journalled: the one it has, else a new one at the end, for `device`. A place for which
   * `isOver` answers true is replaced, once, however many ask.
   *
   * Throws where Redis or the queue's database is away, or the places are still being made anew.
   */
  take(
    eventId: string,
    account: Buffer,
    device: Uint8Array,
    isOver: (place: OwnPlace) => Promise<boolean>,
  ): Promise<OwnPlace>
  /** Makes Redis's copy anew where it is not whole. Throws where that cannot be done now. */
  ensureWhole(eventId: string): Promise<void>
}

export interface PlacesDeps {
  roomDb: Database
  roomRedis: Redis
  log: Logger
}

/** A copy of 2,000,000 places takes seconds; whoever waits that long is better told to come back. */
const PATIENCE_MS = 3_000
/** Each goes round again for one reason: the copy was lost, or a place was wrong or turned out to be over. */
const MOST_ROUNDS = 6
/** Each costs an index that is nobody's; where so many accounts were wrong, others are too, and the copy is made anew. */
const MOST_CORRECTED = 20

export function createPlaces({ roomDb, roomRedis, log }: PlacesDeps): Places {
  const kept = createKeptPlaces(roomRedis)
  const journal = createJournal(roomDb)
  const copying = createSingleFlights<void>()
  /** Of each event the last copy that had wrong places, and how many of them this process has put right. */
  const corrected = new Map<string, { copy: number; count: number }>()

  async function copyAnew(eventId: string, wrongCopy: number | null) {
    const hasRoom = await withJournalLocked(roomDb, eventId, async ({ copy, last, pages, renumber }) => {
      // Somebody else may have done it while this process waited for the lock.
      if (copy !== wrongCopy && (await kept.copyOf(eventId)) === copy) return
      const next = randomInt(1, 2 ** 31)
      await kept.rebuild(eventId, next, last, pages())
      // In the same transaction, while nobody journals: should it fail, then nothing of this copy is journalled,
      // and it is made anew.
      await renumber(next)
      log.info({ eventId, last }, 'places copied from the journal')
    })
    if (!hasRoom) throw new Error(`event ${eventId} has no room`)
  }

  /** `wrongCopy`: the journal contradicts it, however whole it looks. */
  async function copyOnce(eventId: string, wrongCopy: number | null): Promise<void> {
    const work = copying.run(eventId, () => copyAnew(eventId, wrongCopy))
    const patience = new AbortController()
    const late = sleep(PATIENCE_MS, undefined, { signal: patience.signal }).then(() => {
      throw new Error(`the places of ${eventId} are still being copied`)
    })
    late.catch(() => {})
    await Promise.race([work, late]).finally(() => patience.abort())
  }

  async function ensureWhole(eventId: string): Promise<void> {
    if ((await kept.copyOf(eventId)) === null) await copyOnce(eventId, null)
  }

  /** True where the account's entry is to be put right alone. */
  function isRare(eventId: string, copy: number): boolean {
    const known = corrected.get(eventId)
    const count = known?.copy === copy ? known.count + 1 : 1
    corrected.set(eventId, { copy, count })
    return count <= MOST_CORRECTED
  }

  return {
    ensureWhole,

    async take(eventId, account, device, isOver) {
      // What Redis is to replace, and what the journal is to end with it: not the same where one of them has done
      // it before a crash.
      let over = 0
      let replaced = 0
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const given = await kept.join(eventId, account, over)
        if (!given) {
          await copyOnce(eventId, null)
          continue
        }
        const { arrival, copy } = given
        const place: GivenPlace = { eventId, account, device, arrival, copy }
        const journalled = await (replaced > 0 && replaced !== arrival
          ? journalInsteadOf(roomDb, replaced, place)
          : journal.append(place))
        if (journalled === 'stale') {
          await copyOnce(eventId, null)
          continue
        }
        if (journalled.found) {
          const own = toOwnPlace(arrival, journalled)
          if (!(await isOver(own))) return own
          over = arrival
          replaced = own.hasLeft ? 0 : arrival
          continue
        }
        // Redis went on to a new place, and the journal was never told that the one before it is over. Else Redis
        // is wrong.
        const { live } = journalled
        if (live !== null && live < arrival && (await isOver({ arrival: live, device, hasLeft: false }))) {
          replaced = live
          continue
        }
        log.error({ eventId, arrival, live }, 'Redis gave a place that the journal does not have')
        // Without a place of its own the index is another account's: so may be those that come after it.
        if (live === null || !isRare(eventId, copy)) await copyOnce(eventId, copy)
        else await kept.correct(eventId, account, arrival, live)
      }
      throw new Error(`no place was to be had in ${MOST_ROUNDS} rounds`)
    },
  }
}

function toOwnPlace(arrival: number, { device, hasLeft }: JournalledPlace): OwnPlace {
  return { arrival, device: device as Uint8Array, hasLeft }
}
