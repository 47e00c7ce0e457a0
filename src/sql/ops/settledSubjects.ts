import type { Database } from '../database/database.ts'
import { IS_OPEN } from './deadLetters.ts'

/**
 * When the work of a job is done for its subject, by the state that drives the job: a condition on the subject's row, for each
 * job whose work is done once. A dead letter about such a subject is settled, in whatever way the work was done.
 */
const SETTLED: Readonly<Record<string, { table: string; id?: string; condition: string }>> = {
  capturePayment: { table: 'orders', condition: `s.money_due is distinct from 'CAPTURE'` },
  cancelPayment: { table: 'orders', condition: `s.money_due is distinct from 'CANCEL'` },
  refundPayment: { table: 'refunds', condition: `s.state = 'DONE'` },
  mailOffer: { table: 'waitlist_entries', condition: `s.mailed_at is not null or s.state <> 'OFFERED'` },
  sendMail: {
    table: 'mails',
    id: `concat_ws('.', s.order_id, s.kind, s.occasion)`,
    condition: `s.outcome in ('SENT', 'OVERTAKEN')`,
  },
}

/** The jobs that SETTLED has. */
export const SETTLED_JOBS: readonly string[] = Object.keys(SETTLED)

/** The subject's event is a part of its id, and the key of its table begins with the event. */
const ofLetter = ({ id = 's.id' }: { id?: string }) => `
  s.event_id = 'evt_' || split_part(dead_letters.subject, '_', 2) and ${id} = dead_letters.subject`

/** Closes the open letters of a job whose subjects are settled. Returns their number. */
export async function closeSettled({ pool }: Database, job: string): Promise<number> {
  const settled = SETTLED[job]
  if (!settled) return 0
  const { rowCount } = await pool.query(
    `update dead_letters
       set succeeded_at = now(), replay_at = null
       from ${settled.table} s
       where queue = $1 and ${IS_OPEN} and ${ofLetter(settled)} and (${settled.condition})`,
    [job],
  )
  return rowCount ?? 0
}

/** A statement with the letters of the event `$1` that ops discarded and whose subject is not settled. */
export const LEFT_TO_OPS = Object.entries(SETTLED)
  .map(
    ([job, { table, id, condition }]) => `
  (select distinct on (subject) 'LEFT_TO_OPS' as kind, null::int as "seatNo", dead_letters.subject as id,
      format('ops discarded its %s on %s, and it is not done: %s', job, discarded_at, error) as detail
    from dead_letters
    join ${table} s on ${ofLetter({ id })}
    where s.event_id = $1 and queue = '${job}' and discarded_at is not null and not (${condition})
    order by subject, discarded_at)`,
  )
  .join(' union all ')
