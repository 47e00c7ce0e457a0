import type { Logger } from 'pino'
import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Database } from '../../sql/database/database.ts'
import { isSoldOut, readSale, type SaleRow } from '../../sql/sales.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../clock.ts'
import { saleIdOf } from '../ids.ts'
import type { SeatMap } from '../map/seatMap.ts'
import type { SaleCounts, SaleStateName, SaleView } from '../saleView.ts'

export interface SaleReplicaDeps {
  db: Database
  catalogue: Pick<Catalogue, 'companionSeats'>
  hub: ChannelHub
  seatMap: Pick<SeatMap, 'counts'>
  clock: Clock
  log: Logger
}

/** The oldest view that `find` returns while the database answers. */
export const KEPT_MS = 1_000
/** `find` reads in the background from this age on, so that no caller waits for a view that is too old. */
const READ_AFTER_MS = 500
/** A database that works answers sooner, however busy it is; no caller waits for one that does not. */
const PATIENCE_MS = 250
/**
 * How long the replica believes that nothing is left, as long as the map says so too. Whatever comes back is in the map at
 * once, or 2 s later by its comparison with the database. This limit is for a map that no process compares.
 */
const SOLD_OUT_MS = 30_000

interface Known {
  readonly row: SaleRow
  readonly counts: SaleCounts
  readonly soldOut: boolean
  /** The last view made of it: the clock changes its state a few times in a sale, and every fan who waits reads it. */
  view?: SaleView
}

interface Reading {
  done: Promise<void>
  /** Resolves when the read is done, has failed, or has taken too long. */
  inTime: Promise<void>
}

interface Watch {
  readonly listeners: Set<() => void>
  stop(): void
}

