import type { Redis } from 'ioredis'
import { afterMs, createGatherer } from '../async/gather.ts'
import { keys } from './keys.ts'
import { createRunIdReader } from './runId.ts'
import { script } from './scripts.ts'

/**
 * Redis's copy of the places: the arrival index of each account, and the next index. Every method throws while Redis is
 * away.
 */
export interface RedisPlaces {
  /**
   * Returns the account's arrival index, and the number of the copy that it comes from. The index is the one that the
   * account has, unless that is `over`; else the next one. Null where this Redis does not have all places of the event.
   */
  join(eventId: string, account: Buffer, over: number): Promise<{ arrival: number; copy: number } | null>
  /** Replaces the account's arrival index `wrong` by `right`. Does nothing where the account has another index by now. */
  correct(eventId: string, account: Buffer, wrong: number, right: number): Promise<void>
  /** Returns the number of the copy, where the copy is complete and this Redis's own; else null. */
  copyNumber(eventId: string): Promise<number | null>
  /**
   * Rebuilds the copy. No account can join until it is complete. `last` is the last arrival index that was ever assigned;
   * `pages` are all places in order of arrival, each as account digest and index (4 bytes, big-endian).
   */
  rebuild(eventId: string, copy: number, last: number, pages: AsyncIterable<Buffer>): Promise<void>
}

/**
 * With 2,000,000 places each bucket has about sixty. At that size Redis stores a hash as a compact list, which makes a
 * place cheap: `bench/memory.ts`.
 */
const BUCKETS = 32_768

/** Keys in one pipeline. */
const CHUNK = 4_096

/** Joins in one call of the script. A call for each join costs both sides more: `bench/join.ts`. */
const BATCH = 256

/**
 * How long joins wait to be sent together. One pass of the event loop receives only a few joins of a crowd, and the journal
 * waits longer than this anyway.
 */
const BATCH_WINDOW_MS = 4

interface PendingJoin {
  readonly eventId: string
  readonly account: Buffer
  readonly over: number
}

type AssignedPlace = { arrival: number; copy: number } | null

export function createRedisPlaces(redis: Redis): RedisPlaces {
  const joinScript = script(redis, 'join')
  const copyPlaces = script(redis, 'copyPlaces')
  const correctPlace = script(redis, 'correctPlace')
  const runId = createRunIdReader(redis)

  function bucketOf(eventId: string, account: Buffer): string {
    const [a = 0, b = 0] = account
    return keys.places(eventId, ((a << 8) | b) % BUCKETS)
  }

  /** Joins of one event. */
  async function joinBatch(batch: readonly PendingJoin[]): Promise<AssignedPlace[]> {
    const [{ eventId }] = batch as [PendingJoin]
    const id = await runId()
    const placeKeys = [keys.placesMark(eventId), keys.arrivals(eventId)]
    const args: (string | number | Buffer)[] = [id]
    for (const { account, over } of batch) {
      placeKeys.push(bucketOf(eventId, account))
      args.push(account, over)
    }
    const [copy, ...arrivals] = (await joinScript(placeKeys, args)) as number[]
    return batch.map((_, i) => (copy === undefined ? null : { arrival: arrivals[i] as number, copy }))
  }

  const join = createGatherer<PendingJoin, AssignedPlace>({
    when: afterMs(BATCH_WINDOW_MS),
    keyOf: ({ eventId }) => eventId,
    windowPerKey: true,
    most: BATCH,
    send: joinBatch,
  })

  async function clear(eventId: string): Promise<void> {
    // Without the counter there are no places: the script and `rebuild` write the counter first.
    if ((await redis.exists(keys.arrivals(eventId))) === 0) return
    for (let from = 0; from < BUCKETS; from += CHUNK) {
      const buckets = Array.from({ length: CHUNK }, (_, i) => keys.places(eventId, from + i))
      await redis.unlink(...buckets)
    }
  }

  return {
    join: (eventId, account, over) => join({ eventId, account, over }),

    async correct(eventId, account, wrong, right) {
      await correctPlace([bucketOf(eventId, account)], [account, wrong, right])
    },

    async copyNumber(eventId) {
      const id = await runId()
      const [marked, copy] = (await redis.get(keys.placesMark(eventId)))?.split('/') ?? []
      return marked === id ? Number(copy) : null
    },

    async rebuild(eventId, copy, last, pages) {
      const id = await runId()
      await redis.del(keys.placesMark(eventId))
      await clear(eventId)
      await redis.set(keys.arrivals(eventId), last)
      for await (const page of pages) await copyPlaces([keys.placesMark(eventId)], [BUCKETS, page])
      // Where another server took over in between, this run id is not its own, and the next join returns null.
      await redis.set(keys.placesMark(eventId), `${id}/${copy}`)
    },
  }
}
