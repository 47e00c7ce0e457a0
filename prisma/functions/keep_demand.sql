-- Makes an event's demand that of the entries that wait: see waitlist_wants.sql. The entries of p_limited
-- want nothing: their accounts have reached the ticket limit. Called under the waitlist's lock, when every entry that the free seats fit has its offer.
create function keep_demand(p_event text, p_limited text[]) returns void
language sql volatile
as $$
  with wanted as materialized (
    select distinct coalesce(x.section_no, -1)::smallint as section_no, coalesce(x.level_no, -1)::smallint as level_no,
      coalesce(w.together, false) as together, w.wheelchair_seats,
      case when w.accept_fewer then greatest(1, w.wheelchair_seats) else w.quantity end as need
    from waitlist_entries w
    cross join lateral wishes_of(w.section_no, w.level_no, w.else_sections, w.else_levels) x
    where w.event_id = p_event and w.state = 'WAITING' and w.id <> all (p_limited)
  ), dropped as (
    delete from waitlist_demand d
    where d.event_id = p_event
      and (d.section_no, d.level_no, d.together, d.wheelchair_seats, d.need) not in (
        select x.section_no, x.level_no, x.together, x.wheelchair_seats, x.need from wanted x)
  )
  insert into waitlist_demand (event_id, section_no, level_no, together, wheelchair_seats, need)
    select p_event, x.section_no, x.level_no, x.together, x.wheelchair_seats, x.need from wanted x
    on conflict do nothing;
$$;
