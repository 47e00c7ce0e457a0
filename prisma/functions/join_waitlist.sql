-- Puts an account on the waitlist of an event, at its end, for a wish that cannot be held now.
--
-- outcome             its fields
-- joined              the entry; closed: from now on the sale is the waitlist's
-- known               the entry that the account has already
-- not_sold_out        wish: the first one that can be held now, from 0, with quantity and together: the hold that succeeds;
--                     seat_nos, area: see wish_fits. Null where the sale is not open yet
-- admission_required  the sale has a waiting room and is not sold out, and the account has no admission
-- ticket_limit        ticket_limit, used, held: the part of used that is in holds
-- ended, no_sale
--
-- settled: the account's last entry, if its offer was over
--
-- The wish is the section and the level, or any of the alternatives, each null for any. p_together null: side by side where such a
-- block is free.
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
  p_else_sections smallint[],
  p_else_levels smallint[],
  p_together boolean,
  p_wheelchairs int,
  p_accept_fewer boolean,
  out outcome text,
  out entry_id text,
  out closed boolean,
  out settled text,
  out wish int,
  out quantity int,
  out together boolean,
  out seat_nos int[],
  out area smallint,
  out ticket_limit int,
  out used int,
  out held int
)
language plpgsql
as $$
#variable_conflict use_column
declare
  v_sale record;
  v_wish record;
  v_fit record;
  v_sold_out boolean;
begin
  perform pg_advisory_xact_lock_shared(waitlist_lock(p_event));
  closed := false;
  -- An offer that is over must not keep the account from a new entry.
  settled := (settle_offer(p_event, p_account))[1];
  select w.id into entry_id
    from waitlist_entries w
    where w.event_id = p_event and w.account_id = p_account and w.state in ('WAITING', 'OFFERED');
  if found then
    outcome := 'known';
    return;
  end if;

  select s.ticket_limit, s.waitlist_only, s.waiting_room, s.seat_picking, now() < s.opens_at as is_early,
      now() >= waitlist_end(s.ends_at, e.starts_at) as is_over
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
  if v_sale.is_early then
    outcome := 'not_sold_out';
    return;
  end if;
  v_sold_out := v_sale.waitlist_only or is_sold_out(p_event);
  if not v_sold_out then
    -- An entry gets seats before the fans in the line, so it needs what a hold needs.
    if v_sale.waiting_room and not exists (
      select from admissions a
      where a.event_id = p_event and a.account_id = p_account and a.ended_at is null and a.expires_at > sale_clock()
    ) then
      outcome := 'admission_required';
      return;
    end if;
    -- Wheelchair seats are held by name.
    if p_wheelchairs = 0 or v_sale.seat_picking then
      for v_wish in
        select * from wishes_of(p_section, p_level, p_else_sections, p_else_levels) order by nth
      loop
        quantity := p_quantity;
        together := coalesce(p_together, true);
        v_fit := wish_fits(p_event, v_wish.section_no, v_wish.level_no, together, p_wheelchairs, quantity);
        if v_fit.nos is null and p_together is null and p_wheelchairs = 0 and p_quantity > 1 then
          together := false;
          v_fit := wish_fits(p_event, v_wish.section_no, v_wish.level_no, together, p_wheelchairs, quantity);
        end if;
        if v_fit.nos is null and p_accept_fewer then
          quantity := most_now(p_event, v_wish.section_no, v_wish.level_no, together, p_wheelchairs, p_quantity);
          if quantity >= greatest(1, p_wheelchairs) then
            v_fit := wish_fits(p_event, v_wish.section_no, v_wish.level_no, together, p_wheelchairs, quantity);
          end if;
        end if;
        if v_fit.nos is not null then
          outcome := 'not_sold_out';
          wish := v_wish.nth;
          seat_nos := v_fit.nos;
          area := v_fit.area;
          return;
        end if;
      end loop;
    end if;
  end if;

  select u.tickets + u.held, u.held into used, held from account_use(p_event, p_account) u;
  if used + p_quantity > v_sale.ticket_limit then
    outcome := 'ticket_limit';
    ticket_limit := v_sale.ticket_limit;
    return;
  end if;

  insert into waitlist_entries (
      event_id, id, account_id, email, quantity, section_no, level_no, else_sections, else_levels, together, wheelchair_seats,
      accept_fewer
    ) values (
      p_event, p_entry, p_account, p_email, p_quantity, p_section, p_level, p_else_sections, p_else_levels, p_together,
      p_wheelchairs, p_accept_fewer
    )
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
  insert into waitlist_demand (event_id, section_no, level_no, together, wheelchair_seats, need)
    select p_event, coalesce(w.section_no, -1), coalesce(w.level_no, -1), coalesce(p_together, false), p_wheelchairs,
      case when p_accept_fewer then greatest(1, p_wheelchairs) else p_quantity end
    from wishes_of(p_section, p_level, p_else_sections, p_else_levels) w
    order by 2, 3
    on conflict do nothing;
  if v_sold_out and not v_sale.waitlist_only then
    update sales s set waitlist_only = true where s.event_id = p_event and not s.waitlist_only;
    closed := found;
  end if;
end;
$$;
