import type { Database } from '../database/database.ts'
import { LATE_SECONDS } from '../ops/history.ts'

export interface AdmissionRow {
  readonly eventId: string
  readonly accountId: string
  readonly arrival: number
  readonly place: number
  readonly device: Uint8Array<ArrayBuffer>
  readonly expiresAt: Date
  readonly state: 'ALIVE' | 'EXPIRED' | 'ENDED'
}

const COLUMNS = `event_id as "eventId", account_id as "accountId", arrival, place, device, expires_at as "expiresAt",
  case when ended_at is not null then 'ENDED' when expires_at <= sale_clock() then 'EXPIRED' else 'ALIVE' end as state`

/** The account's last admission, alive or over. */
export async function readAdmission(
  { pool }: Database,
  eventId: string,
  accountId: string,
): Promise<AdmissionRow | null> {
  const { rows } = await pool.query({
    name: 'read_admission',
    text: `select ${COLUMNS} from admissions where event_id = $1 and account_id = $2`,
    values: [eventId, accountId],
  })
  return rows[0] ?? null
}

/**
 * Admits a called place, once: an existing row stays, unless it belongs to an earlier place of the account. Returns
 * the row, whichever call made it.
 */
export async function insertAdmission(
  db: Database,
  admission: Pick<AdmissionRow, 'eventId' | 'accountId' | 'arrival' | 'place' | 'device'>,
  seconds: number,
): Promise<AdmissionRow> {
  const { eventId, accountId, arrival, place, device } = admission
  const { rows } = await db.pool.query({
    name: 'insert_admission',
    text: `insert into admissions as a (event_id, account_id, arrival, place, device, expires_at)
      values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
      on conflict (event_id, account_id) do update
        set arrival = excluded.arrival, place = excluded.place, device = excluded.device,
          admitted_at = now(), expires_at = excluded.expires_at, ended_at = null
        where a.arrival < excluded.arrival
      returning ${COLUMNS}`,
    values: [eventId, accountId, arrival, place, device, seconds],
  })
  return rows[0] ?? ((await readAdmission(db, eventId, accountId)) as AdmissionRow)
}

/** Ends the admission of a place that was given up. */
export async function endAdmission(
  { pool }: Database,
  eventId: string,
  accountId: string,
  arrival: number,
): Promise<void> {
  await pool.query(
    `update admissions set ended_at = now()
     where event_id = $1 and account_id = $2 and arrival = $3 and ended_at is null and expires_at > sale_clock()`,
    [eventId, accountId, arrival],
  )
}

/** Binds the admission of a place to another device. */
export async function moveAdmission(
  { pool }: Database,
  eventId: string,
  accountId: string,
  arrival: number,
  device: Uint8Array,
): Promise<void> {
  await pool.query(
    `update admissions set device = $4
     where event_id = $1 and account_id = $2 and arrival = $3 and device <> $4`,
    [eventId, accountId, arrival, device],
  )
}

/** Of these places, those that were ever admitted. */
export async function findAdmittedPlaces(
  { pool }: Database,
  eventId: string,
  places: readonly number[],
): Promise<number[]> {
  const { rows } = await pool.query<{ place: number }>(
    'select place from admissions where event_id = $1 and place = any ($2)',
    [eventId, places],
  )
  return rows.map(({ place }) => place)
}

export interface Crowd {
  /** Admissions alive. */
  readonly inside: number
  /** Those of them with no hold, no order paying and no limit reached, by the number of marks since the admission, or since its
      account's last hold ended. */
  readonly searchers: readonly number[]
  /** Admissions ever given to places above `calledBefore`, without those that were given up. */
  readonly cameLately: number
  /** Admissions ever given to the `window` places up to `calledBefore`. */
  readonly cameBefore: number
  /** Seats in holds that are late, see history.ts, and that no order is paying for. */
  readonly runningOut: number
}

export interface CountCrowd {
  readonly eventId: string
  readonly calledBefore: number
  readonly window: number
  /** Arrival indexes. */
  readonly abandoned: readonly number[]
  /** Ascending. */
  readonly marks: readonly Date[]
  /** Accounts that cannot hold at this time. They are inside, and keep no seat from another fan. */
  readonly limitedAccounts: readonly string[]
}

/** Counts the accounts inside, and those of the called places that came. */
export async function countCrowd(
  { pool }: Database,
  { eventId, calledBefore, window, abandoned, marks, limitedAccounts }: CountCrowd,
): Promise<Crowd> {
  const { rows } = await pool.query({
    text: `with alive as materialized (
        select a.account_id, a.admitted_at,
          exists (
            select from holds h
            where h.event_id = $1 and h.account_id = a.account_id and h.ended_at is null and h.expires_at > (select sale_clock())
          ) or exists (
            select from orders o where o.event_id = $1 and o.account_id = a.account_id and o.state = 'PAYING'
          ) as is_busy
        from admissions a
        where a.event_id = $1 and a.ended_at is null and a.expires_at > sale_clock()
      ), searchers as (
        select cardinality($5::timestamptz[]) - width_bucket(
            greatest(a.admitted_at, (
              select max(coalesce(h.ended_at, h.expires_at)) from holds h
              where h.event_id = $1 and h.account_id = a.account_id
            )), $5::timestamptz[]) as marks
        from alive a
        where not a.is_busy and a.account_id <> all ($7)
      )
      select (select count(*)::int from alive) as inside,
        array(
          select count(s.marks)::int
          from generate_series(0, cardinality($5::timestamptz[])) m left join searchers s on s.marks = m
          group by m order by m
        ) as searchers,
        (select count(*)::int from admissions c
          where c.event_id = $1 and c.place > $2 and c.arrival <> all ($4)) as "cameLately",
        (select count(*)::int from admissions c
          where c.event_id = $1 and c.place > $2 - $3 and c.place <= $2) as "cameBefore",
        (select coalesce(sum(h.quantity), 0)::int from holds h
          where h.event_id = $1 and h.ended_at is null
            and h.expires_at > (select sale_clock()) and h.expires_at <= (select sale_clock()) + make_interval(secs => $6)
            and not exists (
              select from orders o where o.event_id = $1 and o.hold_id = h.id and o.state = 'PAYING')) as "runningOut"`,
    values: [eventId, calledBefore, window, abandoned, marks, LATE_SECONDS, limitedAccounts],
  })
  return rows[0]
}
