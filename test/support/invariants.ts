import { expect } from 'vitest'
import type { Database } from '../../src/sql/database/database.ts'

/** The fewest tickets that an entry `w` of the waitlist takes. */
const NEED = (w: string) =>
  `case when ${w}.accept_fewer then greatest(1, ${w}.wheelchair_seats) else ${w}.quantity end`

/**
 * Of the seats of hold `h` those that a wish `x` of an entry `w` covers, in one row `f`: covered, of these wheelchairs, and the
 * longest block side by side; a unit of general admission counts as a block with the others of its section, as do seats at
 * one table, and seats of one closed row.
 */
const COVERED = (h: string, w: string) => `(
    select count(*)::int as covered, (count(*) filter (where y.wheelchair))::int as wheelchairs,
      coalesce(max(y.length), 0)::int as longest
    from (
      select z.wheelchair, count(*) over (
        partition by z.section_no, z.row_or_table, case when not z.is_closed then z.row_place - z.nth end) as length
      from (
        select s.wheelchair, s.section_no, s.row_place, s.across is not null or ring_size(s.row_place) > 0 as is_closed,
          least(s.row_no, (select a.row_no from seats a where a.event_id = s.event_id and a.no = s.across)) as row_or_table,
          row_number() over (partition by s.row_no order by s.row_place) as nth
        from hold_items i join seats s on s.event_id = i.event_id and s.no = i.seat_no
        where i.event_id = ${h}.event_id and i.hold_id = ${h}.hold_id
          and (x.section_no is null or s.section_no = x.section_no)
          and (x.level_no is null or s.level_no = x.level_no)
          and (s.wheelchair or s.companion_of is not null) = (${w}.wheelchair_seats > 0)
      ) z
    ) y
  ) f`

const WISHES_OF = (w: string) =>
  `wishes_of(${w}.section_no, ${w}.level_no, ${w}.else_sections, ${w}.else_levels) x`

/** Entries `a` that waited while a later entry `b` got an offer. Each rule adds the condition that makes it wrong. */
const OVERTAKEN = `
    with offered as materialized (
      select * from waitlist_entries where event_id = any ($1) and offered_at is not null)
    select a.id as what from waitlist_entries a
    join offered b on b.event_id = a.event_id and b.no > a.no
    where a.event_id = any ($1)
      and (a.offered_at is null or a.offered_at > b.offered_at)
      and (a.ended_at is null or a.ended_at > b.offered_at)`

/**
 * Rules that hold for an event whenever no transaction is open. Each statement lists what breaks the rule in its name.
 * `$1` are the events.
 */
