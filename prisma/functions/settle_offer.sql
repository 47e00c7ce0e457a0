-- Ends the entry whose offer ended: bought, or not. Returns the entry's id, or null where there is none. There is one
-- offer at a time.
create function settle_offer(p_event text) returns text
language sql volatile
as $$
  update waitlist_entries w
    set state = case h.outcome when 'SOLD' then 'FULFILLED' else 'LAPSED' end, ended_at = h.ended_at, email = null
    from holds h
    where w.event_id = p_event and w.state = 'OFFERED'
      and h.event_id = w.event_id and h.id = w.hold_id and h.outcome is not null
    returning w.id;
$$;
