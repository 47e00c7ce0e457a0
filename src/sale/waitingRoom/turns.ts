import type { Redis } from 'ioredis'
import type { Database } from '../../sql/database/database.ts'
import { readTurn, type Turn } from '../../sql/room/places.ts'
import type { AdmissionRow, Admissions } from '../admission/admissions.ts'
import type { Account } from '../caller.ts'
import { queueTokenInvalid } from '../faults.ts'
import type { SaleView } from '../saleView.ts'
import { isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims } from '../tokens/tokens.ts'
import type { FailClosed } from './failClosed.ts'
import { pollAfter, type StateView } from './position.ts'

/** The turns of called places: the time in which a fan comes in, and the answer to a fan who comes too late. */
export interface Turns {
  /**
   * The state of a called place: ADMITTED, LAPSED or FINISHED; SOLD_OUT; WAITING with the end of its turn where `account` is null,
   * since its turn is not taken then.
   *
   * Throws QUEUE_TOKEN_INVALID where the place has moved to another device, and OVERLOADED where it cannot be admitted now.
   */
  stateOf(claims: QueueClaims, place: number, sale: SaleView, account: Account | null): Promise<StateView>
}

export interface TurnsDeps {
  roomDb: Database
  roomRedis: Redis
  admissions: Admissions
  failClosed: FailClosed
}

export function createTurns({ roomDb, roomRedis, admissions, failClosed }: TurnsDeps): Turns {
  async function stateOf(
    claims: QueueClaims,
    place: number,
    sale: SaleView,
    account: Account | null,
  ): Promise<StateView> {
    const { eventId, accountId, arrival } = claims
    const row = await failClosed(() => admissions.find(eventId, accountId))
    // The admission belongs to a later place: this one is over.
    if (row && row.arrival > arrival) return { state: 'FINISHED' }
    if (row?.arrival === arrival && row.state === 'ENDED') return { state: 'FINISHED' }
    if (sale.state === 'SOLD_OUT') return { state: 'SOLD_OUT' }
    if (row?.arrival === arrival) return inside(claims, row)

    const turn = await failClosed(() => readTurn(roomDb, eventId, { arrival, place }))
    if (!turn || !isSameDigest(turn.device, claims.device)) throw queueTokenInvalid()
    if (turn.hasLeft) return { state: 'FINISHED' }
    const turnEndsAt = endOfTurn(turn, sale)
    // The log of calls is behind this process only where another copy of the database took over.
    if (!turnEndsAt) return { state: 'WAITING' }
    if (hasLapsed(turn, sale)) return { state: 'LAPSED' }
    if (!account) return { state: 'WAITING', turnEndsAt, pollAfterSeconds: pollAfter(0) }
    return failClosed(async () => {
      // The row alone could be written without the room's Redis, but while that is away no fan is admitted.
      await roomRedis.ping()
      return inside(claims, await admitOnce(claims, place, sale.admissionSeconds))
    })
  }

  /**
   * Admits a place. The fan may leave it, or move it, between its look-up and the admission, which then did not end or move with
   * it. A leave and a move write the place first and the admission after: so one of the two requests sees the other.
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

  async function inside(claims: QueueClaims, row: AdmissionRow): Promise<StateView> {
    if (row.state === 'ENDED') return { state: 'FINISHED' }
    if (row.state === 'EXPIRED') return { state: 'LAPSED' }
    if (!isSameDigest(row.device, claims.device)) throw queueTokenInvalid()
    return { state: 'ADMITTED', admission: await admissions.token(row) }
  }

  return { stateOf }
}

/** As of the last tick: while no pacer ticks the line may be closed, and then no turn ends. */
export function hasLapsed(turn: Turn, sale: SaleView): boolean {
  const endsAt = endOfTurn(turn, sale)
  return endsAt !== null && turn.tickedAt !== null && endsAt <= turn.tickedAt
}

function endOfTurn({ calledAt }: Turn, { turnSeconds }: SaleView): Date | null {
  return calledAt && new Date(calledAt.getTime() + turnSeconds * 1_000)
}
