import { createSharedReads } from '../../async/sharedReads.ts'
import type { Database } from '../../sql/database.ts'
import * as sql from '../../sql/holds.ts'
import { createRecentRefusals } from './recentRefusals.ts'

/** Calls the function that holds named seats, once. */
export type NamedSeats = (seats: sql.NamedSeats, hold: sql.NewHold) => Promise<sql.HoldAnswer>

/** Those of the largest hall, some megabytes. */
const SEATS_IN_MEMORY = 50_000

type Seen = (sql.HoldAnswer | null)[]

/**
 * In a rush most are refused, and most of them ask for what somebody else was refused a moment ago: for all who do so at
 * the same time one statement looks at keys, gates and seats, begun after each of them had asked. It is the look with which
 * their own call would begin, so what it refuses is as true; who is not refused makes that call.
 */
export function createNamedSeats(db: Database): NamedSeats {
  const gone = createRecentRefusals(SEATS_IN_MEMORY)
  const looks = createSharedReads<Seen>()
  /** Who asks next, by event. Not async/gather.ts: a batch leaves when the look before it ends, and not after a time. */
  const asking = new Map<string, sql.AskedSeats[]>()

  async function look({ seatNos }: sql.NamedSeats, hold: sql.NewHold): Promise<sql.HoldAnswer | null> {
    const { eventId } = hold
    const asked = asking.get(eventId) ?? []
    asking.set(eventId, asked)
    const i = asked.push({ ...hold, seatNos }) - 1
    const seen = await looks.read(eventId, () => {
      asking.delete(eventId)
      return sql.seeGates(db, eventId, asked)
    })
    return seen[i] as sql.HoldAnswer | null
  }

  return async (seats, hold) => {
    const seat = (no: number) => `${hold.eventId} ${no}`
    const isGone = !hold.wait && seats.seatNos.some((no) => gone.has(seat(no)))
    const refused = isGone ? await look(seats, hold) : null
    if (isGone && !refused) for (const no of seats.seatNos) gone.delete(seat(no))
    const answer = refused ?? (await sql.holdSeats(db, hold, seats))
    if (answer.outcome === 'taken') for (const no of answer.taken) gone.add(seat(no))
    return answer
  }
}
