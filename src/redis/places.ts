import type { Redis } from 'ioredis'
import { afterMs, createGatherer } from '../async/gather.ts'
import { keys } from './keys.ts'
import { script } from './scripts.ts'

/**
 * Redis's copy of the places: who has which arrival index, and which comes next. Everything throws while Redis
 * is away.
 */
export interface KeptPlaces {
  /**
   * The account's arrival index: the one it has unless that is `over`, else the next; with the number of the copy
   * that gave it. Null where this Redis does not have all of the event's places.
   */
  join(eventId: string, account: Buffer, over: number): Promise<{ arrival: number; copy: number } | null>
  /** Gives the account the place `right`, unless it has another than `wrong` by now. */
  correct(eventId: string, account: Buffer, wrong: number, right: number): Promise<void>
  /** The number of the copy where it is whole and this Redis's own; else null. */
  copyOf(eventId: string): Promise<number | null>
  /**
   * Makes the copy anew; nobody can join until it is done. `last` is the last arrival index ever given; `pages` are
   * all places in order of arrival, each as account digest and index (4 bytes, big-endian).
   */
  rebuild(eventId: string, copy: number, last: number, pages: AsyncIterable<Buffer>): Promise<void>
}

/**
 * So many that at 2,000,000 places each has about sixty, and stays the compact list that makes a place cheap:
 * 22.8 bytes a place, all told (measured, Redis 7.0; the device's digest beside the index: 30).
 */
const BUCKETS = 32_768

/** Keys in one pipeline. */
const CHUNK = 4_096

/** Joins in one call of the script: a call for each costs both sides more (bench/join.ts measures what is left). */
const TOGETHER = 256

/** How long they gather: in a crowd each turn of the event loop takes only a few, and the journal gathers for longer. */
const GATHER_MS = 4

interface Joining {
  readonly eventId: string
  readonly account: Buffer
  readonly over: number
}

type Given = { arrival: number; copy: number } | null

export function createKeptPlaces(redis: Redis): KeptPlaces {
  const joinScript = script(redis, 'join')
  const copyPlaces = script(redis, 'copyPlaces')
  const correctPlace = script(redis, 'correctPlace')
  // Not async/singleFlight.ts: the answer is kept for as long as the connection lasts.
  let run: Promise<string> | undefined
  // Behind the same address may come another server, or the same with an older copy: asked anew on every
  // connection, before the first join on it.
  redis.on('close', () => {
    run = undefined
  })

  function runId(): Promise<string> {
    if (!run) {
      const asked = redis.info('server').then((info) => /^run_id:(\w+)/m.exec(info)?.[1] as string)
      run = asked
      asked.catch(() => {
        if (run === asked) run = undefined
      })
    }
    return run
  }

  function bucketOf(eventId: string, account: Buffer): string {
    const [a = 0, b = 0] = account
    return keys.places(eventId, ((a << 8) | b) % BUCKETS)
  }

  /** Joins of one event. */
  async function joinAll(batch: readonly Joining[]): Promise<Given[]> {
    const [{ eventId }] = batch as [Joining]
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

  const join = createGatherer<Joining, Given>({
    when: afterMs(GATHER_MS),
    keyOf: ({ eventId }) => eventId,
    most: TOGETHER,
    send: joinAll,
  })

  async function clear(eventId: string): Promise<void> {
    // Without the counter there are no places either: the script and a rebuild write it first.
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

    async copyOf(eventId) {
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
      // Should another server have answered in between, then this run id is not its own, and the next join finds out.
      await redis.set(keys.placesMark(eventId), `${id}/${copy}`)
    },
  }
}
