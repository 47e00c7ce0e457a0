-- Serves an event's waitlist: ends the offers that are over, and offers free seats to the first entry that they fit, as a hold of
-- the entry's account. One offer a call, so that a call locks the seats of one account; offers live side by side, and one
-- that is being paid for stops no other. Call again while the outcome is offered, missed or passing. Safe to call at any time,
-- twice, and from several processes at once: they exclude each other.
--
-- outcome        its fields
-- offered        entry_id; seat_nos and revisions: the seats of its hold
-- closed         the sale is the waitlist's from now on: nothing is free or held but offers
-- opened         the sale was the waitlist's and is open again: the seats that are free fit no entry
-- idle           no work
-- paused         the sale is
-- over           the sale is; ended: the entries that waited until then
-- missed         a seat was locked at this very moment
-- passing        many entries are passed over, or ended, and not all have been yet
--
-- settled: the entries whose offers were over
--
-- Seats fit an entry: as many as it asks for, of its section and price level or of one of its alternatives, the first that fits,
-- and within its account's ticket limit; fewer where it takes fewer. Side by side in one row where such a block is free,
-- else on both sides of a table, otherwise in as few pieces as possible, unless it takes seats side by side only; or all in one
-- area of general admission.
-- Where the sale forbids single seats, an offer leaves no more of them than it must. Wheelchair seats and their companions are
-- offered to the entries that ask for them, and to no other.
--
-- Lock order: waitlist, account, entry, rows, seats. A transaction that shares the waitlist's lock takes it first.
create function offer_waitlist(
  p_event text,
  p_hold text,
  out outcome text,
  out settled text[],
  out ended text[],
  out entry_id text,
  out seat_nos int[],
  out revisions int[]
)
language plpgsql
as $$
declare
  v_sale record;
  v_sections smallint[];
  v_levels smallint[];
  v_areas boolean[];
  v_free int[];
  v_most int;
  v_waiting boolean;
  v_entry record;
  v_key text;
  -- The longest blocks seen, by section and level: all entries with the same wish share a look.
  v_blocks jsonb := '{}';
  v_block int;
  -- The wishes for wheelchair seats that nothing fits.
  v_unfit text[] := '{}';
  v_fit int;
  v_room int;
  v_size int;
  v_nos int[];
  v_limited text[] := '{}';
  v_answer hold_answer;
