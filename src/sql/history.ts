import type { Database } from './database.ts'

export interface History {
  /** Confirmed. */
  readonly orders: number
  readonly tickets: number
  /** Holds that ended, and those of them that ended unpaid. */
  readonly holdsEnded: number
  readonly holdsUnpaid: number
}

/** What has come of the sale until now. Reads every order and hold of the event: not for every second. */
export async function readHistory({ pool }: Database, eventId: string): Promise<History> {
  const { rows } = await pool.query({
    text: `select o.orders, o.tickets, h."holdsEnded", h."holdsUnpaid"
      from (
        select count(distinct t.order_id)::int as orders, count(*)::int as tickets
        from tickets t where t.event_id = $1 and t.voided_at is null
      ) o, (
        select count(*)::int as "holdsEnded", count(*) filter (where outcome <> 'SOLD')::int as "holdsUnpaid"
        from holds where event_id = $1 and outcome is not null
      ) h`,
    values: [eventId],
  })
  return rows[0]
}
