import type { MaybePromise } from '../../async/maybePromise.ts'
import type { Database } from '../../sql/database/database.ts'
import { readTurn } from '../../sql/room/places.ts'
import type { Admissions } from '../admission/admissions.ts'
import type { Account } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { queueTokenInvalid } from '../faults.ts'
import { placeOf, type Room } from '../room/room.ts'
import type { SaleView } from '../saleView.ts'
import { isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims } from '../tokens/tokens.ts'
import { hasOpened, type Opening } from './opening.ts'
import { outlookOf, pollAfter, pollBeforeOpening, roughWait, type StateView } from './position.ts'
import { hasLapsed, type Turns } from './turns.ts'

export interface QueueStates {
  /**
   * The state of a place. It comes from memory and at once for a place that has its number and was not called. A called place is
   * admitted where its account asks; with `account` null its turn is not taken.
   *
   * Throws QUEUE_TOKEN_INVALID where the place has moved to another device, and OVERLOADED where it cannot be admitted now.
   */
  of(claims: QueueClaims, sale: SaleView, room: Room | null, account: Account | null): MaybePromise<StateView>
  /** A place is over when it was given up, or its turn or admission has ended. Before the draw no place is over. */
  isOver(
    sale: SaleView,
    room: Room,
    accountId: string,
    place: { arrival: number; hasLeft: boolean },
  ): Promise<boolean>
}

export interface QueueStatesDeps {
  roomDb: Database
  admissions: Admissions
  opening: Opening
  turns: Turns
  clock: Clock
}

export function createQueueStates(deps: QueueStatesDeps): QueueStates {
  const { roomDb, admissions, opening, turns, clock } = deps

  /** Null for a place before the draw, and for a called one. */
  function uncalled(claims: QueueClaims, sale: SaleView, room: Room | null): StateView | null {
    const change = room?.changed.get(claims.arrival)
    if (change && !isSameDigest(change.device, claims.device)) throw queueTokenInvalid()
    if (change?.hasLeft) return { state: 'FINISHED' }
    if (sale.state === 'ENDED') return { state: 'ENDED' }
    if (!sale.waitingRoom) return { state: sale.state === 'SOLD_OUT' ? 'SOLD_OUT' : 'OPEN' }
    // The server issued such a token while the event had no room: it stands for no place in this one.
    if (!room || claims.arrival === 0) throw queueTokenInvalid()
    const place = placeOf(room, claims.arrival)
    if (sale.state === 'SOLD_OUT' && place === null) return { state: 'SOLD_OUT' }
    if (!hasOpened(sale) || place === null || place <= room.admittedUpTo) return null
    if (sale.state === 'SOLD_OUT') return { state: 'SOLD_OUT', place }
    return {
      state: 'WAITING',
      place,
      position: place - room.admittedUpTo,
      ...outlookOf(sale, room, place),
      pollAfterSeconds: pollAfter(roughWait(room, place)),
    }
  }

  function of(
    claims: QueueClaims,
    sale: SaleView,
    room: Room | null,
    account: Account | null,
  ): MaybePromise<StateView> {
    const state = uncalled(claims, sale, room)
    if (state) return state
    const place = placeOf(room as Room, claims.arrival)
    if (!hasOpened(sale) || place === null) return beforeDraw(sale, room as Room)
    return turns.stateOf(claims, place, sale, account).then((state) => ({ place, ...state }))
  }

  /** Also between the opening and the draw, as long as this process has no places. */
  async function beforeDraw(sale: SaleView, room: Room): Promise<StateView> {
    const toOpening = sale.opensAt.getTime() - (await clock.now()).getTime()
    if (hasOpened(sale)) {
      // In the background: the draw may take a while, and a fan who polls again costs less than a request that hangs.
      opening.open(sale).catch(() => {})
      const waitsForBeacon = room.size !== null && room.seed === null
      if (waitsForBeacon) return { state: 'PRE_QUEUE', pollAfterSeconds: pollAfter(0) }
    } else {
      opening.expect(sale, toOpening)
    }
    return { state: 'PRE_QUEUE', pollAfterSeconds: pollBeforeOpening(toOpening) }
  }

  async function isOver(
    sale: SaleView,
    room: Room,
    accountId: string,
    { arrival, hasLeft }: { arrival: number; hasLeft: boolean },
  ): Promise<boolean> {
    // Until the draw is made, a fan who left keeps the arrival index for a rejoin.
    if (!hasOpened(sale) || room.seed === null) return false
    if (hasLeft) return true
    const place = placeOf(room, arrival)
    if (place === null || place > room.admittedUpTo) return false
    const row = await admissions.find(sale.eventId, accountId)
    if (row && row.arrival > arrival) return true
    if (row?.arrival === arrival) return row.state !== 'ALIVE'
    const turn = await readTurn(roomDb, sale.eventId, { arrival, place })
    return turn !== null && hasLapsed(turn, sale)
  }

  return { of, isOver }
}