begin
  perform set_config('lock_timeout', '5s', true);
  perform pg_advisory_xact_lock(waitlist_lock(p_event));

  settled := settle_offer(p_event);
  select s.paused, s.waitlist_only, s.ticket_limit, s.hold_seconds, s.allow_orphan_seats,
      now() >= waitlist_end(s.ends_at, e.starts_at) as is_over
    into v_sale
    from sales s join events e on e.id = s.event_id
    where s.event_id = p_event;
  if not found then
    outcome := 'over';
    return;
  end if;
  if v_sale.is_over then
    -- In pieces, as pass_over does.
    with chosen as (
      select w.no
      from waitlist_entries w
      where w.event_id = p_event and w.state = 'WAITING'
      order by w.no
      limit 5000
    ), lapsed as (
      update waitlist_entries w
      set state = 'LAPSED', ended_at = clock_timestamp(), email = null
      where w.event_id = p_event and w.state = 'WAITING' and w.no <= (select max(c.no) from chosen c)
      returning w.id
    )
    select array_agg(l.id) into ended from lapsed l;
    outcome := case when cardinality(ended) < 5000 or ended is null then 'over' else 'passing' end;
    if outcome = 'over' then
      perform keep_demand(p_event, '{}');
    end if;
    return;
  end if;
  if v_sale.paused then
    outcome := 'paused';
    return;
  end if;

  v_waiting := exists (select from waitlist_entries w where w.event_id = p_event and w.state = 'WAITING');
  if v_waiting then
    select array_agg(x.section_no), array_agg(x.level_no), array_agg(x.is_area), array_agg(x.free),
        coalesce(greatest(sum(x.free) filter (where not x.is_area), max(x.free) filter (where x.is_area)), 0)
      into v_sections, v_levels, v_areas, v_free, v_most
      from (
        select s.section_no, s.level_no, s.row_no is null as is_area, count(*)::int as free
        from seats s
        where s.event_id = p_event and is_free(s.status, s.held_until) and not s.wheelchair and s.companion_of is null
        group by 1, 2, 3
      ) x;

    for v_entry in
      select w.id, w.no, w.account_id, w.quantity, w.together, w.wheelchair_seats, w.accept_fewer, n.need, x.section_no,
        x.level_no, f.seated, f.area
      from waitlist_entries w
      cross join lateral (
        select case when w.accept_fewer then greatest(1, w.wheelchair_seats) else w.quantity end as need
      ) n
      cross join lateral wishes_of(w.section_no, w.level_no, w.else_sections, w.else_levels) x
      cross join lateral (
        select coalesce(sum(c.free) filter (where not c.is_area), 0)::int as seated,
          coalesce(max(c.free) filter (where c.is_area), 0) as area
        from unnest(v_sections, v_levels, v_areas, v_free) c (section_no, level_no, is_area, free)
        where (x.section_no is null or c.section_no = x.section_no)
          and (x.level_no is null or c.level_no = x.level_no)
      ) f
      -- The first condition leaves out most of a long list, and costs nothing.
      where w.event_id = p_event and w.state = 'WAITING' and (w.wheelchair_seats > 0 or n.need <= v_most)
        and (w.wheelchair_seats > 0 or greatest(f.seated, f.area) >= n.need)
      order by w.no, x.nth
    loop
      continue when v_entry.id = any (v_limited);
      v_nos := null;
      v_block := v_entry.seated;
      v_key := coalesce(v_entry.section_no, -1) || ' ' || coalesce(v_entry.level_no, -1);
      if v_entry.wheelchair_seats > 0 then
        v_key := v_key || ' ' || v_entry.wheelchair_seats || ' ' || v_entry.need;
        continue when v_key = any (v_unfit);
        v_nos := wheelchair_seats(
          p_event, v_entry.section_no, v_entry.level_no, v_entry.wheelchair_seats, v_entry.need, v_entry.quantity);
        if v_nos is null then
          v_unfit := v_unfit || v_key;
          continue;
        end if;
        v_fit := cardinality(v_nos);
      elsif v_entry.together then
        v_block := (v_blocks->>v_key)::int;
        if v_block is null then
          v_block := (
            see_best(p_event, v_entry.section_no, v_entry.level_no, v_entry.quantity, true, 0)).available;
          if v_block < v_entry.quantity then
            v_blocks := v_blocks || jsonb_build_object(v_key, v_block);
          end if;
        end if;
        v_fit := greatest(v_block, v_entry.area);
        continue when v_fit < v_entry.need;
      else
        v_fit := greatest(v_entry.seated, v_entry.area);
      end if;

      -- Under the account's lock, as every hold: the account may hold or buy elsewhere at this moment.
      perform pg_advisory_xact_lock(account_lock(p_event, v_entry.account_id));
      select v_sale.ticket_limit - u.tickets - u.held into v_room from account_use(p_event, v_entry.account_id) u;
      v_size := least(v_entry.quantity, v_fit, v_room);
      if v_size < v_entry.need then
        v_limited := v_limited || v_entry.id;
        continue;
      end if;
      -- It may have left meanwhile.
      perform from waitlist_entries w
        where w.event_id = p_event and w.id = v_entry.id and w.state = 'WAITING'
        for no key update;
      continue when not found;
      if not pass_over(p_event, v_entry.no, v_limited) then
        outcome := 'passing';
        return;
      end if;

      if v_entry.wheelchair_seats > 0 then
        if v_size < v_fit then
          v_nos := wheelchair_seats(
            p_event, v_entry.section_no, v_entry.level_no, v_entry.wheelchair_seats, v_entry.need, v_size);
        end if;
        if not lock_free_seats(p_event, v_nos, false) then
          v_nos := null;
        end if;
      elsif v_block >= v_size then
        select b.nos into v_nos
          from take_block(
            p_event, v_entry.section_no, v_entry.level_no, v_size, 0, true, not v_sale.allow_orphan_seats, false) b;
        if v_nos is null then
          v_nos := (take_across(p_event, v_entry.section_no, v_entry.level_no, v_size, true)).nos;
        end if;
        if v_nos is null and v_entry.together is not true then
          select b.nos into v_nos
            from take_seats(
              p_event, v_entry.section_no, v_entry.level_no, v_size, 0, true, not v_sale.allow_orphan_seats, false) b;
        end if;
      else
        v_nos := array(
          select s.no from seats s
          where s.event_id = p_event and s.row_no is null
            and is_free(s.status, s.held_until)
            and (s.section_no, s.level_no) = (
              select x.section_no, x.level_no
              from unnest(v_sections, v_levels, v_areas, v_free) x (section_no, level_no, is_area, free)
              where x.is_area and x.free >= v_size
                and (v_entry.section_no is null or x.section_no = v_entry.section_no)
                and (v_entry.level_no is null or x.level_no = v_entry.level_no)
              order by x.free desc
              limit 1)
          order by s.no
          limit v_size
          for no key update skip locked);
      end if;
      if v_nos is null or cardinality(v_nos) < v_size then
        outcome := 'missed';
        return;
      end if;

      -- The hold's own id is its idempotency key: no request of the account can have used it.
      v_answer := write_hold(
        p_event, v_entry.account_id, p_hold, 'waitlist', p_hold, v_nos, v_sale.hold_seconds, false, v_entry.id);
      -- An offer that was mailed must not be lost.
      set local synchronous_commit to default;
      update waitlist_entries w
        -- now() is from before the wait for the lock: entries have joined and left meanwhile.
        set state = 'OFFERED', hold_id = p_hold, offered_at = clock_timestamp()
        where w.event_id = p_event and w.id = v_entry.id;
      insert into outbox (job, data) values ('mailOffer', jsonb_build_object('entryId', v_entry.id));
      outcome := 'offered';
      entry_id := v_entry.id;
      seat_nos := v_answer.seat_nos;
      revisions := v_answer.revisions;
      return;
    end loop;
    -- Where nothing is free, an entry keeps the reason for which it was passed over last.
    if v_sections is not null and not pass_over(p_event, null, v_limited) then
      outcome := 'passing';
      return;
    end if;
  end if;
  perform keep_demand(p_event, v_limited);

  outcome := 'idle';
  if not v_sale.waitlist_only then
    if v_waiting and v_sections is null and only_offers_left(p_event) then
      update sales s set waitlist_only = true where s.event_id = p_event and not s.waitlist_only;
      outcome := 'closed';
    end if;
  elsif not only_offers_left(p_event) or not v_waiting and not exists (
    select from waitlist_entries w where w.event_id = p_event and w.state = 'OFFERED')
  then
    update sales s set waitlist_only = false where s.event_id = p_event and s.waitlist_only;
    outcome := 'opened';
  end if;
end;
$$;
