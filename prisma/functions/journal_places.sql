-- Journals places that Redis gave, a batch in one statement; places that are journalled already stay as they are. Returns a row
-- for each place that the journal has otherwise than the batch, which is few or none. Returns one row of nulls where Redis's copy
-- of the places was re-created since: the indexes of the old copy may have been given again.
--
-- p_places  of each place arrival index (4 bytes), account (12) and device (8), in one value: as arrays, client and server
--           spend more on reading and writing them than on the rest
-- p_over    the arrival index of a place that is over and that the first of the batch replaces, where both are of one
--           account; 0: none
--
-- no        which of the batch, from 0
-- found     false where the index is another account's, or the account has another place: Redis is wrong
-- device    the device that has the place now
-- has_left  the place was given up
-- live      where it was not found: the account's place, if it has one
--
-- READ COMMITTED gives every statement a snapshot of its own, so the copy's number is read after the lock.
create function journal_places(
  p_event text,
  p_copy int,
  p_places bytea,
  p_over int,
  out no int,
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
declare
  v_count int := octet_length(p_places) / 24;
  v_written int;
begin
  perform pg_advisory_xact_lock_shared(places_lock(p_event));
  if p_copy is distinct from (select r.places_copy from rooms r where r.event_id = p_event) then
    return next;
    return;
  end if;

  if p_over > 0 then
    update places p
      set left_at = now(), changed_at = greatest(now(), p.changed_at + interval '1 millisecond')
      where p.event_id = p_event and p.arrival = p_over and p.account = substr(p_places, 5, 12) and p.left_at is null;
  end if;

  -- In order of arrival: of two batches that have places in common only one waits for the other.
  insert into places (event_id, arrival, account, device)
    select p_event, w.arrival, substr(p_places, w.at + 5, 12), substr(p_places, w.at + 17, 8)
    from (
      select i * 24 as at, substr(p_places, i * 24 + 1, 4)::int as arrival from generate_series(0, v_count - 1) i
    ) w
    order by w.arrival
    on conflict do nothing;
  get diagnostics v_written = row_count;
  if v_written = v_count then
    return;
  end if;

  -- Place by place through the key, hence the limit: joined as sets, every batch would read the whole line.
  return query
    select w.no, p.arrival is not null, p.device, p.left_at is not null,
      case when p.arrival is null then (
        select l.arrival from places l
        where l.event_id = p_event and l.account = w.account and l.left_at is null
      ) end
    from (
      select i as no, substr(p_places, i * 24 + 1, 4)::int as arrival, substr(p_places, i * 24 + 5, 12) as account,
        substr(p_places, i * 24 + 17, 8) as device
      from generate_series(0, v_count - 1) i
    ) w
    left join lateral (
      select * from places j where j.event_id = p_event and j.arrival = w.arrival limit 1
    ) p on p.account = w.account
    where p.device is distinct from w.device or p.left_at is not null;
end
$$;
