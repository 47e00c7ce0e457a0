import { hash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { oneAtATime } from '../../async/oneAtATime.ts'
import { createSharedReads } from '../../async/sharedReads.ts'
import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import type { Each, HoldAnswerRow } from '../../sql/holds/holdAnswers.ts'
import * as sql from '../../sql/holds/index.ts'
import { overloaded, requestInProgress } from '../faults.ts'
import { newId } from '../ids.ts'
import { createFirstRowHints } from './firstRowHints.ts'
import { createMaxBlockLengths } from './maxBlockLengths.ts'
import { createRecentRefusals } from './recentRefusals.ts'
import { MAX_SCAN_PAUSE_MS } from './scanPause.ts'
import { createSharedRefusals } from './sharedRefusals.ts'
import type { SoldOutCheck } from './soldOutCheck.ts'

/** The seats or units to hold, checked and in the plan's numbers. */
export type Selection =
  | ({ kind: 'seats' } & sql.NamedSeats)
  | ({ kind: 'best' } & Omit<sql.BestSeats, 'fromRow' | 'look'>)
  | ({ kind: 'generalAdmission' } & Omit<sql.GeneralAdmission, 'look'>)

/** A selection by quantity: best available, or units of general admission. */
type Quantity = Exclude<Selection, { kind: 'seats' }>

/** An answer that needs no further attempt. */
export type Verdict = Exclude<HoldAnswerRow, { outcome: 'busy' | 'missed' | 'locked' | 'unseen' }>

export interface HoldAttempts {
  /**
   * Attempts the hold until an attempt comes to a verdict, and returns it. Throws REQUEST_IN_PROGRESS while another
   * call of the account runs, OVERLOADED where seats stay locked. The verdict is `crowded` where calls from the same
   * device or address kept the hold from being counted.
   */
  attempt(selection: Selection, hold: Asked): Promise<Verdict>
  /**
   * Attempts to replace the hold `replacedId` by a new one, as `attempt`. `freed`: the seats that it frees. The verdict is
   * `hold_not_found` or `in_checkout` where the hold cannot be replaced.
   */
  exchange(
    replacedId: string,
    selection: Selection,
    hold: Asked,
  ): Promise<{ answer: ExchangeVerdict; freed: SeatChange[] }>
}

/** The best seats, without what the search itself adds. */
type Best = Extract<Selection, { kind: 'best' }>

type Asked = Pick<sql.NewHold, 'eventId' | 'accountId' | 'idempotencyKey' | 'admission' | 'origin'>

export type ExchangeVerdict = Verdict | Each<'hold_not_found' | 'in_checkout'>

/** Another call of the account ends within milliseconds: five retries, 5–20 ms apart, then REQUEST_IN_PROGRESS. */
const BUSY_RETRIES = 5
/** Near the limit of an address its calls are counted one after the other, a millisecond or two each: a quarter of a second. */
const CROWDED_RETRIES = 20
/** The owner of a seat's lock decides within milliseconds. After some attempts that do not wait, the next one waits. */
const MISSES_BEFORE_WAITING = 3
/**
 * Named seats come to a verdict once an attempt has waited for their locks. A selection by quantity may miss again and
 * again where many fans request the last seats: no fan is refused while a committed read shows enough.
 */
const MAX_MISSES = { seats: 6, best: 40, generalAdmission: 40 }

/** 2,000 at most. */
const REQUESTS_AT_LEAST = 1_000

export function createHoldAttempts(db: Database, isSoldOut: SoldOutCheck): HoldAttempts {
  const firstRowHints = createFirstRowHints()
  const sharedRefusals = createSharedRefusals(db)
  const recentRefusals = createRecentRefusals(REQUESTS_AT_LEAST)
  const maxBlockLengths = createMaxBlockLengths(db)
  // An exchange waits for the lock of the hold that it replaces. Exchanges of one account would all keep connections meanwhile.
  const exchanges = oneAtATime()
  const counts = createSharedReads<number>(MAX_SCAN_PAUSE_MS)

  async function callFunction(selection: Quantity, hold: sql.NewHold, look: boolean): Promise<HoldAnswerRow> {
    if (selection.kind === 'generalAdmission')
      return sql.callHoldGeneralAdmission(db, hold, { ...selection, look })
    const hint = firstRowHints.of(requestOf(hold))
    const answer = await sql.callHoldBest(db, hold, { ...selection, fromRow: hint.row, look })
    if (answer.outcome === 'held') hint.found(answer.fromRow)
    return answer
  }

  async function countAvailable(selection: Quantity, eventId: string, request: string): Promise<number> {
    if (selection.kind === 'generalAdmission') return sql.seeGeneralAdmission(db, eventId, selection)
    const most = selection.together ? await maxBlockLengths.of(eventId, selection) : selection.quantity
    const quantity = Math.min(selection.quantity, most)
    const hint = firstRowHints.of(request)
    const seen = await sql.seeBest(db, eventId, { ...selection, quantity, fromRow: hint.row })
    hint.found(seen.firstRow)
    return seen.available
  }

  /**
   * Makes one attempt. Where a moment ago there was not enough, all the calls with the same request share one count to be
   * refused by: it scans every seat, and costs as much as several holds (`bench/best-available.ts`). Where the event is
   * sold out, calls of any request share one check. The function still reads each call's own key and limits.
   */
  async function attemptOnce(selection: Selection, hold: sql.NewHold): Promise<HoldAnswerRow> {
    if (selection.kind === 'seats') return sharedRefusals.attempt(selection, hold)
    const request = requestOf(hold)
    if (!isLikelyRefused(selection, hold.eventId, request)) {
      const answer = await callFunction(selection, hold, true)
      if (answer.outcome === 'not_enough') recentRefusals.add(request)
      return answer
    }
    const answer = await callFunction(selection, hold, false)
    if (answer.outcome !== 'unseen') return answer
    const refusal = await refusalOf(selection, hold.eventId, request)
    if (!refusal) {
      recentRefusals.delete(request)
      return callFunction(selection, hold, true)
    }
    // Refresh the entry early; its expiry would start a stampede of scans.
    recentRefusals.add(request)
    return refusal
  }

  function isLikelyRefused(selection: Quantity, eventId: string, request: string): boolean {
    if (recentRefusals.has(request)) return true
    if (selection.kind === 'generalAdmission' || !selection.together) return false
    return selection.quantity > (maxBlockLengths.known(eventId, selection) ?? Number.POSITIVE_INFINITY)
  }

  /**
   * Makes one attempt at an exchange for the best seats. It shares the count of `attemptOnce`, which does not know the seats that
   * the exchange frees: the function looks for a block with some of these itself.
   */
  async function exchangeForBest(
    selection: Best,
    hold: Omit<sql.NewHold, 'wait'>,
    replacedId: string,
  ): Promise<sql.ExchangeHoldRow> {
    // The key that `attempt` has for the same selection.
    const request = requestOf({ eventId: hold.eventId, inputHash: hashOf(inputOf(selection)) })
    const call = (look: boolean, seen: number | null) =>
      callExchange(hold, replacedId, { ...selection, fromRow: firstRowHints.of(request).row, look, seen })

    if (isLikelyRefused(selection, hold.eventId, request)) {
      const row = await call(false, null)
      if (row.answer.outcome !== 'unseen') return row
      const seen = await counts.read(request, () => countAvailable(selection, hold.eventId, request))
      if (seen < selection.quantity) {
        recentRefusals.add(request)
        return call(true, seen)
      }
      recentRefusals.delete(request)
    }
    const row = await call(true, null)
    if (row.answer.outcome === 'held') firstRowHints.of(request).found(row.answer.fromRow)
    if (row.answer.outcome === 'not_enough') recentRefusals.add(request)
    return row
  }

  function callExchange(
    hold: Omit<sql.NewHold, 'wait'>,
    replacedId: string,
    selection: sql.ExchangedFor,
  ): Promise<sql.ExchangeHoldRow> {
    return exchanges(`${hold.eventId} ${hold.accountId}`, () =>
      sql.exchangeHold(db, hold, replacedId, selection),
    )
  }

  async function refusalOf(
    selection: Quantity,
    eventId: string,
    request: string,
  ): Promise<HoldAnswerRow | null> {
    if (await isSoldOut(eventId)) return { outcome: 'sold_out' }
    const available = await counts.read(request, () => countAvailable(selection, eventId, request))
    return available < selection.quantity ? { outcome: 'not_enough', available } : null
  }

  return {
    async attempt(selection, hold) {
      const inputHash = hashOf(inputOf(selection))
      return untilVerdict(selection, (missed) =>
        attemptOnce(selection, {
          ...hold,
          inputHash,
          holdId: newId('hld', hold.eventId),
          wait: missed >= MISSES_BEFORE_WAITING,
        }),
      )
    },
    async exchange(replacedId, selection, hold) {
      const inputHash = hashOf(`instead of ${replacedId} ${inputOf(selection)}`)
      let freed: SeatChange[] = []
      const answer = await untilVerdict<HoldAnswerRow | Each<'hold_not_found' | 'in_checkout'>>(
        selection,
        async () => {
          const wanted = { ...hold, inputHash, holdId: newId('hld', hold.eventId) }
          const row = await (selection.kind === 'best'
            ? exchangeForBest(selection, wanted, replacedId)
            : callExchange(wanted, replacedId, selection))
          freed = row.changes
          return row.answer
        },
      )
      return { answer, freed }
    },
  }
}

type Missed = Extract<HoldAnswerRow, { outcome: 'busy' | 'missed' | 'locked' | 'unseen' }>

/** Repeats an attempt until it comes to a verdict. `attempt` gets the number of attempts that missed. */
async function untilVerdict<Answer extends { outcome: string }>(
  selection: Selection,
  attempt: (missed: number) => Promise<Answer>,
): Promise<Exclude<Answer, Missed>> {
  let busy = 0
  let crowded = 0
  let missed = 0
  for (;;) {
    const answer = await attempt(missed)
    switch (answer.outcome) {
      case 'busy':
        if (++busy > BUSY_RETRIES) throw requestInProgress()
        break
      case 'crowded':
        if (++crowded > CROWDED_RETRIES) return answer as Exclude<Answer, Missed>
        break
      case 'locked':
        throw overloaded(1)
      case 'missed':
      case 'unseen':
        if (++missed === MAX_MISSES[selection.kind]) throw overloaded(1)
        break
      default:
        return answer as Exclude<Answer, Missed>
    }
    await sleep(5 + 15 * Math.random())
  }
}

/** A key for the event and the selection: equal for all callers with the same selection. */
function requestOf({ eventId, inputHash }: Pick<sql.NewHold, 'eventId' | 'inputHash'>): string {
  return `${eventId} ${inputHash}`
}

function hashOf(input: string): string {
  return hash('sha256', input, 'base64url')
}

/**
 * A text that is equal for equal inputs, whatever the order and the names of the seats. Its hash is stored with the
 * hold, so the text must not change.
 */
function inputOf(selection: Selection): string {
  switch (selection.kind) {
    case 'seats':
      return `seats ${selection.seatNos}`
    case 'best':
      return `best ${[selection.quantity, selection.sectionNo, selection.levelNo, selection.together]}`
    case 'generalAdmission':
      // The word stays as it was: stored hashes are made of it.
      return `places ${[selection.sectionNo, selection.quantity]}`
  }
}
