import type { Logger } from 'pino'
import { liveValue } from '../../async/liveValue.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Database } from '../../sql/database.ts'
import { isSoldOut, readActiveSales, readSale, type SaleRow } from '../../sql/sales.ts'
import type { Clock } from '../clock.ts'
import type { Catalogue } from '../events/catalogue.ts'
import { isEventId } from '../ids.ts'
import type { SaleCounts, SeatMap } from '../map/seatMap.ts'
import type { SaleStateName } from '../refusals.ts'
import type { Rooms } from '../room/rooms.ts'

/** A sale's settings, where it stands, and what is left of it. */
export interface SaleView extends SaleRow {
  readonly state: SaleStateName
  readonly counts: SaleCounts
}

export interface Sales {
  /**
   * At most a second old in each process; while the database is away or does not answer, as it was last seen, since
   * everybody who waits asks this, and holds and payments go by the rows themselves. Null: no such event.
   */
  find(eventId: string): Promise<SaleView | null>
  /** The same without waiting, where it is fresh in memory; null where only `find` can tell. */
  fresh(eventId: string): SaleView | null
  /** Read now, and waited for: for whoever has just changed the sale. Throws where it cannot be read. */
  refresh(eventId: string): Promise<SaleView | null>
  /** The sale now, then each change of it or of its waiting room; of its counts, one a second. */
  updates(eventId: string): AsyncIterableIterator<SaleView>
  /** Told whenever settings or state change; the sale is watched as long as somebody listens. */
  onChange(eventId: string, listener: () => void): () => void
  /** Events whose room or sale is open: what jobs run for. */
  active(): Promise<string[]>
  close(): void
}

export interface SalesDeps {
  db: Database
  catalogue: Pick<Catalogue, 'event'>
  hub: ChannelHub
  seatMap: Pick<SeatMap, 'counts'>
  rooms: Pick<Rooms, 'onNews'>
  clock: Clock
  log: Logger
}

const KEPT_MS = 1_000
/** Read anew before it is too old, so that of all who ask nobody waits. */
const READ_AFTER_MS = 500
/** A database that lives answers sooner, however busy; nobody waits for one that does not. */
const PATIENCE_MS = 250
/**
 * How long it is believed that nothing is left while the map says so too. Whatever comes back is in the map at
 * once, or 2 s later by its comparison with the database; this is for a map that nobody compares.
 */
const SOLD_OUT_MS = 30_000
const SALES_IN_MEMORY = 256

interface Known {
  row: SaleRow
  counts: SaleCounts
  soldOut: boolean
  /** As it was last told: the clock changes it a few times in a sale, and everybody who waits asks for it. */
  view?: SaleView
}

interface Entry {
  known?: Known
  readAt: number
  /** The last read failed or took too long. */
  isAway?: boolean
  /** What was read before this is not good enough. */
  notBefore: number
  reading?: Reading
  /** When the database last said that nothing is left, and what the map has said of it ever since. */
  soldOut?: { at: number; available: number }
  watch?: Watch
}

interface Reading {
  done: Promise<void>
  /** When it is done, has failed, or has taken too long. */
  inTime: Promise<void>
}

interface Watch {
  listeners: Set<() => void>
  timer?: NodeJS.Timeout
  told?: string
  stop(): void
}

