import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSharedReads } from '../../async/sharedReads.ts'
import type { Database } from '../../sql/database.ts'
import * as sql from '../../sql/holds.ts'
import { overloaded, requestInProgress } from '../faults.ts'
import { newId } from '../ids.ts'
import { createLongestBlocks } from './longestBlocks.ts'
import { createNamedSeats } from './namedSeats.ts'
import { createRecentRefusals } from './recentRefusals.ts'
import type { IsSoldOut } from './soldOut.ts'
import { createStartRows } from './startRows.ts'

/** What is to be held, checked and in the plan's numbers. */
export type Selection =
  | ({ kind: 'seats' } & sql.NamedSeats)
  | ({ kind: 'best' } & Omit<sql.BestSeats, 'fromRow' | 'look'>)
  | ({ kind: 'generalAdmission' } & Omit<sql.GeneralAdmission, 'look'>)

export type Verdict = Exclude<sql.HoldAnswerRow, { outcome: 'busy' | 'missed' | 'locked' | 'unseen' }>

export type AttemptHold = (
  selection: Selection,
  hold: Pick<sql.NewHold, 'eventId' | 'accountId' | 'idempotencyKey' | 'admission'>,
) => Promise<Verdict>

/** An account's other call is over within milliseconds: five times, 5–20 ms apart, then it is told to wait. */
const BUSY_RETRIES = 5
/** Whoever locked a seat decides within milliseconds. Some calls look again, then they wait for the lock. */
const MISSES_BEFORE_WAITING = 3
/**
 * Named seats come to a verdict once their locks were waited for. Any seats are found missing again where many ask for
 * the last ones: nobody is sent away while a committed read shows enough.
 */
const MOST_MISSES = { seats: 6, best: 40, generalAdmission: 40 }

const REQUESTS_IN_MEMORY = 2_000

/** A look past 50,000 seats that are gone takes 18 ms of a core, which those who still find something have better use for. */
const MOST_BETWEEN_LOOKS_MS = 50

/**
 * Makes holds: calls the selection's function until it comes to a verdict. Throws REQUEST_IN_PROGRESS while another
 * call of the account runs on, OVERLOADED where seats stay locked.
 */
export function createHoldAttempts(db: Database, isSoldOut: IsSoldOut): AttemptHold {
  const startRows = createStartRows()
  const holdSeats = createNamedSeats(db)
  const scarce = createRecentRefusals(REQUESTS_IN_MEMORY)
  const longest = createLongestBlocks(db)
  const looks = createSharedReads<number>(MOST_BETWEEN_LOOKS_MS)

  async function call(selection: Selection, hold: sql.NewHold, look: boolean): Promise<sql.HoldAnswerRow> {
    if (selection.kind === 'seats') return holdSeats(selection, hold)
    if (selection.kind === 'generalAdmission')
      return sql.callHoldGeneralAdmission(db, hold, { ...selection, look })
    const start = startRows.of(requestOf(hold))
    const answer = await sql.callHoldBest(db, hold, { ...selection, fromRow: start.row, look })
    if (answer.outcome === 'held') start.found(answer.fromRow)
    return answer
  }

  async function see(
    selection: Exclude<Selection, { kind: 'seats' }>,
    eventId: string,
    request: string,
  ): Promise<number> {
    if (selection.kind === 'generalAdmission') return sql.seeGeneralAdmission(db, eventId, selection)
    const most = selection.together ? await longest.of(eventId, selection) : selection.quantity
    const quantity = Math.min(selection.quantity, most)
    const start = startRows.of(request)
    const seen = await sql.seeBest(db, eventId, { ...selection, quantity, fromRow: start.row })
    start.found(seen.firstRow)
    return seen.available
  }

  /**
   * Where there was not enough a moment ago, the many who ask are refused by one look that they share: it walks past
   * every seat, and costs ten holds in a hall of 50,000. Where nothing is left of the event, whatever they ask for. Their
   * keys and limits are each looked at as always.
   */
  async function callOnce(selection: Selection, hold: sql.NewHold): Promise<sql.HoldAnswerRow> {
    const request = requestOf(hold)
    if (selection.kind === 'seats' || !scarce.has(request)) {
      const answer = await call(selection, hold, true)
      if (answer.outcome === 'not_enough') scarce.add(request)
      return answer
    }
    const answer = await call(selection, hold, false)
    if (answer.outcome !== 'unseen') return answer
    const refused = await refusalOf(selection, hold.eventId, request)
    if (!refused) {
      scarce.delete(request)
      return call(selection, hold, true)
    }
    // Else all who ask at the moment at which that is forgotten would look for themselves.
    scarce.add(request)
    return refused
  }

  async function refusalOf(
    selection: Exclude<Selection, { kind: 'seats' }>,
    eventId: string,
    request: string,
  ): Promise<sql.HoldAnswerRow | null> {
    if (await isSoldOut(eventId)) return { outcome: 'sold_out' }
    const available = await looks.read(request, () => see(selection, eventId, request))
    return available < selection.quantity ? { outcome: 'not_enough', available } : null
  }

  return async (selection, asked) => {
    const inputHash = hash('sha256', inputOf(selection), 'base64url')
    let busy = 0
    let missed = 0
    for (;;) {
      const answer = await callOnce(selection, {
        ...asked,
        inputHash,
        holdId: newId('hld', asked.eventId),
        wait: missed >= MISSES_BEFORE_WAITING,
      })
      if (answer.outcome === 'busy') {
        if (++busy > BUSY_RETRIES) throw requestInProgress()
      } else if (answer.outcome === 'locked' || answer.outcome === 'missed' || answer.outcome === 'unseen') {
        if (answer.outcome === 'locked' || ++missed === MOST_MISSES[selection.kind]) throw overloaded(1)
      } else {
        return answer
      }
      await sleep(5 + 15 * Math.random())
    }
  }
}

/** The event and what is asked for: the same for everybody who asks for it. */
function requestOf({ eventId, inputHash }: sql.NewHold): string {
  return `${eventId} ${inputHash}`
}

/** What makes two inputs the same, whatever the order and the names of the seats. */
function inputOf(selection: Selection): string {
  switch (selection.kind) {
    case 'seats':
      return `seats ${selection.seatNos}`
    case 'best':
      return `best ${[selection.quantity, selection.sectionNo, selection.levelNo, selection.together]}`
    case 'generalAdmission':
      // The word stays as it was: stored hashes were made of it.
      return `places ${[selection.sectionNo, selection.quantity]}`
  }
}
