-- Journals places that Redis gave, a batch in one statement; what is journalled already stays as it is. Returns a
-- row per place, in the order of the batch; no rows where Redis's copy of the places has been made anew since:
-- the indexes of the old copy may have been given again.
--
-- p_over    the arrival index of a place that is over and that the first of the batch replaces, where it is of the
--           same account; 0: none
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
  p_over int,
  out arrival int,
  out found boolean,
  out device bytea,
  out has_left boolean,
  out live int
) returns setof record
language plpgsql
-- A plan made while the line was short would read all of it for every batch.
set enable_seqscan = off
as $$
#variable_conflict use_column
begin
  perform pg_advisory_xact_lock_shared(places_lock(p_event));
  if p_copy is distinct from (select r.places_copy from rooms r where r.event_id = p_event) then
    return;
  end if;

  if p_over > 0 then
    update places p
      set left_at = now(), changed_at = greatest(now(), p.changed_at + interval '1 millisecond')
      where p.event_id = p_event and p.arrival = p_over and p.account = p_accounts[1] and p.left_at is null;
  end if;

  -- In order of arrival: two batches that have places in common wait for each other in one direction only.
  insert into places (event_id, arrival, account, device)
    select p_event, w.arrival, w.account, w.device
    from unnest(p_arrivals, p_accounts, p_devices) w (arrival, account, device)
    order by w.arrival
    on conflict do nothing;

  -- Place by place through the key (hence the limit): joined as sets, every batch would read the whole line.
  return query
    select w.arrival, p.arrival is not null, p.device, p.left_at is not null,
      case when p.arrival is null then (
        select l.arrival from places l
        where l.event_id = p_event and l.account = w.account and l.left_at is null
      ) end
    from unnest(p_arrivals, p_accounts) with ordinality w (arrival, account, no)
    left join lateral (
      select * from places j where j.event_id = p_event and j.arrival = w.arrival limit 1
    ) p on p.account = w.account
    order by w.no;
end
$$;
