import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import * as sql from '../../sql/holds/blocks.ts'
import { readPriceLevels } from '../../sql/plans.ts'
import type { Account } from '../caller.ts'
import type { Catalogue, CatalogueEvent } from '../catalogue/catalogue.ts'
import { changeableEvent } from '../catalogue/ownership.ts'
import { planId } from '../ids.ts'
import { createInputFaults, type InputFaults } from '../inputFaults.ts'

export interface BlockRequest {
  eventId: string
  /** Seat ids or the plan's keys, in any order. Units of general admission have neither. */
  seats: readonly string[]
  reason: string
}

/** Seat ids, in the plan's order. A seat that already had the requested state is in neither list. */
export interface BlockView {
  readonly changed: string[]
  /** Held or sold seats, left as they are. */
  readonly refused: string[]
}

export interface Blocks {
  /**
   * Takes seats off sale (house seats, cameras, kills), and returns the seats that it changed and refused. Writes an
   * audit entry with the reason, even if no seat changed. Throws BAD_USER_INPUT.
   */
  block(account: Account, request: BlockRequest): Promise<BlockView>
  /** Puts blocked seats back on sale; otherwise like `block`. Refuses seats of a category without a price. */
  unblock(account: Account, request: BlockRequest): Promise<BlockView>
}

export interface BlocksDeps {
  db: Database
  catalogue: Catalogue
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
}

/** As many as a whole stand has. */
const MAX_SEATS = 10_000

export function createBlocks({ db, catalogue, seatMap }: BlocksDeps): Blocks {
  /** Adds a fault for each seat without a price: it would be sold for nothing. */
  async function checkPrices(event: CatalogueEvent, named: ReadonlyMap<number, number>, faults: InputFaults) {
    const unpriced = new Set(
      (await readPriceLevels(db, event.id)).flatMap(({ no, priced }) =>
        priced ? [] : planId('lvl', event.id, no),
      ),
    )
    if (unpriced.size === 0) return
    for (const [no, i] of named)
      if (unpriced.has(event.seat(no)?.priceLevelId ?? ''))
        faults.add(['input', 'seats', i], 'has no price: set one for its category with updateSale first')
  }

  async function change(account: Account, request: BlockRequest, blocked: boolean): Promise<BlockView> {
    const { event, seatNos } = await check(account, request, blocked)
    const { changed, refused } = await sql.blockSeats(
      db,
      event.id,
      seatNos,
      blocked,
      (changedNos, refusedNos) => ({
        eventId: event.id,
        accountId: account.id,
        action: blocked ? 'blockSeats' : 'unblockSeats',
        subject: event.id,
        detail: {
          reason: request.reason,
          changed: changedNos.map(event.seatId),
          refused: refusedNos.map(event.seatId),
        },
      }),
    )
    seatMap.publish(event.id, [...changed])
    return { changed: changed.map(({ seatNo }) => event.seatId(seatNo)), refused: refused.map(event.seatId) }
  }

  async function check(account: Account, { eventId, seats, reason }: BlockRequest, blocked: boolean) {
    const faults = createInputFaults()
    const event = await changeableEvent({ db, catalogue }, account, eventId)
    if (!event) faults.add(['input', 'eventId'], 'is not the id of an event')
    faults.text(['input', 'reason'], reason)
    const named = new Map<number, number>()
    if (seats.length === 0 || seats.length > MAX_SEATS) {
      faults.add(['input', 'seats'], `must name 1 to ${MAX_SEATS} seats`)
    } else if (event) {
      for (const [i, seat] of seats.entries()) {
        const no = event.seatNo(seat)
        if (no === undefined) faults.add(['input', 'seats', i], 'is not a seat of this event')
        else named.set(no, i)
      }
      if (!blocked) await checkPrices(event, named, faults)
    }
    faults.throwAny()
    return { event: event as NonNullable<typeof event>, seatNos: [...named.keys()].sort((a, b) => a - b) }
  }

  return {
    block: (account, request) => change(account, request, true),
    unblock: (account, request) => change(account, request, false),
  }
}
