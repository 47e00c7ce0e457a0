import type { Database } from '../database/database.ts'
import { statement } from '../database/statement.ts'
import { type AnswerRow, type HoldAnswerRow, readAnswer } from './holdAnswers.ts'
import type { BestSeats, GeneralAdmission, NewHold } from './holds.ts'

/** A hold of named seats that has not been made, with the fields that the gates read. */
export interface GateRequest extends Omit<NewHold, 'eventId' | 'holdId' | 'origin' | 'wait'> {
  readonly seatNos: number[]
}

const SEE_GATES = statement('see_gates', 'select to_json(a) as answer from see_gates($1, $2) a')

/** Returns the refusal of each hold of named seats before any seat is locked; null where the gates let the hold pass. */
export async function seeGates(
  db: Database,
  eventId: string,
  requests: readonly GateRequest[],
): Promise<(HoldAnswerRow | null)[]> {
  const asJson = requests.map(({ accountId, idempotencyKey, inputHash, admission, seatNos }, i) => ({
    i,
    account: accountId,
    key: idempotencyKey,
    input_hash: inputHash,
    arrival: admission?.arrival,
    place: admission?.place,
    device: admission && Buffer.from(admission.device).toString('hex'),
    seats: seatNos,
  }))
  const rows = await db.pipelined<AnswerRow>(SEE_GATES(eventId, JSON.stringify(asJson)), eventId)
  return rows.map(({ answer }) => (answer.outcome === null ? null : readAnswer(answer)))
}

const SEE_BEST = statement(
  'see_best',
  'select available, first_row as "firstRow" from see_best($1, $2, $3, $4, $5, $6)',
)

/** Returns the seats to choose from, see prisma/functions/see_best.sql. */
export async function seeBest(
  db: Database,
  eventId: string,
  { quantity, sectionNo, levelNo, together, fromRow }: Omit<BestSeats, 'look'>,
): Promise<{ available: number; firstRow: number | null }> {
  const [row] = await db.prisma.$queryRaw<[{ available: number; firstRow: number | null }]>(
    SEE_BEST(eventId, sectionNo, levelNo, quantity, together, fromRow),
  )
  return row
}

const SEE_GENERAL_ADMISSION = statement(
  'see_general_admission',
  'select available from see_general_admission($1, $2, $3) available',
)

/** Returns the number of free units, up to `quantity`: see prisma/functions/see_general_admission.sql. */
export async function seeGeneralAdmission(
  db: Database,
  eventId: string,
  { quantity, sectionNo }: Omit<GeneralAdmission, 'look'>,
): Promise<number> {
  const [row] = await db.prisma.$queryRaw<[{ available: number }]>(
    SEE_GENERAL_ADMISSION(eventId, sectionNo, quantity),
  )
  return row.available
}