export function createSales({ db, catalogue, hub, seatMap, rooms, clock, log }: SalesDeps): Sales {
  const entries = new Map<string, Entry>()
  let latest: string | undefined
  let closed = false

  function entryOf(eventId: string): Entry {
    const known = eventId === latest ? entries.get(eventId) : undefined
    if (known) return known
    latest = eventId
    const entry = entries.get(eventId) ?? { readAt: Number.NEGATIVE_INFINITY, notBefore: 0 }
    entries.delete(eventId)
    entries.set(eventId, entry)
    if (entries.size > SALES_IN_MEMORY) {
      for (const [id, { watch }] of entries) {
        if (watch) continue
        entries.delete(id)
        break
      }
    }
    return entry
  }

  async function read(eventId: string, entry: Entry) {
    let readAt: number
    do {
      readAt = performance.now()
      const row = await readSale(db, eventId)
      entry.known = row ? await withCounts(row, entry) : undefined
    } while (readAt < entry.notBefore)
    entry.readAt = readAt
    entry.isAway = false
  }

  async function withCounts(row: SaleRow, entry: Entry): Promise<Known> {
    const counts = await seatMap.counts(row.eventId, entry.notBefore)
    if (row.waitlistOnly) return { row, counts, soldOut: true }
    // The map is no authority: that nothing is left is only said of what the database says. It looks at every
    // seat to say so, and is not asked each second.
    const { available, held } = counts
    // Companion seats may be left whose wheelchair seats went alone.
    const left = (await catalogue.event(row.eventId))?.companionSeats ?? 0
    if (held > 0 || available > left) entry.soldOut = undefined
    else if (entry.soldOut?.available !== available || performance.now() - entry.soldOut.at > SOLD_OUT_MS) {
      entry.soldOut = (await isSoldOut(db, row.eventId)) ? { at: performance.now(), available } : undefined
    }
    return { row, counts, soldOut: entry.soldOut !== undefined }
  }

  function readOnce(eventId: string, entry: Entry): Reading {
    if (entry.reading) return entry.reading
    const done = read(eventId, entry).finally(() => {
      entry.reading = undefined
    })
    const inTime = new Promise<void>((resolve) => {
      const patience = setTimeout(() => {
        entry.isAway = true
        resolve()
      }, PATIENCE_MS)
      done
        .catch((error) => {
          entry.isAway = true
          log.warn({ err: error, eventId }, 'the sale cannot be read: told as it was last seen')
        })
        .finally(() => {
          clearTimeout(patience)
          resolve()
        })
    })
    entry.reading = { done, inTime }
    return entry.reading
  }

  async function find(eventId: string): Promise<SaleView | null> {
    if (!isEventId(eventId)) return null
    const entry = entryOf(eventId)
    const age = performance.now() - entry.readAt
    if (age > READ_AFTER_MS) {
      const { done, inTime } = readOnce(eventId, entry)
      if (!entry.known) await done
      else if (age > KEPT_MS && !entry.isAway) await inTime
    }
    return view(eventId, entry)
  }

  async function view(eventId: string, entry: Entry): Promise<SaleView | null> {
    if (!entry.known) {
      entries.delete(eventId)
      return null
    }
    return viewAt(await clock.now(), entry.known)
  }

  function viewAt(now: Date, known: Known): SaleView {
    const { row, counts, soldOut } = known
    const state = stateOf(row, soldOut, now)
    if (known.view?.state !== state) known.view = { ...row, counts, state }
    return known.view
  }

  function fresh(eventId: string): SaleView | null {
    const entry = entries.get(eventId)
    // Where it was told before, the clock is known.
    if (!entry?.known?.view || performance.now() - entry.readAt > READ_AFTER_MS) return null
    return viewAt(clock.known(), entry.known)
  }

  function watch(eventId: string): Watch {
    const entry = entryOf(eventId)
    if (entry.watch) return entry.watch
    const started: Watch = {
      listeners: new Set(),
      stop() {
        stopListening()
        clearTimeout(started.timer)
        entry.watch = undefined
      },
    }
    entry.watch = started
    const look = async () => {
      clearTimeout(started.timer)
      let view: SaleView | null = null
      try {
        view = await find(eventId)
      } catch (error) {
        log.warn({ err: error, eventId }, 'the sale cannot be read')
      }
      if (view && entry.watch === started) {
        const { counts, ...settings } = view
        const now = JSON.stringify(settings)
        if (started.told !== undefined && started.told !== now)
          for (const listener of started.listeners) listener()
        started.told = now
      }
      const ms = await untilNextLook(view)
      // It may have been stopped meanwhile, or another look may have set the timer.
      if (entry.watch !== started || closed) return
      clearTimeout(started.timer)
      started.timer = setTimeout(look, ms)
    }
    const stopListening = hub.listen(channels.sale(eventId), () => {
      forget(entry)
      void look()
    })
    void look()
    return started
  }

  /** Every second, and at the very moment at which the clock alone changes the state. */
  async function untilNextLook(view: SaleView | null): Promise<number> {
    const now = (await clock.now().catch(() => new Date())).getTime()
    const next = [view?.preQueueOpensAt, view?.opensAt, view?.endsAt]
      .map((at) => (at ? at.getTime() - now : 0))
      .filter((ms) => ms > 0)
    return Math.min(KEPT_MS, ...next.map((ms) => ms + 2))
  }

  /** The next look reads anew. */
  function forget(entry: Entry) {
    entry.readAt = Number.NEGATIVE_INFINITY
    entry.notBefore = performance.now()
  }

  function onChange(eventId: string, listener: () => void): () => void {
    const watched = watch(eventId)
    watched.listeners.add(listener)
    return () => {
      if (watched.listeners.delete(listener) && watched.listeners.size === 0) watched.stop()
    }
  }

  return {
    find,
    fresh,
    async refresh(eventId) {
      if (!isEventId(eventId)) return null
      const entry = entryOf(eventId)
      forget(entry)
      await readOnce(eventId, entry).done
      return view(eventId, entry)
    },
    onChange,

    updates(eventId) {
      let told: string | undefined
      let roomChanges = 0
      return liveValue({
        listen(wake) {
          const stopSale = onChange(eventId, wake)
          const stopRoom = rooms.onNews(eventId, () => {
            roomChanges++
            wake()
          })
          return () => {
            stopSale()
            stopRoom()
          }
        },
        async read() {
          const view = await find(eventId)
          if (!view) return undefined
          const { asOf: _, ...counts } = view.counts
          const now = JSON.stringify({ ...view, counts, roomChanges })
          if (now === told) return undefined
          told = now
          return view
        },
        backstopMs: KEPT_MS,
      })
    },

    active: () => readActiveSales(db),

    close() {
      closed = true
      for (const { watch } of entries.values()) watch?.stop()
    },
  }
}

/** A sale without a waiting room has no line that could be joined before it opens. */
function stateOf(sale: SaleRow, soldOut: boolean, now: Date): SaleStateName {
  if (sale.endsAt && now >= sale.endsAt) return 'ENDED'
  if (now < sale.preQueueOpensAt) return 'SCHEDULED'
  if (now < sale.opensAt) return sale.waitingRoom ? 'PRE_QUEUE' : 'SCHEDULED'
  if (soldOut) return 'SOLD_OUT'
  return sale.paused ? 'PAUSED' : 'ON_SALE'
}