/** One sale in this process's memory. */
export function createSaleReplica(eventId: string, deps: SaleReplicaDeps) {
  const { db, catalogue, hub, seatMap, clock, log } = deps
  let known: Known | undefined
  let readAt = Number.NEGATIVE_INFINITY
  /** The last read failed or took too long. */
  let isAway = false
  /** A read that began before this is not good enough. */
  let notBefore = 0
  let reading: Reading | undefined
  /** When the database last said that nothing is left, and the count of the map ever since. */
  let soldOut: { at: number; available: number } | undefined
  let watch: Watch | undefined
  let isClosed = false

  async function read() {
    let startedAt: number
    do {
      startedAt = performance.now()
      const row = await readSale(db, eventId)
      known = row ? await withCounts(row) : undefined
    } while (startedAt < notBefore)
    // An event that is not there may be created at any time: the next caller reads.
    readAt = known ? startedAt : Number.NEGATIVE_INFINITY
    isAway = false
  }

  async function withCounts(row: SaleRow): Promise<Known> {
    const counts = await seatMap.counts(eventId, notBefore)
    if (row.waitlistOnly) return { row, counts, soldOut: true }
    // The map is no authority: only the database decides that a sale is sold out. The check reads every seat, so it does not
    // run each second.
    const { available, held, sold, notForSale } = counts
    const isUntouched = available > 0 && sold + notForSale === 0
    // Companion seats may be left whose wheelchair seats were sold alone.
    if (held > 0 || isUntouched || (available > 0 && available > (await catalogue.companionSeats(eventId))))
      soldOut = undefined
    else if (soldOut?.available !== available || performance.now() - soldOut.at > SOLD_OUT_MS) {
      soldOut = (await isSoldOut(db, eventId)) ? { at: performance.now(), available } : undefined
    }
    return { row, counts, soldOut: soldOut !== undefined }
  }

  /** Not async/singleFlight.ts: callers share the patience as well, with one timer for all. */
  function readOnce(): Reading {
    if (reading) return reading
    const done = read().finally(() => {
      reading = undefined
    })
    const inTime = new Promise<void>((resolve) => {
      const patience = setTimeout(() => {
        isAway = true
        resolve()
      }, PATIENCE_MS)
      done
        .catch((error) => {
          isAway = true
          log.warn({ err: error, eventId }, 'the sale cannot be read: the last known state is served')
        })
        .finally(() => {
          clearTimeout(patience)
          resolve()
        })
    })
    reading = { done, inTime }
    return reading
  }

  /** The next caller reads. */
  function forget() {
    readAt = Number.NEGATIVE_INFINITY
    notBefore = performance.now()
  }

  function view(): MaybePromise<SaleView | null> {
    if (!known) return null
    const seen = known
    return andThen(clock.now(), (now) => viewAt(now, seen))
  }

  function find(): MaybePromise<SaleView | null> {
    const age = performance.now() - readAt
    if (age > READ_AFTER_MS) {
      const { done, inTime } = readOnce()
      if (!known) return done.then(view)
      if (age > KEPT_MS && !isAway) return inTime.then(view)
    }
    return view()
  }

  function startWatch(): Watch {
    let timer: NodeJS.Timeout | undefined
    let lastSeen: string | undefined

    async function look() {
      clearTimeout(timer)
      let now: SaleView | null = null
      try {
        now = await find()
      } catch (error) {
        log.warn({ err: error, eventId }, 'the sale cannot be read')
      }
      if (now && watch === started) {
        const { counts, ...settings } = now
        const seen = JSON.stringify(settings)
        if (lastSeen !== undefined && lastSeen !== seen) for (const listener of started.listeners) listener()
        lastSeen = seen
      }
      const ms = untilNextLook(now)
      // The watch may have stopped meanwhile, or another look may have set the timer.
      if (watch !== started || isClosed) return
      clearTimeout(timer)
      timer = setTimeout(look, ms)
    }

    const stopListening = hub.listen(channels.sale(eventId), () => {
      forget()
      void look()
    })
    const started: Watch = {
      listeners: new Set(),
      stop() {
        stopListening()
        clearTimeout(timer)
        watch = undefined
      },
    }
    watch = started
    void look()
    return started
  }

  /** A second, or the time until the clock alone changes the state. */
  function untilNextLook(now: SaleView | null): number {
    const time = clock.estimate().getTime()
    const next = [now?.preQueueOpensAt, now?.opensAt, now?.endsAt]
      .map((at) => (at ? at.getTime() - time : 0))
      .filter((ms) => ms > 0)
    return Math.min(KEPT_MS, ...next.map((ms) => ms + 2))
  }

  return {
    find,

    /** Reads the sale now. Throws where it cannot be read. */
    async refresh(): Promise<SaleView | null> {
      forget()
      await readOnce().done
      return view()
    },

    /** Calls `listener` whenever settings or state change. The replica watches the sale while it has listeners. */
    onChange(listener: () => void): () => void {
      const watched = watch ?? startWatch()
      watched.listeners.add(listener)
      return () => {
        if (watched.listeners.delete(listener) && watched.listeners.size === 0) watched.stop()
      }
    },

    isInUse: () => watch !== undefined,

    close() {
      isClosed = true
      watch?.stop()
    },
  }
}

export type SaleReplica = ReturnType<typeof createSaleReplica>

function viewAt(now: Date, known: Known): SaleView {
  const { row, counts, soldOut } = known
  const state = stateOf(row, soldOut, now)
  if (known.view?.state !== state) known.view = { ...row, id: saleIdOf(row.eventId), counts, state }
  return known.view
}

/** A sale without a waiting room has no line that fans could join before it opens. */
function stateOf(sale: SaleRow, soldOut: boolean, now: Date): SaleStateName {
  if (sale.endsAt && now >= sale.endsAt) return 'ENDED'
  if (now < sale.preQueueOpensAt) return 'SCHEDULED'
  if (now < sale.opensAt) return sale.waitingRoom ? 'PRE_QUEUE' : 'SCHEDULED'
  if (soldOut) return 'SOLD_OUT'
  return sale.paused ? 'PAUSED' : 'ON_SALE'
}
