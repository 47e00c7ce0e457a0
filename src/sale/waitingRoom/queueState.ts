import type { Redis } from 'ioredis'
import type { Database } from '../../sql/database.ts'
import { readTurn, type Turn } from '../../sql/places.ts'
import type { AdmissionRow, Admissions } from '../admission/admissions.ts'
import type { Account } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { queueTokenInvalid } from '../faults.ts'
import { placeOf, type Room } from '../room/room.ts'
import type { SaleView } from '../sales/sales.ts'
import { isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims } from '../tokens/tokens.ts'
import type { FailClosed } from './failClosed.ts'
import { hasOpened, type Opening } from './opening.ts'
import { estimateWait, type PositionView, pollAfter, pollBeforeOpening, roughWait } from './position.ts'

/** What is told of a place besides what is the same for every state. */
export type Standing = Pick<PositionView, 'state'> &
  Partial<
    Pick<
      PositionView,
      'place' | 'position' | 'estimatedWaitSeconds' | 'admission' | 'turnEndsAt' | 'pollAfterSeconds'
    >
  >

export interface QueueStates {
  /**
   * Where a place stands that was not called, from memory alone and without waiting; null for one before the draw, or
   * called. Throws QUEUE_TOKEN_INVALID where the place has moved to another device.
   */
  uncalled(claims: QueueClaims, sale: SaleView, room: Room | null): Standing | null
  /**
   * Where any place stands. One that was called is let in, where its account asks; `account` null: its turn is not taken.
   *
   * Throws as `uncalled` does, and OVERLOADED where it cannot be let in now.
   */
  of(claims: QueueClaims, sale: SaleView, room: Room | null, account: Account | null): Promise<Standing>
  /** A place is over when it was given up, or its turn or admission has gone by. Before the draw none is. */
  isOver(
    sale: SaleView,
    room: Room,
    accountId: string,
    place: { arrival: number; hasLeft: boolean },
  ): Promise<boolean>
}

export interface QueueStatesDeps {
  roomDb: Database
  roomRedis: Redis
  admissions: Admissions
  opening: Opening
  clock: Clock
  failClosed: FailClosed
}

