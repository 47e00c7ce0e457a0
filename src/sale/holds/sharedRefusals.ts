import { createSharedReads } from '../../async/sharedReads.ts'
import type { Database } from '../../sql/database/database.ts'
import type { HoldAnswerRow } from '../../sql/holds/holdAnswers.ts'
import * as sql from '../../sql/holds/index.ts'
import { createRecentRefusals } from './recentRefusals.ts'

/**
 * Attempts to hold named seats. In a rush most calls are refused, and most of them request a seat that another call was
 * refused a moment ago. All such calls that come at the same time share one statement: it reads their keys, gates and
 * seats, and begins after each of them came.
 *
 * The shared read is the one with which each call's own attempt would begin, so its refusals are as true. A call that
 * the read does not refuse makes its own attempt.
 */
export interface SharedRefusals {
  /** The answer of one attempt. */
  attempt(seats: sql.NamedSeats, hold: sql.NewHold): Promise<HoldAnswerRow>
}

/** 50,000 at most, the seats of the largest hall: some megabytes. */
const SEATS_AT_LEAST = 25_000

type Refusals = (HoldAnswerRow | null)[]

export function createSharedRefusals(db: Database): SharedRefusals {
  const takenSeats = createRecentRefusals(SEATS_AT_LEAST)
  const reads = createSharedReads<Refusals>()
  /** The calls that the next read of an event serves. */
  const waiting = new Map<string, sql.GateRequest[]>()

  async function refusalOf({ seatNos }: sql.NamedSeats, hold: sql.NewHold): Promise<HoldAnswerRow | null> {
    const { eventId } = hold
    const calls = waiting.get(eventId) ?? []
    waiting.set(eventId, calls)
    const i = calls.push({ ...hold, seatNos }) - 1
    const refusals = await reads.read(eventId, () => {
      waiting.delete(eventId)
      return sql.seeGates(db, eventId, calls)
    })
    return refusals[i] as HoldAnswerRow | null
  }

  return {
    async attempt(seats, hold) {
      const keyOf = (seatNo: number) => `${hold.eventId} ${seatNo}`
      const isTaken = !hold.wait && seats.seatNos.some((no) => takenSeats.has(keyOf(no)))
      const refusal = isTaken ? await refusalOf(seats, hold) : null
      if (isTaken && !refusal) for (const no of seats.seatNos) takenSeats.delete(keyOf(no))
      const answer = refusal ?? (await sql.callHoldSeats(db, hold, seats))
      if (answer.outcome === 'taken') for (const no of answer.taken) takenSeats.add(keyOf(no))
      return answer
    },
  }
}
