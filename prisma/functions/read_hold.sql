-- A hold as it is now. Its state is derived: a hold whose time has run out is EXPIRED whether or not the sweep has ended it.
-- order_id: the order that is paying for it or has bought it.
create function read_hold(
  p_event text,
  p_hold text,
  out hold_id text,
  out account_id text,
  out state text,
  out amount bigint,
  out currency text,
  out expires_at timestamptz,
  out order_id text,
  out seat_nos int[],
  out level_nos smallint[],
  out prices bigint[],
  out fees bigint[],
  out as_of timestamptz
) returns setof record
language sql stable
as $$
  select h.id, h.account_id,
    case when h.outcome is not null then h.outcome when h.expires_at <= sale_clock() then 'EXPIRED' else 'ACTIVE' end,
    h.amount, h.currency, h.expires_at, o.id, i.seat_nos, i.level_nos, i.prices, i.fees, now()
  from holds h
  cross join lateral (
    select
      array_agg(x.seat_no order by x.seat_no) as seat_nos,
      array_agg(x.level_no order by x.seat_no) as level_nos,
      array_agg(x.price order by x.seat_no) as prices,
      array_agg(x.fee order by x.seat_no) as fees
    from hold_items x
    where x.event_id = h.event_id and x.hold_id = h.id
  ) i
  left join orders o
    on o.event_id = h.event_id and o.hold_id = h.id and o.state in ('PAYING', 'CONFIRMED', 'CANCELLED')
  where h.event_id = p_event and h.id = p_hold;
$$;
