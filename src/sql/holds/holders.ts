import type { Database } from '../database/database.ts'

/** An account with live holds. A hold that an order is paying for lives past its end. */
export interface HolderRow {
  readonly accountId: string
  /** Of its live holds. */
  readonly seats: number
  readonly holds: number
  /** Those of them that an order is paying for. */
  readonly holdsPaying: number
  readonly heldSince: Date
  readonly heldUntil: Date
  /** Digests in hexadecimal, of its latest hold that has one; and the seats of all live holds with the same digest. */
  readonly address: string | null
  readonly addressSeats: number | null
  readonly device: string | null
  readonly deviceSeats: number | null
  /** Holds of this sale, ever; and those that ended without a purchase. */
  readonly holdsMade: number
  readonly holdsUnpaid: number
  /** Valid tickets of this sale. */
  readonly tickets: number
}

/** The sort key of a holder: the seats of its address or device, whichever has more; its own; its id. */
export interface HolderKey {
  readonly originSeats: number
  readonly seats: number
  readonly accountId: string
}

/** Live holds as `live`, of the event $1. */
const LIVE = `live as materialized (
    select h.id, h.account_id, h.address, h.device, h.quantity, h.created_at, h.expires_at, p.paying
    from holds h
    cross join lateral (
      select exists (
        select from orders o where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING') as paying
    ) p
    where h.event_id = $1 and h.ended_at is null and (h.expires_at > (select sale_clock()) or p.paying)
  )`

/**
 * The accounts with live holds: those of the address or device with the most held seats first. Reads every live hold of the
 * event, and the past holds of the accounts that it returns.
 */
export async function readHolders(
  { pool }: Database,
  eventId: string,
  after: HolderKey | null,
  limit: number,
): Promise<(HolderRow & Pick<HolderKey, 'originSeats'>)[]> {
  const { rows } = await pool.query(
    `with ${LIVE}, holders as (
        select account_id, sum(quantity)::int as seats, count(*)::int as holds,
          (count(*) filter (where paying))::int as paying, min(created_at) as since, max(expires_at) as until,
          (array_agg(address order by created_at desc) filter (where address is not null))[1] as address,
          (array_agg(device order by created_at desc) filter (where device is not null))[1] as device
        from live group by account_id
      ), ranked as (
        select h.*, a.seats as address_seats, d.seats as device_seats,
          greatest(a.seats, d.seats, h.seats) as origin_seats
        from holders h
        left join (select address, sum(quantity)::int as seats from live group by address) a using (address)
        left join (select device, sum(quantity)::int as seats from live group by device) d using (device)
      ), page as (
        select * from ranked r
        where $2::int is null or (-r.origin_seats, -r.seats, r.account_id) > (-$2::int, -$3::int, $4::text)
        order by r.origin_seats desc, r.seats desc, r.account_id
        limit $5
      )
      select p.account_id as "accountId", p.seats, p.holds, p.paying as "holdsPaying", p.since as "heldSince",
        p.until as "heldUntil", encode(p.address, 'hex') as address, p.address_seats as "addressSeats",
        encode(p.device, 'hex') as device, p.device_seats as "deviceSeats", p.origin_seats as "originSeats",
        x.made as "holdsMade", x.unpaid as "holdsUnpaid", t.tickets
      from page p
      cross join lateral (
        select count(*)::int as made, (count(*) filter (where h.outcome <> 'SOLD'))::int as unpaid
        from holds h where h.event_id = $1 and h.account_id = p.account_id
      ) x
      cross join lateral (
        select count(*)::int as tickets from tickets t
        where t.event_id = $1 and t.account_id = p.account_id and t.voided_at is null
      ) t
      order by p.origin_seats desc, p.seats desc, p.account_id`,
    [eventId, after?.originSeats ?? null, after?.seats ?? null, after?.accountId ?? null, limit],
  )
  return rows
}

/** Whose holds: an account's, or those with the digest of an address or a device, in hexadecimal. */
export interface HolderSelection {
  readonly kind: 'account' | 'address' | 'device'
  readonly value: string
}

/** The live holds of an account, an address or a device, the oldest first. */
export async function readHoldsOf(
  { pool }: Database,
  eventId: string,
  { kind, value }: HolderSelection,
): Promise<{ readonly id: string; readonly accountId: string; readonly quantity: number }[]> {
  const { rows } = await pool.query(
    `with ${LIVE}
      select id, account_id as "accountId", quantity from live
      where case $2 when 'account' then account_id = $3
        when 'address' then encode(address, 'hex') = $3 else encode(device, 'hex') = $3 end
      order by created_at, id`,
    [eventId, kind, value],
  )
  return rows
}

export interface Hoarding {
  readonly eventId: string
  /** The seats of the address or the device with the most seats in live holds. */
  readonly byOneOrigin: number
  /** Seats in live holds of accounts that let at least two holds end unpaid, and have no ticket. */
  readonly byNonPayers: number
}

/** Signs of hoarding, for each of the events with live holds. Reads all of these, and the past holds of their accounts. */
export async function readHoarding({ pool }: Database, eventIds: readonly string[]): Promise<Hoarding[]> {
  const { rows } = await pool.query(
    `with live as materialized (
        select event_id, account_id, address, device, quantity
        from holds where event_id = any ($1) and ended_at is null and expires_at > (select sale_clock())
      ), accounts as (
        select event_id, account_id, sum(quantity) as seats from live group by 1, 2
      )
      select e.event_id as "eventId",
        greatest(
          (select max(x.seats) from (
            select sum(l.quantity)::int as seats from live l
            where l.event_id = e.event_id and l.address is not null group by l.address) x),
          (select max(x.seats) from (
            select sum(l.quantity)::int as seats from live l
            where l.event_id = e.event_id and l.device is not null group by l.device) x),
          0) as "byOneOrigin",
        (select coalesce(sum(a.seats), 0)::int from accounts a
          where a.event_id = e.event_id and 2 <= (
              select count(*) from holds h
              where h.event_id = a.event_id and h.account_id = a.account_id and h.outcome <> 'SOLD')
            and not exists (
              select from tickets t
              where t.event_id = a.event_id and t.account_id = a.account_id and t.voided_at is null)) as "byNonPayers"
      from (select distinct event_id from live) e`,
    [eventIds],
  )
  return rows
}
