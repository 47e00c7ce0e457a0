-- Puts an account on the waitlist of an event that is sold out, at its end.
--
-- outcome        its fields
-- joined         the entry; closed: from now on seats that come back are the waitlist's
-- known          the entry that the account has already
-- not_sold_out   seats are free, or held and may come back
-- ticket_limit   ticket_limit, used, held: the part of used that is in holds
-- ended, no_sale
--
-- settled: the entry whose offer was over, if there was one
--
-- Locks the waitlist, shared, and nothing that offers wait for. An entry gets its number under this lock, and each later offer
-- sees it. So entries that join at the same time need not wait for each other.
create function join_waitlist(
  p_event text,
  p_entry text,
  p_account text,
  p_email text,
  p_quantity int,
  p_section smallint,
  p_level smallint,
  p_accept_fewer boolean,
  out outcome text,
  out entry_id text,
  out closed boolean,
  out settled text,
  out ticket_limit int,
  out used int,
  out held int
)
language plpgsql
as $$
declare
  v_sale record;
begin
  perform pg_advisory_xact_lock_shared(waitlist_lock(p_event));
  closed := false;
  -- An offer that is over must not keep the account from a new entry.
  settled := settle_offer(p_event);
  select w.id into entry_id
    from waitlist_entries w
    where w.event_id = p_event and w.account_id = p_account and w.state in ('WAITING', 'OFFERED');
  if found then
    outcome := 'known';
    return;
  end if;

  select s.ticket_limit, s.waitlist_only, now() < s.opens_at as is_early, now() >= waitlist_end(s.ends_at, e.starts_at) as is_over
    into v_sale
    from sales s join events e on e.id = s.event_id
    where s.event_id = p_event;
  if not found then
    outcome := 'no_sale';
    return;
  end if;
  if v_sale.is_over then
    outcome := 'ended';
    return;
  end if;
  if v_sale.is_early or not v_sale.waitlist_only and not is_sold_out(p_event) then
    outcome := 'not_sold_out';
    return;
  end if;

  select u.tickets + u.held, u.held into used, held from account_use(p_event, p_account) u;
  if used + p_quantity > v_sale.ticket_limit then
    outcome := 'ticket_limit';
    ticket_limit := v_sale.ticket_limit;
    return;
  end if;

  insert into waitlist_entries (event_id, id, account_id, email, quantity, section_no, level_no, accept_fewer)
    values (p_event, p_entry, p_account, p_email, p_quantity, p_section, p_level, p_accept_fewer)
    on conflict (event_id, account_id) where state in ('WAITING', 'OFFERED') do nothing
    returning id into entry_id;
  if entry_id is null then
    -- A concurrent call of this account was faster, and has committed.
    outcome := 'known';
    select w.id into entry_id
      from waitlist_entries w
      where w.event_id = p_event and w.account_id = p_account and w.state in ('WAITING', 'OFFERED');
    return;
  end if;
  outcome := 'joined';
  if not v_sale.waitlist_only then
    update sales s set waitlist_only = true where s.event_id = p_event and not s.waitlist_only;
    closed := found;
  end if;
end;
$$;
