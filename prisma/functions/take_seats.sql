-- Finds and locks free seats that need not be side by side, in as few pieces as possible. As take_block; available: the number of
-- free seats, where there are fewer than p_quantity.
create function take_seats(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_quantity int,
  p_from_row int,
  p_take boolean,
  p_keep_pairs boolean,
  p_wait boolean,
  p_except int[] default null,
  out nos int[],
  out available int,
  out first_row int
)
language plpgsql
as $$
declare
  v_free record;
  v_more record;
  v_seat record;
  v_rows int[];
  v_limit int := greatest(128, 32 * p_quantity);
begin
  v_free := free_seats(p_event, p_section, p_level, p_from_row, 0, 2147483647, v_limit, p_except);
  if coalesce(cardinality(v_free.nos), 0) < p_quantity and p_from_row > 0 then
    v_more := free_seats(p_event, p_section, p_level, 0, 0, p_from_row - 1, v_limit, p_except);
    v_free.nos := v_more.nos || v_free.nos;
    v_free.rows := v_more.rows || v_free.rows;
    v_free.positions := v_more.positions || v_free.positions;
    v_free.ranks := v_more.ranks || v_free.ranks;
  end if;
  available := coalesce(cardinality(v_free.nos), 0);
  if available < p_quantity or not p_take then
    return;
  end if;
  first_row := v_free.rows[1];
  if 65536 < any (v_free.positions) then
    v_free := unroll_rings(v_free.nos, v_free.rows, v_free.positions, v_free.ranks, p_quantity);
  end if;
  perform begin_locking(p_wait);

  if p_wait then
    -- Ascending, as every call that waits: rows, then seats.
    nos := array(
      select x.no from (select unnest(v_free.nos) as no order by random() limit p_quantity) x order by x.no);
    if p_keep_pairs then
      v_rows := array(
        select distinct s.row_no from seats s
        where s.event_id = p_event and s.no = any (nos)
        order by s.row_no);
      perform lock_rows(p_event, v_rows, true);
      nos := array(select unnest(tidy_seats(p_event, p_level, v_rows, p_quantity)) order by 1);
    end if;
    if cardinality(nos) < p_quantity or not lock_free_seats(p_event, nos, true) then
      nos := null;
    end if;
    return;
  end if;

  -- Whole blocks first, the best of them; after other calls were faster, any.
  for v_try in 1..3 loop
    nos := '{}';
    v_rows := '{}';
    for v_seat in
      select y.no, y.row_no
      from (
        select x.*, count(*) over stretch as length, min(x.rank) over stretch as best,
          min(x.dice) over stretch as stretch_dice
        from (
          select f.no, f.row_no, f.position, f.rank, random() as dice,
            f.position - row_number() over (partition by f.row_no order by f.position) as stretch
          from unnest(v_free.nos, v_free.rows, v_free.positions, v_free.ranks) f (no, row_no, position, rank)
        ) x
        window stretch as (partition by x.row_no, x.stretch)
      ) y
      order by least(y.length, p_quantity) desc, y.length = p_quantity + 1,
        case when v_try > 1 then y.stretch_dice end, y.best, y.row_no, y.position
    loop
      if p_keep_pairs then
        continue when not lock_rows(p_event, array[v_seat.row_no], false);
        v_rows := v_rows || v_seat.row_no;
      else
        continue when not lock_free_seats(p_event, array[v_seat.no], false);
      end if;
      nos := nos || v_seat.no;
      exit when cardinality(nos) = p_quantity;
    end loop;
    if p_keep_pairs and cardinality(nos) = p_quantity then
      -- No other call takes a seat of these rows now. One may have done so before they were locked.
      nos := tidy_seats(p_event, p_level, v_rows, p_quantity);
      continue when cardinality(nos) < p_quantity or not lock_free_seats(p_event, nos, false);
    end if;
    if cardinality(nos) = p_quantity then
      return;
    end if;
  end loop;
  nos := null;
end;
$$;
