import type { Logger } from 'pino'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { Database } from '../../sql/database/database.ts'
import { countSearches, type History, readHistory } from '../../sql/ops/history.ts'
import { countCrowd } from '../../sql/room/admissions.ts'
import { advanceRoom } from '../../sql/room/advance.ts'
import { readAdmittedAgo } from '../../sql/room/rooms.ts'
import { countWaiting } from '../room/room.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { Opening } from '../waitingRoom/opening.ts'
import type { Places } from '../waitingRoom/places.ts'
import {
  allowanceOf,
  callUpTo,
  countUnderWay,
  paceStep,
  seatsPerPlace,
  shareUnpaid,
  shareUnpaidLate,
  ticketsPerOrder,
} from './pace.ts'
import { nextRate, rateInForce, type Strain } from './rate.ts'
import { advanceChances, countSearching, MARKS, type Searches } from './searching.ts'

export interface Tick {
  /** The number of places that were called. */
  readonly called: number
  readonly admittedUpTo: number
}

export interface Pacer {
  /**
   * Makes one tick of an event's pacer. Any number of processes may tick: in any second only one of them changes anything.
   *
   * Returns null where there was nothing to do, or where another pacer has done it. Throws while the room's Redis or a
   * database is away: then no place is called, and later ticks do not make up for it.
   */
  tick(eventId: string): Promise<Tick | null>
}

export interface PacerDeps {
  db: Database
  roomDb: Database
  sales: Sales
  rooms: Rooms
  places: Places
  opening: Opening
  load: { recent(eventId: string): Promise<Strain & { readonly limitedAccounts?: readonly string[] }> }
  log: Logger
}

/** Ticks are at least 0.9 s apart, and usually a second. After a lost tick fewer seconds of chances count. */
const TICK_SECONDS = 1
/** A called place that is not in yet counts as under way for this long. */
const UNDER_WAY_SECONDS = 30
/** The share that comes in is measured over this many called places. */
const SHARE_WINDOW = 300
/** Reading the history costs a scan of every order and hold of the event, and the history changes slowly. */
const HISTORY_KEPT_MS = 5_000

export function createPacer({ db, roomDb, sales, rooms, places, opening, load, log }: PacerDeps): Pacer {
  const histories = createSingleFlights<History & Searches>({ keptMs: HISTORY_KEPT_MS })

  async function readHistoryAndSearches(
    eventId: string,
    marks: readonly Date[],
  ): Promise<History & Searches> {
    const [results, searches] = await Promise.all([
      readHistory(db, eventId),
      countSearches(db, eventId, marks, marks.length < MARKS ? null : (marks[0] as Date)),
    ])
    return { ...results, ...searches }
  }

  async function tick(eventId: string): Promise<Tick | null> {
    const sale = await sales.find(eventId)
    if (!sale?.waitingRoom || sale.state === 'SCHEDULED' || sale.state === 'ENDED') return null
    await opening.open(sale)
    // Repairs Redis's copy of the places before the next fan needs it.
    await places.ensureWhole(eventId)
    if (sale.state === 'PRE_QUEUE') return null
    const room = await rooms.refreshWithPlaces(eventId)
    // Before the draw there is no place to call.
    if (!room?.places) return null

    // A fan whose turn has lapsed does not come in any more.
    const underWaySeconds = Math.min(UNDER_WAY_SECONDS, sale.turnSeconds)
    const calledBefore = await readAdmittedAgo(roomDb, eventId, underWaySeconds)
    const abandoned = room.abandoned.arrivals(calledBefore, room.admittedUpTo)
    const reading = load.recent(eventId)
    const [crowd, history, strain] = await Promise.all([
      reading.then(({ limitedAccounts = [] }) =>
        countCrowd(db, {
          eventId,
          calledBefore,
          window: SHARE_WINDOW,
          abandoned,
          marks: room.chanceMarks,
          limitedAccounts,
        }),
      ),
      histories.run(eventId, () => readHistoryAndSearches(eventId, room.chanceMarks)),
      reading,
    ])
    const rate = nextRate(room, strain, room.asOf)
    const { counts } = sale
    const waiting = countWaiting(room)
    const isOpen = sale.state === 'ON_SALE' && !room.paused
    const came = {
      calledRecently: Math.max(0, room.admittedUpTo - calledBefore - abandoned.length),
      cameRecently: crowd.cameLately,
      called: Math.min(calledBefore, SHARE_WINDOW),
      came: crowd.cameBefore,
    }
    const searching = countSearching(crowd.searchers, history)
    const step = paceStep({
      available: counts.available,
      returning:
        crowd.runningOut * shareUnpaidLate({ late: history.holdsLate, lateUnpaid: history.holdsLateUnpaid }),
      orders: history.orders,
      tickets: history.tickets,
      searching,
      ...came,
      waiting,
      allowance: isOpen ? allowanceOf(rateInForce(rate), room.tick) : 0,
      shoppersPerOrder: sale.shoppersPerOrder,
    })
    const unpaidShare = shareUnpaid({ ended: history.holdsEnded, unpaid: history.holdsUnpaid })
    const measured = {
      inside: crowd.inside,
      unpaidShare,
      seatsPerPlace: seatsPerPlace({
        taken: counts.sold + counts.held * (1 - unpaidShare),
        called: Math.max(0, room.admittedUpTo - countUnderWay(came) - searching),
      }),
    }
    const orders = sale.state === 'ON_SALE' ? Math.ceil(counts.available / ticketsPerOrder(history)) : 0
    const chances = advanceChances(
      { seconds: room.chances, marks: room.chanceMarks },
      TICK_SECONDS,
      { orders, searching },
      room.asOf,
    )
    const advanced = await advanceRoom(roomDb, {
      eventId,
      seen: room.tick,
      admittedUpTo: callUpTo(room.admittedUpTo, step, room.joined, room.abandoned),
      called: step,
      working: isOpen && waiting > 0,
      ...measured,
      rateCeiling: room.rateCeiling,
      cutTo: rate.cutTo,
      rateReason: rate.rateReason,
      rateChangedAt: rate.rateChangedAt,
      troubledRate: rate.troubledRate,
      cutAt: rate.cutAt,
      chances: chances.seconds,
      chanceMarks: chances.marks,
    })
    if (!advanced) return null
    if (rateInForce(rate) !== room.rate) {
      const { rateCeiling, rateReason } = advanced
      log.warn({ eventId, rate: advanced.rate, rateCeiling, rateReason }, 'the rate of admission changed')
    }
    rooms.publishTick({ ...advanced, eventId, joined: room.joined, ...measured })
    return { called: step, admittedUpTo: advanced.admittedUpTo }
  }

  return { tick }
}
