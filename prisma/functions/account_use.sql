-- What counts against an account's ticket limit for an event, from one snapshot: the tickets that it owns, and the seats
-- of its holds that live or that an order is paying for. The latter count past the hold's end too, since such an order may
-- still become tickets. Exact only under account_lock.
--
-- p_clock: a time of sale_clock(); default: the present
-- p_but: a hold that is left out
--
-- Voided tickets are left out of the count, and not of the rows. Otherwise a planner that has seen few tickets walks through
-- all tickets of the event, along the index of those that are valid. An account's holds are read in the order of the index that
-- finds them. To a planner that has seen an empty table every index is as good, and a connection with such a plan walked
-- through all of the event's holds for each hold, until the table was analyzed.
create function account_use(
  p_event text,
  p_account text,
  p_clock timestamptz default null,
  p_but text default null,
  out tickets int,
  out held int
) returns setof record
language sql stable
as $$
  select
    (select count(*) filter (where t.voided_at is null) from tickets t
      where t.event_id = p_event and t.account_id = p_account)::int,
    (select count(*) from (
        select h.event_id, h.id, h.expires_at from holds h
        where h.event_id = p_event and h.account_id = p_account and h.outcome is null and h.id is distinct from p_but
        order by h.idempotency_key
      ) h join hold_items i on i.event_id = h.event_id and i.hold_id = h.id
      where h.expires_at > coalesce(p_clock, (select sale_clock())) or exists (
        select from orders o
        where o.event_id = h.event_id and o.hold_id = h.id and o.state = 'PAYING'))::int;
$$;
