import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { liveValue } from '../../async/liveValue.ts'
import type { Database } from '../../sql/database/database.ts'
import { readAdmittedAgo } from '../../sql/room/rooms.ts'
import { type Trouble, troublesIn } from '../pacer/rate.ts'
import { countWaiting, type Room } from '../room/room.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { SaleView } from '../saleView.ts'
import { isPaused } from '../waitingRoom/position.ts'
import type { Load } from './load.ts'

/** One second of a sale, for the ops panel. Figures a second are averages over the last ten seconds. */
export interface SaleMetricsView extends SaleFigures {
  readonly admissionsPerSecond: number
  readonly holdsPerSecond: number
  readonly holdsRefusedPerSecond: number
  readonly checkoutsPerSecond: number
  readonly checkoutP99Ms: number | null
}

/** The state of a sale, from this process's memory. */
export interface SaleFigures {
  /** The time of the oldest source: it stands still while a store is away. */
  readonly asOf: Date
  readonly waiting: number
  readonly inside: number
  readonly admittedUpTo: number
  readonly available: number
  readonly held: number
  readonly sold: number
  /** Places a second that the pacer allows now, the ceiling that ops set, and why the rate is below the ceiling. */
  readonly rate: number
  readonly rateCeiling: number
  readonly rateReason: string
  /** The reasons as short words from a small set. */
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
  /** Null: there is no such event. Throws where the sale is not in memory and cannot be read. */
  figures(eventId: string): Promise<SaleFigures | null>
  /**
   * Returns the metrics once a second. The process computes them once for all subscribers. While a store is away, they
   * repeat the last figures, and `asOf` stands still. The first value waits for the first figures.
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

/** The metrics of one event, computed each second while they have subscribers. */
interface LiveMetrics {
  latest?: SaleMetricsView
  /** Wakes one subscriber each. */
  wakes: Set<() => void>
}

export function createSaleMetrics({ roomDb, sales, rooms, load, log }: SaleMetricsDeps): SaleMetrics {
  const live = new Map<string, LiveMetrics>()

  async function figures(eventId: string): Promise<SaleFigures | null> {
    const sale = await sales.find(eventId)
    if (!sale) return null
    const room = sale.waitingRoom ? await rooms.room(eventId) : null
    return toFigures(sale, room)
  }

  async function computeEachSecond(eventId: string, metrics: LiveMetrics) {
    const callRate = createCallRate(roomDb, eventId)
    while (metrics.wakes.size > 0) {
      const next = sleep(EVERY_MS)
      try {
        const [now, measured] = await Promise.all([figures(eventId), load.recent(eventId)])
        if (now) metrics.latest = { ...now, ...measured, admissionsPerSecond: callRate.perSecond(now) }
      } catch (error) {
        log.warn({ err: error, eventId }, 'the metrics of the sale cannot be computed')
      }
      for (const wake of metrics.wakes) wake()
      await next
    }
    if (live.get(eventId) === metrics) live.delete(eventId)
  }

  function follow(eventId: string, wake: () => void): LiveMetrics {
    let metrics = live.get(eventId)
    if (metrics) metrics.wakes.add(wake)
    else {
      metrics = { wakes: new Set([wake]) }
      live.set(eventId, metrics)
      void computeEachSecond(eventId, metrics)
    }
    return metrics
  }

  return {
    figures,
    updates(eventId) {
      let metrics: LiveMetrics
      return liveValue({
        listen(wake) {
          metrics = follow(eventId, wake)
          return () => metrics.wakes.delete(wake)
        },
        read: () => metrics.latest,
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

/** Returns rate 0, with its reason, while the pacer calls no place for a reason other than strain. */
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
  'no waiting room': 'the sale has no waiting room: no place is called',
  paused: 'paused',
  scheduled: 'the sale is not open yet',
  'sold out': 'sold out',
  ended: 'the sale has ended',
  beacon: 'the draw waits for its public randomness',
}

const closed = (reason: Closed) => ({ rateReason: SENTENCES[reason], rateReasons: [reason] })

/** Measures the places called a second over the last ten seconds, or since the first figure. */
function createCallRate(roomDb: Database, eventId: string) {
  const seen: { at: number; upTo: number }[] = []
  const before = performance.now() - WINDOW_MS
  readAdmittedAgo(roomDb, eventId, WINDOW_MS / 1_000).then(
    (upTo) => seen.unshift({ at: before, upTo }),
    // Without that start, the rate is exact a few seconds later.
    () => {},
  )
  return {
    perSecond({ admittedUpTo: upTo }: SaleFigures): number {
      const at = performance.now()
      seen.push({ at, upTo })
      // The last figure before the window stays: it is the value at the window's start.
      while (seen[1] && seen[1].at <= at - WINDOW_MS) seen.shift()
      const [first] = seen as [{ at: number; upTo: number }]
      return first.at === at ? 0 : Math.max(0, upTo - first.upTo) / ((at - first.at) / 1_000)
    },
  }
}
