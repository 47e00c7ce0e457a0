-- Finds and locks the best block of free seats side by side in one row.
--
-- nos        the block; null where none could be locked
-- available  the longest block seen; shorter than p_size only where no committed read shows one that is long enough
-- first_row  the first row with a block
--
-- p_take        false: look only, and lock nothing
-- p_except      see free_seats
-- p_until_row   the last row to search, and no row before p_from_row; null for all rows
-- p_keep_pairs  leave no single seats behind where a better choice exists in that row; this locks the row
create function take_block(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_size int,
  p_from_row int,
  p_take boolean,
  p_keep_pairs boolean,
  p_wait boolean,
  p_except int[] default null,
  p_until_row int default null,
  out nos int[],
  out available int,
  out first_row int
)
language plpgsql
as $$
declare
  v_free record;
  v_block record;
  v_row int := p_from_row;
  v_position int := 0;
  v_until int := coalesce(p_until_row, 2147483647);
  v_limit int;
  v_look int := 0;
  v_full boolean;
  v_ring int;
  v_tries int := 0;
begin
  available := 0;
  loop
    -- A few blocks, and more where other calls take them first.
    v_limit := least(64 << least(v_look, 4), 1024) * greatest(1, p_size / 4);
    v_free := free_seats(p_event, p_section, p_level, v_row, v_position, v_until, v_limit, p_except);
    v_full := cardinality(v_free.nos) = v_limit;
    v_row := v_free.rows[v_limit];
    if v_full and v_free.rows[1] < v_row then
      -- Whole rows at a time: blocks of a part would not fit beside those of the next look.
      v_limit := array_position(v_free.rows, v_row) - 1;
      v_free.nos := v_free.nos[:v_limit];
      v_free.rows := v_free.rows[:v_limit];
      v_free.positions := v_free.positions[:v_limit];
      v_free.ranks := v_free.ranks[:v_limit];
      v_position := 0;
    elsif v_full and ring_size(v_free.positions[1]) > 0 then
      -- The closed row is longer than a look, and has no end at which to cut it.
      v_ring := ring_size(v_free.positions[1]);
      v_free := free_seats(p_event, p_section, p_level, v_row, 0, v_row, v_ring, p_except);
      v_row := v_row + 1;
      v_position := 0;
    elsif v_full then
      -- The row is longer than a look: the next look begins where a block may begin that this one cut off.
      v_position := v_free.positions[v_limit] - p_size + 2;
    end if;

    if 65536 < any (v_free.positions) then
      v_free := unroll_rings(v_free.nos, v_free.rows, v_free.positions, v_free.ranks, p_size);
    end if;

    for v_block in
      select * from blocks_among(v_free.nos, v_free.rows, v_free.positions, v_free.ranks, p_size, not p_wait)
    loop
      available := p_size;
      -- Not the best block's row: a search from there would pass over the worse blocks before it for worse ones behind it.
      first_row := least(first_row, v_block.first_row);
      if not p_take then
        return;
      end if;
      if v_tries = 0 then
        perform begin_locking(p_wait);
      end if;
      v_tries := v_tries + 1;
      nos := v_block.nos;
      if p_keep_pairs then
        if not lock_rows(p_event, array[v_block.row_no], p_wait) then
          nos := null;
        -- No other call takes a seat of the row now. One may have done so while this one waited for the lock.
        elsif p_wait or stranded_seats(p_event, nos) is not null then
          nos := tidy_block(p_event, p_level, array[v_block.row_no], p_size, '{}');
        end if;
      end if;
      -- A call that waits does so for one block, and has locked nothing of another: so no calls wait in a circle.
      if nos is not null and cardinality(nos) = p_size
        -- Ascending, as every call that waits: along a row that is numbered from the right they are not.
        and lock_free_seats(p_event, case when p_wait then array(select unnest(nos) order by 1) else nos end, p_wait)
      then
        return;
      end if;
      nos := null;
      if p_wait or v_tries >= 24 then
        return;
      end if;
    end loop;

    if available < p_size then
      select greatest(available, max(x.length))
        into available
        from (
          select count(*) as length
          from unnest(v_free.rows, v_free.positions) with ordinality f (row_no, position, at)
          group by f.row_no, f.position - f.at
        ) x;
    end if;

    if not coalesce(v_full, false) then
      exit when v_until <= p_from_row or p_from_row = 0 or p_until_row is not null;
      v_row := 0;
      v_position := 0;
      v_until := p_from_row;
    end if;
    v_look := v_look + 1;
  end loop;
end;
$$;
