import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { liveValue } from '../../async/liveValue.ts'
import type { Database } from '../../sql/database.ts'
import { readAdmittedAgo } from '../../sql/rooms.ts'
import { type Trouble, troublesIn } from '../pacer/rate.ts'
import { countWaiting, type Room } from '../room/room.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { SaleView } from '../saleView.ts'
import { isPaused } from '../waitingRoom/position.ts'
import type { Load } from './load.ts'

/** One second of a sale, for the panel that ops watch. What is counted a second is over the last ten. */
export interface SaleMetricsView extends SaleFigures {
  readonly admissionsPerSecond: number
  readonly holdsPerSecond: number
  readonly holdsRefusedPerSecond: number
  readonly checkoutsPerSecond: number
  readonly checkoutP99Ms: number | null
}

/** Where a sale stands, from this process's memory. */
export interface SaleFigures {
  /** As old as the oldest of what it is made of: it stands still while a store is away. */
  readonly asOf: Date
  readonly waiting: number
  readonly inside: number
  readonly admittedUpTo: number
  readonly available: number
  readonly held: number
  readonly sold: number
  /** Places a second that the pacer allows now, those that ops allow at most, and why the first is lower. */
  readonly rate: number
  readonly rateCeiling: number
  readonly rateReason: string
  /** The same in a word each, of which there are few. */
  readonly rateReasons: readonly RateReason[]
}

export type RateReason =
  | Trouble
  | 'no waiting room'
  | 'paused'
  | 'scheduled'
  | 'sold out'
  | 'ended'
  | 'beacon'

export interface SaleMetrics {
  /** Null: no such event. Throws where it was never seen and cannot be read now. */
  figures(eventId: string): Promise<SaleFigures | null>
  /**
   * Once a second, made once in this process however many follow. While a store is away it goes on with what was last
   * seen, as its `asOf` tells; while nothing was ever seen it waits.
   */
  updates(eventId: string): AsyncIterableIterator<SaleMetricsView>
}

export interface SaleMetricsDeps {
  roomDb: Database
  sales: Sales
  rooms: Rooms
  load: Pick<Load, 'recent'>
  log: Logger
}

const EVERY_MS = 1_000
const WINDOW_MS = 10_000

/** What is made each second while somebody follows. */
interface Watched {
  latest?: SaleMetricsView
  followers: Set<() => void>
}

export function createSaleMetrics({ roomDb, sales, rooms, load, log }: SaleMetricsDeps): SaleMetrics {
  const watched = new Map<string, Watched>()

  async function figures(eventId: string): Promise<SaleFigures | null> {
    const sale = await sales.find(eventId)
    if (!sale) return null
    const room = sale.waitingRoom ? await rooms.room(eventId) : null
    return toFigures(sale, room)
  }

  async function keepMaking(eventId: string, watch: Watched) {
    const called = createCalled(roomDb, eventId)
    while (watch.followers.size > 0) {
      const next = sleep(EVERY_MS)
      try {
        const [now, measured] = await Promise.all([figures(eventId), load.recent(eventId)])
        if (now) watch.latest = { ...now, ...measured, admissionsPerSecond: called.perSecond(now) }
      } catch (error) {
        log.warn({ err: error, eventId }, 'the metrics of the sale cannot be made')
      }
      for (const wake of watch.followers) wake()
      await next
    }
    if (watched.get(eventId) === watch) watched.delete(eventId)
  }

  function follow(eventId: string, wake: () => void): Watched {
    let watch = watched.get(eventId)
    if (watch) watch.followers.add(wake)
    else {
      watch = { followers: new Set([wake]) }
      watched.set(eventId, watch)
      void keepMaking(eventId, watch)
    }
    return watch
  }

  return {
    figures,
    updates(eventId) {
      let watch: Watched
      return liveValue({
        listen(wake) {
          watch = follow(eventId, wake)
          return () => watch.followers.delete(wake)
        },
        read: () => watch.latest,
        backstopMs: WINDOW_MS,
      })
    },
  }
}

function toFigures(sale: SaleView, room: Room | null): SaleFigures {
  const { available, held, sold, asOf } = sale.counts
  return {
    asOf: room && room.asOf < asOf ? room.asOf : asOf,
    waiting: room ? countWaiting(room) : 0,
    inside: room?.inside ?? 0,
    admittedUpTo: room?.admittedUpTo ?? 0,
    available,
    held,
    sold,
    ...pace(sale, room),
  }
}

type Pace = Pick<SaleFigures, 'rate' | 'rateCeiling' | 'rateReason' | 'rateReasons'>

/** While nobody is called for another reason than strain the rate is 0, and that reason is told. */
function pace(sale: SaleView, room: Room | null): Pace {
  if (!room) return { rate: 0, rateCeiling: 0, ...closed('no waiting room') }
  const { rate, rateCeiling, rateReason } = room
  const reason = isPaused(sale, room) ? 'paused' : (CLOSED[sale.state] ?? waitsForBeacon(room))
  return reason
    ? { rate: 0, rateCeiling, ...closed(reason) }
    : { rate, rateCeiling, rateReason, rateReasons: troublesIn(rateReason) }
}

function waitsForBeacon({ size, seed }: Room): 'beacon' | undefined {
  return size !== null && seed === null ? 'beacon' : undefined
}

type Closed = Exclude<RateReason, Trouble>

const CLOSED: Partial<Record<SaleView['state'], Closed>> = {
  SCHEDULED: 'scheduled',
  PRE_QUEUE: 'scheduled',
  SOLD_OUT: 'sold out',
  ENDED: 'ended',
}

const SENTENCES: Readonly<Record<Closed, string>> = {
  'no waiting room': 'the sale has no waiting room: nobody is called',
  paused: 'paused',
  scheduled: 'the sale is not open yet',
  'sold out': 'sold out',
  ended: 'the sale has ended',
  beacon: 'the draw waits for its public randomness',
}

const closed = (reason: Closed) => ({ rateReason: SENTENCES[reason], rateReasons: [reason] })

/** Places called a second over the last ten, or over as much as was seen of them. */
function createCalled(roomDb: Database, eventId: string) {
  const seen: { at: number; upTo: number }[] = []
  const before = performance.now() - WINDOW_MS
  readAdmittedAgo(roomDb, eventId, WINDOW_MS / 1_000).then(
    (upTo) => seen.unshift({ at: before, upTo }),
    // Then it is known a few seconds later.
    () => {},
  )
  return {
    perSecond({ admittedUpTo: upTo }: SaleFigures): number {
      const at = performance.now()
      seen.push({ at, upTo })
      // The last one that is older than the window stays: it is what the window began with.
      while (seen[1] && seen[1].at <= at - WINDOW_MS) seen.shift()
      const [first] = seen as [{ at: number; upTo: number }]
      return first.at === at ? 0 : Math.max(0, upTo - first.upTo) / ((at - first.at) / 1_000)
    },
  }
}
