-- The seats of the live holds from a device and from an address, from one snapshot; 0 where the digest is null. Exact only
-- under the origin's locks: see check_origin.sql.
--
-- Each origin's holds are read in the order of the index that finds them. Without that order, every index is as good to a
-- planner that has seen an empty table: see account_use.sql.
create function origin_use(
  p_event text,
  p_device bytea,
  p_address bytea,
  out of_device int,
  out of_address int
)
language plpgsql stable
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
as $$
begin
  select coalesce(sum(x.quantity), 0) into of_device
    from (
      select h.quantity from holds h
      where h.event_id = p_event and h.device = p_device and h.ended_at is null and h.expires_at > (select sale_clock())
      order by h.expires_at
    ) x;
  select coalesce(sum(x.quantity), 0) into of_address
    from (
      select h.quantity from holds h
      where h.event_id = p_event and h.address = p_address and h.ended_at is null and h.expires_at > (select sale_clock())
      order by h.expires_at
    ) x;
end;
$$;
