import { expect } from 'vitest'
import type { Database } from '../../src/sql/database/database.ts'

/**
 * Makes the database record every step of every seat. Also creates the function `run_out`, which ends a hold's time and is
 * no step of a seat. It locks in the product's order, and is one statement, so that no lock waits for this process.
 */
export async function recordSteps({ pool }: Database): Promise<void> {
  await pool.query(`
    create table seat_steps as
      select event_id, no, status as from_status, status as to_status, hold_id as from_hold, hold_id as to_hold,
        held_until as from_until, held_until as to_until, order_id as to_order, revision as from_revision,
        revision as to_revision, now() as at
      from seats limit 0;
    create function record_step() returns trigger language plpgsql as $$
    begin
      insert into seat_steps values (new.event_id, new.no, old.status, new.status, old.hold_id, new.hold_id,
        old.held_until, new.held_until, new.order_id, old.revision, new.revision, now());
      return null;
    end $$;
    create trigger record_step after update on seats for each row execute function record_step();
    create function run_out(p_event text, p_hold text) returns void language plpgsql as $$
    declare
      v_until timestamptz;
    begin
      perform set_config('session_replication_role', 'replica', true);
      perform from holds where event_id = p_event and id = p_hold and outcome is null for no key update;
      if found then
        perform from seats where event_id = p_event and hold_id = p_hold order by no for no key update;
        -- In the future, as time goes: after every read of the hold before this commits.
        v_until := date_trunc('milliseconds', clock_timestamp()) + interval '2 milliseconds';
        update holds set expires_at = v_until where event_id = p_event and id = p_hold;
        update seats set held_until = v_until where event_id = p_event and hold_id = p_hold;
      end if;
    end $$`)
}

/** Each statement lists what breaks the rule that is its name, as in INVARIANTS. */
const RULES: Record<string, string> = {
  'a seat makes only valid steps, and its revision grows by one with each': `
    select s.no || ': ' || s.from_status || ' to ' || s.to_status || ' at ' || s.to_revision as what
    from seat_steps s
    where s.event_id = $1 and not (s.to_revision = s.from_revision + 1 and case
      -- Held.
      when s.from_status = 0 and s.to_status = 1 then s.to_hold is not null and s.to_until > s.at
      -- Extended by a payment, or given its own end back by a declined card; or taken by another hold once its time had run out.
      when s.from_status = 1 and s.to_status = 1 and s.to_hold = s.from_hold then s.to_until > s.from_until or exists (
        select from orders o where o.event_id = s.event_id and o.hold_id = s.to_hold and o.state = 'DECLINED')
      when s.from_status = 1 and s.to_status = 1 then s.from_until <= s.at and s.to_until > s.at
      -- Released or expired.
      when s.from_status = 1 and s.to_status = 0 then s.to_hold is null
      -- Sold to the order of its hold.
      when s.from_status = 1 and s.to_status = 2 then exists (
        select from orders o where o.event_id = s.event_id and o.id = s.to_order and o.hold_id = s.from_hold)
      -- Cancelled; blocked; unblocked.
      else (s.from_status, s.to_status) in ((2, 0), (0, 3), (3, 0))
    end)`,

  'no step of a seat is missing': `
    select x.no || ' at ' || x.revision as what
    from (select s.no, s.revision, count(t.no) as steps from seats s
      left join seat_steps t on t.event_id = s.event_id and t.no = s.no
      where s.event_id = $1 group by s.no, s.revision) x
    where x.steps <> x.revision`,

  'a hold takes a seat once, gives it back once, and changes its end once for each payment and each declined card': `
    select x.no || ' ' || x.step || ' ' || x.hold as what
    from (
      select s.event_id, s.no, 'taken by' as step, s.to_hold as hold from seat_steps s
        where s.to_hold is distinct from s.from_hold
      union all
      select s.event_id, s.no, 'given back by', s.from_hold from seat_steps s
        where s.to_hold is distinct from s.from_hold
      union all
      select s.event_id, s.no, 'changed by', s.to_hold from seat_steps s where s.to_hold = s.from_hold
    ) x
    where x.event_id = $1 and x.hold is not null
    group by x.no, x.step, x.hold
    having count(*) > case x.step when 'changed by' then (
      select (count(o.pay_until) + count(*) filter (where o.state = 'DECLINED'))::int
        from orders o where o.event_id = $1 and o.hold_id = x.hold
    ) else 1 end`,

  'a hold that was released or ran out sells nothing afterwards': `
    select h.id as what from holds h
    where h.event_id = $1 and h.outcome in ('RELEASED', 'EXPIRED') and exists (
      select from seat_steps s where s.event_id = h.event_id and s.from_hold = h.id and s.to_status = 2)`,
}

/** Fails with every broken rule and what breaks it. */
export async function expectSteps({ pool }: Database, eventId: string): Promise<void> {
  const broken: Record<string, string[]> = {}
  for (const [rule, statement] of Object.entries(RULES)) {
    const { rows } = await pool.query<{ what: string }>(statement, [eventId])
    if (rows.length > 0) broken[rule] = rows.map(({ what }) => what)
  }
  expect(broken).toEqual({})
}