export function createQueueStates(deps: QueueStatesDeps): QueueStates {
  const { roomDb, roomRedis, admissions, opening, clock, failClosed } = deps

  function uncalled(claims: QueueClaims, sale: SaleView, room: Room | null): Standing | null {
    const change = room?.changed.get(claims.arrival)
    if (change && !isSameDigest(change.device, claims.device)) throw queueTokenInvalid()
    if (change?.hasLeft) return { state: 'FINISHED' }
    if (sale.state === 'ENDED') return { state: 'ENDED' }
    if (!sale.waitingRoom) return { state: sale.state === 'SOLD_OUT' ? 'SOLD_OUT' : 'OPEN' }
    // Such a token was given where there was no room: it is no place in this one.
    if (!room || claims.arrival === 0) throw queueTokenInvalid()
    const place = placeOf(room, claims.arrival)
    if (sale.state === 'SOLD_OUT' && place === null) return { state: 'SOLD_OUT' }
    if (!hasOpened(sale) || place === null || place <= room.admittedUpTo) return null
    if (sale.state === 'SOLD_OUT') return { state: 'SOLD_OUT', place }
    return {
      state: 'WAITING',
      place,
      position: place - room.admittedUpTo,
      estimatedWaitSeconds: estimateWait(sale, room, place),
      pollAfterSeconds: pollAfter(roughWait(room, place)),
    }
  }

  async function of(
    claims: QueueClaims,
    sale: SaleView,
    room: Room | null,
    account: Account | null,
  ): Promise<Standing> {
    const standing = uncalled(claims, sale, room)
    if (standing) return standing
    const place = placeOf(room as Room, claims.arrival)
    if (!hasOpened(sale) || place === null) return beforeDraw(sale, room as Room)
    return { place, ...(await called(claims, place, sale, account)) }
  }

  /** Also between the opening and the draw, for as long as this process has no places. */
  async function beforeDraw(sale: SaleView, room: Room): Promise<Standing> {
    const toOpening = sale.opensAt.getTime() - (await clock.now()).getTime()
    if (hasOpened(sale)) {
      // Not waited for: the draw may take a while, and whoever asks again soon costs less than whoever hangs.
      opening.open(sale).catch(() => {})
      const waitsForBeacon = room.size !== null && room.seed === null
      if (waitsForBeacon) return { state: 'PRE_QUEUE', pollAfterSeconds: pollAfter(0) }
    } else {
      opening.expect(sale, toOpening)
    }
    return { state: 'PRE_QUEUE', pollAfterSeconds: pollBeforeOpening(toOpening) }
  }

  async function called(
    claims: QueueClaims,
    place: number,
    sale: SaleView,
    account: Account | null,
  ): Promise<Standing> {
    const { eventId, accountId, arrival } = claims
    const row = await failClosed(() => admissions.find(eventId, accountId))
    // An admission of a later place: this one is long over.
    if (row && row.arrival > arrival) return { state: 'FINISHED' }
    if (row?.arrival === arrival && row.state === 'ENDED') return { state: 'FINISHED' }
    if (sale.state === 'SOLD_OUT') return { state: 'SOLD_OUT' }
    if (row?.arrival === arrival) return inside(claims, row)

    const turn = await failClosed(() => readTurn(roomDb, eventId, { arrival, place }))
    if (!turn || !isSameDigest(turn.device, claims.device)) throw queueTokenInvalid()
    if (turn.hasLeft) return { state: 'FINISHED' }
    const turnEndsAt = endOfTurn(turn, sale)
    // The log of calls is behind what this process was told only where another copy of the database took over.
    if (!turnEndsAt) return { state: 'WAITING' }
    if (hasLapsed(turn, sale)) return { state: 'LAPSED' }
    if (!account) return { state: 'WAITING', turnEndsAt, pollAfterSeconds: pollAfter(0) }
    return failClosed(async () => {
      // The row alone could be written without the queue's Redis; but while that is away nobody is let in.
      await roomRedis.ping()
      return inside(claims, await admitOnce(claims, place, sale.admissionSeconds))
    })
  }

  /**
   * The place may be left, or moved, between its look-up and the admission, which then was not there to be ended or
   * moved with it. Whoever leaves or moves writes the place first and the admission after: so one of the two sees
   * the other.
   */
  async function admitOnce(claims: QueueClaims, place: number, seconds: number): Promise<AdmissionRow> {
    const { eventId, accountId, arrival } = claims
    const row = await admissions.admit({ ...claims, place }, seconds)
    const turn = await readTurn(roomDb, eventId, { arrival, place })
    if (turn?.hasLeft) await admissions.end(claims)
    else if (turn && !isSameDigest(turn.device, claims.device))
      await admissions.move({ ...claims, device: new Uint8Array(turn.device) })
    else return row
    return (await admissions.find(eventId, accountId)) ?? row
  }

  async function inside(claims: QueueClaims, row: AdmissionRow): Promise<Standing> {
    if (row.state === 'ENDED') return { state: 'FINISHED' }
    if (row.state === 'EXPIRED') return { state: 'LAPSED' }
    if (!isSameDigest(row.device, claims.device)) throw queueTokenInvalid()
    return { state: 'ADMITTED', admission: await admissions.token(row) }
  }

  async function isOver(
    sale: SaleView,
    room: Room,
    accountId: string,
    { arrival, hasLeft }: { arrival: number; hasLeft: boolean },
  ): Promise<boolean> {
    // Whoever left before the draw keeps the index for a rejoin until it is made.
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

  return { uncalled, of, isOver }
}

/** As of the last tick: while nobody ticks the line may be closed, and then nobody's turn goes by. */
function hasLapsed(turn: Turn, sale: SaleView): boolean {
  const endsAt = endOfTurn(turn, sale)
  return endsAt !== null && turn.tickedAt !== null && endsAt <= turn.tickedAt
}

function endOfTurn({ calledAt }: Turn, { turnSeconds }: SaleView): Date | null {
  return calledAt && new Date(calledAt.getTime() + turnSeconds * 1_000)
}
