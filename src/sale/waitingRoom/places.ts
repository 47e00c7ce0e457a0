import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createSingleFlights } from '../../async/singleFlight.ts'
import { createRedisPlaces } from '../../redis/places.ts'
import type { Database } from '../../sql/database/database.ts'
import {
  createJournal,
  type GivenPlace,
  type JournalledPlace,
  journalInsteadOf,
} from '../../sql/room/journal.ts'
import { withJournalLocked } from '../../sql/room/journalCopy.ts'

/** A place as the journal has it. */
export interface OwnPlace {
  readonly arrival: number
  /** The digest of the device that the place is bound to. */
  readonly device: Uint8Array
  readonly hasLeft: boolean
}

/**
 * The line. Redis assigns the arrival indexes; the journal in PostgreSQL decides. The service rebuilds Redis's copy from the
 * journal where Redis lost data or came back with old data, and corrects a single wrong place alone. The journal refuses
 * an index that was assigned twice, and an account's second place.
 */
export interface Places {
  /**
   * Returns the account's journalled place: the one that it has, else a new one for `device` at the end. A place for which
   * `isOver` returns true is replaced once, however many callers find it over.
   *
   * Throws while Redis or the room's database is away, and while the copy is still being rebuilt.
   */
  take(
    eventId: string,
    account: Buffer,
    device: Uint8Array,
    isOver: (place: OwnPlace) => Promise<boolean>,
  ): Promise<OwnPlace>
  /** Rebuilds Redis's copy where it is not complete. Throws where it cannot be rebuilt now. */
  ensureWhole(eventId: string): Promise<void>
}

export interface PlacesDeps {
  roomDb: Database
  roomRedis: Redis
  log: Logger
}

/** Copying 2,000,000 places takes seconds. A caller that has waited this long gets an error, and its client retries. */
const REBUILD_WAIT_MS = 3_000
/** Each further round has one reason: the copy was lost, or the place was wrong, or the place was over. */
const MOST_ROUNDS = 6
/**
 * Each correction wastes one arrival index. Where this many accounts were wrong, others are wrong too, and the copy is
 * rebuilt.
 */
const MOST_CORRECTED = 20

export function createPlaces({ roomDb, roomRedis, log }: PlacesDeps): Places {
  const redisPlaces = createRedisPlaces(roomRedis)
  const journal = createJournal(roomDb)
  const rebuilds = createSingleFlights<void>()
  /** For each event: the last copy that had wrong places, and the number of them that this process has corrected. */
  const corrected = new Map<string, { copy: number; count: number }>()

  async function rebuild(eventId: string, wrongCopy: number | null) {
    const hasRoom = await withJournalLocked(roomDb, eventId, async ({ copy, last, pages, renumber }) => {
      // Another process may have rebuilt the copy while this one waited for the lock.
      if (copy !== wrongCopy && (await redisPlaces.copyNumber(eventId)) === copy) return
      const next = randomInt(1, 2 ** 31)
      await redisPlaces.rebuild(eventId, next, last, pages())
      // In the same transaction, while no process can journal a place. If the commit fails, the journal refuses every place
      // of this copy, and the copy is rebuilt.
      await renumber(next)
      log.info({ eventId, last }, 'places copied from the journal')
    })
    if (!hasRoom) throw new Error(`event ${eventId} has no room`)
  }

  /** `wrongCopy`: the number of a copy that the journal contradicts, even if its mark says that it is complete. */
  async function rebuildOnce(eventId: string, wrongCopy: number | null): Promise<void> {
    const work = rebuilds.run(eventId, () => rebuild(eventId, wrongCopy))
    const waiting = new AbortController()
    const late = sleep(REBUILD_WAIT_MS, undefined, { signal: waiting.signal }).then(() => {
      throw new Error(`the places of ${eventId} are still being copied`)
    })
    late.catch(() => {})
    await Promise.race([work, late]).finally(() => waiting.abort())
  }

  async function ensureWhole(eventId: string): Promise<void> {
    if ((await redisPlaces.copyNumber(eventId)) === null) await rebuildOnce(eventId, null)
  }

  /** True where so few places of the copy were wrong that the account's is corrected alone. */
  function isRare(eventId: string, copy: number): boolean {
    const known = corrected.get(eventId)
    const count = known?.copy === copy ? known.count + 1 : 1
    corrected.set(eventId, { copy, count })
    return count <= MOST_CORRECTED
  }

  return {
    ensureWhole,

    async take(eventId, account, device, isOver) {
      // The arrival index that Redis has to replace, and the one whose place the journal has to end with it. They differ
      // where one of the two stores made the change before a crash, and the other did not.
      let over = 0
      let replaced = 0
      for (let round = 0; round < MOST_ROUNDS; round++) {
        const given = await redisPlaces.join(eventId, account, over)
        if (!given) {
          await rebuildOnce(eventId, null)
          continue
        }
        const { arrival, copy } = given
        const place: GivenPlace = { eventId, account, device, arrival, copy }
        const journalled = await (replaced > 0 && replaced !== arrival
          ? journalInsteadOf(roomDb, replaced, place)
          : journal.append(place))
        if (journalled === 'stale') {
          await rebuildOnce(eventId, null)
          continue
        }
        if (journalled.found) {
          const own = toOwnPlace(arrival, journalled)
          if (!(await isOver(own))) return own
          over = arrival
          replaced = own.hasLeft ? 0 : arrival
          continue
        }
        // Where the journal's place is over, Redis has assigned a new index, and the server crashed before it journalled
        // that. Else Redis is wrong.
        const { live } = journalled
        if (live !== null && live < arrival && (await isOver({ arrival: live, device, hasLeft: false }))) {
          replaced = live
          continue
        }
        log.error({ eventId, arrival, live }, 'Redis assigned a place that the journal does not have')
        // If the account has no place in the journal, the index belongs to another account. The next indexes may, too.
        if (live === null || !isRare(eventId, copy)) await rebuildOnce(eventId, copy)
        else await redisPlaces.correct(eventId, account, arrival, live)
      }
      throw new Error(`no place could be taken in ${MOST_ROUNDS} rounds`)
    },
  }
}

function toOwnPlace(arrival: number, { device, hasLeft }: JournalledPlace): OwnPlace {
  return { arrival, device: device as Uint8Array, hasLeft }
}
