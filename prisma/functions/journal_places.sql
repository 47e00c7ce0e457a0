-- Journals places that Redis gave, a batch in one statement; what is journalled already stays as it is. Returns a
-- row per place, in the order of the batch; no rows where Redis's copy of the places has been made anew since:
-- the indexes of the old copy may have been given again.
--
-- p_over    arrival indexes of places of these accounts that are over, and replaced by these; 0: none
--
-- found     false where the index is another account's, or the account's place is another one: Redis is wrong
-- device    whose the place is now
-- has_left  it was given up
-- live      where it was not found: the account's place, if it has one
--
-- READ COMMITTED gives every statement a snapshot of its own, so the copy's number is read after the lock.
create function journal_places(
  p_event text,
  p_copy int,
  p_arrivals int[],
  p_accounts bytea[],
  p_devices bytea[],
  p_over int[],
  out arrival int,
  out found boolean,
  out device bytea,
  out has_left boolean,
  out live int
) returns setof record
language plpgsql
as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock_shared(places_lock(p_event));
  if p_copy is distinct from (select r.places_copy from rooms r where r.event_id = p_event) then
    return;
  end if;

  update places p
    set left_at = now(), changed_at = now()
    from unnest(p_over, p_accounts) o (arrival, account)
    where p.event_id = p_event and p.arrival = o.arrival and p.account = o.account and p.left_at is null;

  -- In order of arrival: two batches that have places in common wait for each other in one direction only.
  insert into places (event_id, arrival, account, device)
    select p_event, w.arrival, w.account, w.device
    from unnest(p_arrivals, p_accounts, p_devices) w (arrival, account, device)
    order by w.arrival
    on conflict do nothing;

  return query
    select w.arrival, p.arrival is not null, p.device, p.left_at is not null, l.arrival
    from unnest(p_arrivals, p_accounts) with ordinality w (arrival, account, no)
    left join places p on p.event_id = p_event and p.arrival = w.arrival and p.account = w.account
    left join places l
      on p.arrival is null and l.event_id = p_event and l.account = w.account and l.left_at is null
    order by w.no;
end
$$;
