import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { Database } from '../../sql/database/database.ts'
import { freezeLine, giveBeacon, moveOpening } from '../../sql/room/rooms.ts'
import { withOpeningLocked } from '../../sql/sales.ts'
import { badInput } from '../faults.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { SaleView } from '../saleView.ts'

export interface Opening {
  /**
   * Freezes the line for the draw, where the sale has opened and no server has frozen it yet. A fan who joins after this returned
   * comes after the draw. Cheap once it is done. Throws where it cannot be done now.
   */
  open(sale: SaleView): Promise<void>
  /** Freezes the line at the moment at which the sale opens, where that is soon. */
  expect(sale: SaleView, msToOpening: number): void
  /** Why the draw cannot take this public randomness now, as a message; null where it can, or did already. */
  beaconFault(eventId: string, beacon: string): Promise<string | null>
  /** Gives the draw its public randomness, once: the draw is made. Throws BAD_USER_INPUT with the message above. */
  revealBeacon(eventId: string, beacon: string): Promise<void>
}

export interface OpeningDeps {
  db: Database
  roomDb: Database
  sales: Pick<Sales, 'find' | 'refresh' | 'onChange'>
  rooms: Pick<Rooms, 'room' | 'refresh' | 'publishRoom'>
  log: Logger
}

/** Two polls of a waiting fan: while any fan polls, the opening is not missed. */
const SOON_MS = 30_000
/** The clocks of two databases, and this process's reckoning of them, may differ a little. */
const AGAIN_MS = 20
const MOST_TRIES = 50
/** While the room's database is away a crowd keeps polling: without this, each poll would read the sale's database. */
const AFTER_FAILURE_MS = 200

export function hasOpened({ state }: Pick<SaleView, 'state'>): boolean {
  return state !== 'SCHEDULED' && state !== 'PRE_QUEUE'
}

/**
 * The opening of a sale's line. The sale's row has its time, and the room's row has a copy, since the two may be in different
 * databases. The line is frozen when both times have come:
 *
 *  - `updateSale` locks the sale's row, changes the room's, then commits the sale's. So a later opening stops the freeze from the
 *    moment the room's row has it, and an earlier one allows it from the moment the sale's row has it.
 *  - If that commit fails, the room's row is wrong. A room's time later than the sale's would prevent the freeze for ever. So this
 *    corrects the room's row when the sale is open, with the sale's row locked.
 */
export function createOpening({ db, roomDb, sales, rooms, log }: OpeningDeps): Opening {
  const freezing = createSingleFlights<void>({ failureKeptMs: AFTER_FAILURE_MS })
  const expected = new Set<string>()

  async function freeze(eventId: string) {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const sale = await sales.refresh(eventId)
      if (!sale || !hasOpened(sale)) return
      if (await freezeLine(roomDb, eventId)) {
        log.info({ eventId }, 'the line is frozen')
        rooms.publishRoom(eventId)
      }
      const room = await rooms.refresh(eventId)
      if (!room || room.size !== null) return
      if (room.opensAt.getTime() !== sale.opensAt.getTime())
        await withOpeningLocked(db, eventId, (opensAt) => moveOpening(roomDb, eventId, opensAt))
      await sleep(AGAIN_MS)
    }
    throw new Error(`the sale of ${eventId} is open, and its line could not be frozen`)
  }

  async function open(sale: SaleView): Promise<void> {
    if (!hasOpened(sale)) return
    const room = await rooms.room(sale.eventId)
    if (room && room.size === null) await freezing.run(sale.eventId, () => freeze(sale.eventId))
  }

  async function beaconFault(eventId: string, beacon: string): Promise<string | null> {
    const room = await rooms.refresh(eventId)
    if (!room?.beaconSource) return 'this sale named no source of public randomness: its draw takes none'
    if (room.size === null)
      return 'the line is not frozen yet: the draw takes public randomness only after that'
    if (room.beacon !== '' && room.beacon !== beacon)
      return 'another value was given already, and the draw is made'
    return null
  }

  return {
    open,
    beaconFault,

    async revealBeacon(eventId, beacon) {
      if (await giveBeacon(roomDb, eventId, beacon)) {
        log.info({ eventId, beacon }, 'the draw is made')
        rooms.publishRoom(eventId)
      }
      // Of two values that come at the same time the first one stands.
      const fault = await beaconFault(eventId, beacon)
      if (fault) throw badInput({ path: ['input', 'beacon'], message: fault })
    },

    expect({ eventId }, msToOpening) {
      if (msToOpening > SOON_MS || expected.has(eventId)) return
      const look = async () => {
        const sale = await sales.find(eventId)
        if (sale) await open(sale)
      }
      // This listener is called at the moment at which the sale opens, also after that time was moved.
      const stop = sales.onChange(eventId, () => {
        look().catch((error) => log.warn({ err: error, eventId }, 'the line could not be frozen'))
      })
      expected.add(eventId)
      const done = () => {
        expected.delete(eventId)
        stop()
      }
      setTimeout(done, Math.max(0, msToOpening) + SOON_MS).unref()
    },
  }
}
