import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { changesOfFreed, type FreedSeats } from './endedHolds.ts'
import { type AnswerRow, type Each, type HoldAnswerRow, readAnswer } from './holdAnswers.ts'
import type { BestSeats, GeneralAdmission, NamedSeats, NewHold } from './holds.ts'

/** A selection for an exchange: named seats, best seats, or units of general admission. */
export type ExchangedFor = NamedSeats | ExchangedForBest | Omit<GeneralAdmission, 'look'>

export interface ExchangedForBest extends BestSeats {
  /** What seeBest returned a moment ago, where that is not enough; null: unknown. */
  readonly seen: number | null
}

export type ExchangeHoldRow =
  | { answer: HoldAnswerRow; changes: SeatChange[] }
  | { answer: Each<'hold_not_found' | 'in_checkout'>; changes: [] }

const EXCHANGE_HOLD = statement(
  'exchange_hold',
  `select to_json(x.answer) as answer, x.freed, x.revisions
   from exchange_hold(${Array.from({ length: 19 }, (_, i) => `$${i + 1}`).join(', ')}) x`,
)

/** Replaces the hold `replacedId` by `hold`, once; `changes`: the seats that it frees. See prisma/functions/exchange_hold.sql. */
export async function exchangeHold(
  db: Database,
  hold: Omit<NewHold, 'wait'>,
  replacedId: string,
  selection: ExchangedFor,
): Promise<ExchangeHoldRow> {
  const { eventId, accountId, idempotencyKey, inputHash, holdId, admission, origin } = hold
  const seats = 'seatNos' in selection ? selection : null
  const quantity = 'quantity' in selection ? selection : null
  const best = quantity && 'together' in quantity ? quantity : null
  const [row] = await db.prisma.$queryRaw<[AnswerRow & FreedSeats]>(
    EXCHANGE_HOLD(
      eventId,
      accountId,
      idempotencyKey,
      inputHash,
      holdId,
      admission?.arrival ?? null,
      admission?.place ?? null,
      admission?.device ?? origin?.device ?? null,
      replacedId,
      seats?.seatNos ?? null,
      seats?.wheelchairSeatNos ?? null,
      quantity?.sectionNo ?? null,
      best?.levelNo ?? null,
      quantity?.quantity ?? null,
      best?.together ?? null,
      origin?.address ?? null,
      best?.fromRow ?? 0,
      best?.look ?? true,
      best?.seen ?? null,
    ),
  )
  return { answer: readAnswer(row.answer), changes: changesOfFreed(row) } as ExchangeHoldRow
}
