-- Serves an event's waitlist: ends the offer that is over, and offers the free seats to the first entry that they fit, as a hold
-- of the entry's account. Where they fit no entry, the sale is open again. Safe to call at any time, twice, and from
-- several processes at once: they exclude each other.
--
-- outcome        its fields
-- offered        entry_id; seat_nos and revisions: the seats of its hold
-- live           an offer is still open: the next one comes after it
-- opened         the sale was the waitlist's and is open again
-- idle           no work: no entry waits, no seat has come back, or the sale is open already
-- paused         the sale is
-- over           the sale is; ended: the entries that waited until then
-- missed         a seat was locked at this very moment: call again
-- passing        many entries are passed over, or ended, and not all have been yet: call again
--
-- settled: the entry whose offer was over, if there was one
--
-- Seats fit an entry: as many as it asks for, of its section and price level, and within its account's ticket limit;
-- fewer where it takes fewer. Side by side in one row where such a block is free, otherwise in as few pieces as possible; or
-- all in one area of general admission. Where the sale forbids single seats, an offer leaves no more of them than it must.
-- Wheelchair seats and their companions are never offered: a fan holds those by name.
--
-- Lock order: waitlist, account, entry, rows, seats. A transaction that shares the waitlist's lock takes it first.
create function offer_waitlist(
  p_event text,
  p_hold text,
  out outcome text,
  out settled text,
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
  v_entry record;
  v_room int;
  v_size int;
  v_nos int[];
  v_limited text[] := '{}';
  v_answer hold_answer;
  v_clock timestamptz;
begin
  perform set_config('lock_timeout', '5s', true);
  perform pg_advisory_xact_lock(waitlist_lock(p_event));

  -- Before the free seats are read: seats that come back later are not among them.
  v_clock := sale_clock();
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
    return;
  end if;
  if exists (select from waitlist_entries w where w.event_id = p_event and w.state = 'OFFERED') then
    outcome := 'live';
    return;
  end if;
  if v_sale.paused then
    outcome := 'paused';
    return;
  end if;

  if exists (select from waitlist_entries w where w.event_id = p_event and w.state = 'WAITING') then
    select array_agg(x.section_no), array_agg(x.level_no), array_agg(x.is_area), array_agg(x.free),
        greatest(sum(x.free) filter (where not x.is_area), max(x.free) filter (where x.is_area))
      into v_sections, v_levels, v_areas, v_free, v_most
      from (
        select s.section_no, s.level_no, s.row_no is null as is_area,
          (count(*) filter (where not s.wheelchair and s.companion_of is null))::int as free
        from seats s
        where s.event_id = p_event and is_free(s.status, s.held_until)
        group by 1, 2, 3
      ) x;
    if v_sections is null then
      outcome := 'idle';
      return;
    end if;

    for v_entry in
      select w.id, w.no, w.account_id, w.quantity, w.section_no, w.level_no, w.accept_fewer, f.seated, f.area
      from waitlist_entries w
      cross join lateral (
        select coalesce(sum(x.free) filter (where not x.is_area), 0)::int as seated,
          coalesce(max(x.free) filter (where x.is_area), 0) as area
        from unnest(v_sections, v_levels, v_areas, v_free) x (section_no, level_no, is_area, free)
        where (w.section_no is null or x.section_no = w.section_no)
          and (w.level_no is null or x.level_no = w.level_no)
      ) f
      -- The first condition leaves out most of a long list, and costs nothing.
      where w.event_id = p_event and w.state = 'WAITING' and (w.accept_fewer or w.quantity <= v_most)
        and greatest(f.seated, f.area) >= case when w.accept_fewer then 1 else w.quantity end
      order by w.no
    loop
      -- Under the account's lock, as every hold: the account may hold or buy elsewhere at this moment.
      perform pg_advisory_xact_lock(account_lock(p_event, v_entry.account_id));
      select v_sale.ticket_limit - u.tickets - u.held into v_room from account_use(p_event, v_entry.account_id) u;
      v_size := least(v_entry.quantity, greatest(v_entry.seated, v_entry.area), v_room);
      if v_size < 1 or v_size < v_entry.quantity and not v_entry.accept_fewer then
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

      if v_entry.seated >= v_size then
        select b.nos into v_nos
          from take_block(
            p_event, v_entry.section_no, v_entry.level_no, v_size, 0, true, not v_sale.allow_orphan_seats, false) b;
        if v_nos is null then
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
      update sales s set waitlist_only = true where s.event_id = p_event and not s.waitlist_only;
      insert into outbox (job, data) values ('mailOffer', jsonb_build_object('entryId', v_entry.id));
      outcome := 'offered';
      entry_id := v_entry.id;
      seat_nos := v_answer.seat_nos;
      revisions := v_answer.revisions;
      return;
    end loop;
    if not pass_over(p_event, null, v_limited) then
      outcome := 'passing';
      return;
    end if;
  end if;

  update sales s
    set waitlist_only = false, waitlist_opened_at = v_clock
    where s.event_id = p_event and s.waitlist_only;
  outcome := case when found then 'opened' else 'idle' end;
end;
$$;