const INVARIANTS: Record<string, string> = {
  'a seat has one live ticket at most': `
    select seat_no::text as what from tickets
    where event_id = any ($1) and voided_at is null group by event_id, seat_no having count(*) > 1`,

  'a sold seat has a live ticket of its confirmed order': `
    select s.no::text as what from seats s
    where s.event_id = any ($1) and s.status = 2 and not exists (
      select from tickets t join orders o on o.event_id = t.event_id and o.id = t.order_id
      where t.event_id = s.event_id and t.seat_no = s.no and t.voided_at is null
        and t.order_id = s.order_id and o.state = 'CONFIRMED')`,

  'the seat of a live ticket is sold to its order': `
    select t.id as what from tickets t
    left join seats s on s.event_id = t.event_id and s.no = t.seat_no
    where t.event_id = any ($1) and t.voided_at is null
      and (s.no is null or s.status <> 2 or s.order_id is distinct from t.order_id)`,

  'a held seat belongs to a hold that has not ended, until that hold ends': `
    select s.no::text as what from seats s
    where s.event_id = any ($1) and s.status = 1 and not exists (
      select from holds h join hold_items i on i.event_id = h.event_id and i.hold_id = h.id
      where h.event_id = s.event_id and h.id = s.hold_id and i.seat_no = s.no
        and h.outcome is null and h.expires_at = s.held_until)`,

  'a hold has items, and their sum is its amount': `
    select h.id as what from holds h
    where h.event_id = any ($1) and h.amount is distinct from (
      select sum(i.price + i.fee) from hold_items i where i.event_id = h.event_id and i.hold_id = h.id)`,

  'a hold that lives has all of its seats': `
    select i.hold_id as what from holds h
    join hold_items i on i.event_id = h.event_id and i.hold_id = h.id
    join seats s on s.event_id = i.event_id and s.no = i.seat_no
    where h.event_id = any ($1) and h.outcome is null and h.expires_at > now()
      and s.hold_id is distinct from h.id`,

  'a sold hold has one order that bought it': `
    select h.id as what from holds h
    where h.event_id = any ($1) and h.outcome = 'SOLD' and 1 <> (
      select count(*) from orders o
      where o.event_id = h.event_id and o.hold_id = h.id and o.state in ('CONFIRMED', 'CANCELLED'))`,

  'a confirmed order has sold its hold, at its price, with a ticket for each item': `
    select o.id as what from orders o
    join holds h on h.event_id = o.event_id and h.id = o.hold_id
    where o.event_id = any ($1) and o.state = 'CONFIRMED' and (
      h.outcome is distinct from 'SOLD' or h.amount <> o.amount
      or (select array_agg(i.seat_no order by i.seat_no) from hold_items i
          where i.event_id = h.event_id and i.hold_id = h.id)
        is distinct from
         (select array_agg(distinct t.seat_no order by t.seat_no) from tickets t
          where t.event_id = o.event_id and t.order_id = o.id))`,

  'tickets belong to orders that were confirmed, live ones to those that still are': `
    select t.id as what from tickets t
    join orders o on o.event_id = t.event_id and o.id = t.order_id
    where t.event_id = any ($1) and o.state <> 'CONFIRMED' and (o.state <> 'CANCELLED' or t.voided_at is null)`,

  'money was captured for orders that were confirmed': `
    select o.id as what from orders o
    where o.event_id = any ($1) and o.payment = 'CAPTURED' and o.state <> 'CONFIRMED'`,

  'the refunds of an order are at most its amount, and those that are done are what it has refunded': `
    select o.id as what from orders o
    cross join lateral (
      select coalesce(sum(r.amount), 0) as every, coalesce(sum(r.amount) filter (where r.state = 'DONE'), 0) as done
      from refunds r where r.event_id = o.event_id and r.order_id = o.id) r
    where o.event_id = any ($1) and (r.every > o.amount or r.done <> o.refunded)`,

  'a confirmed order has a live ticket': `
    select o.id as what from orders o
    where o.event_id = any ($1) and o.state = 'CONFIRMED' and not exists (
      select from tickets t where t.event_id = o.event_id and t.order_id = o.id and t.voided_at is null)`,

  'a companion seat is held by who holds, held or bought its wheelchair seat': `
    select i.hold_id as what from holds h
    join hold_items i on i.event_id = h.event_id and i.hold_id = h.id
    join seats s on s.event_id = i.event_id and s.no = i.seat_no
    where h.event_id = any ($1) and s.companion_of is not null and not exists (
      select from holds w join hold_items x on x.event_id = w.event_id and x.hold_id = w.id
      where w.event_id = h.event_id and w.account_id = h.account_id and x.seat_no = s.companion_of)`,

  'a place in a row is one seat’s': `
    select min(no)::text as what from seats
    where event_id = any ($1) and row_no is not null
    group by event_id, row_no, row_place having count(*) > 1`,

  'an account stays within the limit': `
    select a.account_id as what
    from (select distinct event_id, account_id from holds where event_id = any ($1)) a
    join sales s on s.event_id = a.event_id
    where s.ticket_limit < (
      select count(*) from tickets t join orders o on o.event_id = t.event_id and o.id = t.order_id
      where t.event_id = a.event_id and o.account_id = a.account_id and t.voided_at is null
    ) + (
      -- Those with time left, and past it those that are being paid for.
      select count(*) from holds h join hold_items i on i.event_id = h.event_id and i.hold_id = h.id
      where h.event_id = a.event_id and h.account_id = a.account_id and h.outcome is null and (
        h.expires_at > now() or exists (
          select from orders o where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING'))
    )`,

  'an offer of the waitlist is a hold of its account, of what the entry takes': `
    select w.id as what from waitlist_entries w
    where w.event_id = any ($1) and w.hold_id is not null and not exists (
      select from holds h
      cross join ${WISHES_OF('w')}
      cross join lateral ${COVERED('w', 'w')}
      where h.event_id = w.event_id and h.id = w.hold_id and h.account_id = w.account_id
        and f.covered = (select count(*) from hold_items i where i.event_id = h.event_id and i.hold_id = h.id)
        and f.covered between ${NEED('w')} and w.quantity
        and f.wheelchairs = w.wheelchair_seats
        and (w.together is not true or f.longest = f.covered))`,

  // The reason may have changed since.
  'no waitlist entry is overtaken by an offer that would have fitted it, but for the limit of the account': `
    ${OVERTAKEN}
      and (a.passed_over is null or a.passed_over = 'TOO_FEW_BACK' and a.passed_over_at <= b.offered_at)
      and exists (
        select from ${WISHES_OF('a')} cross join lateral ${COVERED('b', 'a')}
        where f.wheelchairs >= a.wheelchair_seats
          and case when a.together then f.longest else f.covered end >= ${NEED('a')})`,

  // An ordinary hold is refused by the demand: see prisma/functions/waitlist_wants.sql.
  'what a waiting entry wants is demanded, but for the limit of the account': `
    select w.id as what from waitlist_entries w cross join lateral ${WISHES_OF('w')}
    where w.event_id = any ($1) and w.state = 'WAITING' and w.passed_over is distinct from 'TICKET_LIMIT'
      and not exists (
        select from waitlist_demand d
        where d.event_id = w.event_id and d.section_no = coalesce(x.section_no, -1)
          and d.level_no = coalesce(x.level_no, -1) and d.together = coalesce(w.together, false)
          and d.wheelchair_seats = w.wheelchair_seats and d.need <= ${NEED('w')})`,

  'no waitlist entry is overtaken without a reason': `
    ${OVERTAKEN} and a.passed_over is null`,
}

/** Fails with every broken rule and the rows that break it. Call it when no work is under way. */
export async function expectInvariants(db: Database, ...eventIds: string[]): Promise<void> {
  expect(await brokenInvariants(db, ...eventIds)).toEqual({})
}

/** Returns the rows that break a rule, by the names of the broken rules. */
export async function brokenInvariants(
  { pool }: Database,
  ...eventIds: string[]
): Promise<Record<string, string[]>> {
  const broken: Record<string, string[]> = {}
  for (const [rule, statement] of Object.entries(INVARIANTS)) {
    const { rows } = await pool.query<{ what: string }>(statement, [eventIds])
    if (rows.length > 0) broken[rule] = rows.map(({ what }) => what)
  }
  return broken
}
