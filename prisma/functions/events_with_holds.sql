-- The events with a hold that has not been ended, and whether the time of one of them has run out. It reads the index of living
-- holds from event to event: the cost is that of the events found, not of their holds, nor of the events without any.
create function events_with_holds(out event_id text, out has_ended boolean) returns setof record
language sql stable
set enable_seqscan = off
as $$
  with recursive found as (
    (select h.event_id from holds h where h.ended_at is null order by h.event_id limit 1)
    union all
    select (
        select h.event_id from holds h where h.ended_at is null and h.event_id > f.event_id order by h.event_id limit 1)
      from found f
      where f.event_id is not null
  )
  select f.event_id, exists (
      select from holds h where h.event_id = f.event_id and h.ended_at is null and h.expires_at <= sale_clock())
    from found f
    where f.event_id is not null;
$$;
