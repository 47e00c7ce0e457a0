-- Finds and locks the best block of free seats side by side in one row. nos: the block, null where none could be
-- locked; available: the longest block seen, which is shorter than p_size only where no committed read shows one that
-- is long enough; first_row: the first row with a block.
--
-- p_take: false to look only, and to lock nothing. p_keep_pairs: leaves no single seats behind where a better choice
-- exists in that row; it locks the row.
create function take_block(
  p_event text,
  p_section smallint,
  p_level smallint,
  p_size int,
  p_from_row int,
  p_take boolean,
  p_keep_pairs boolean,
  p_wait boolean,
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
  v_place int := 0;
  v_until int := 2147483647;
  v_limit int;
  v_look int := 0;
  v_full boolean;
  v_tries int := 0;
begin
  available := 0;
  loop
    -- A few blocks, and more where those are taken from under our hands.
    v_limit := least(64 << least(v_look, 4), 1024) * greatest(1, p_size / 4);
    v_free := free_seats(p_event, p_section, p_level, v_row, v_place, v_until, v_limit);
    v_full := cardinality(v_free.nos) = v_limit;
    v_row := v_free.rows[v_limit];
    if v_full and v_free.rows[1] < v_row then
      -- Whole rows at a time: a piece of one would be cut into blocks that do not fit beside those of the next look.
      v_limit := array_position(v_free.rows, v_row) - 1;
      v_free.nos := v_free.nos[:v_limit];
      v_free.rows := v_free.rows[:v_limit];
      v_free.places := v_free.places[:v_limit];
      v_free.ranks := v_free.ranks[:v_limit];
      v_place := 0;
    elsif v_full then
      -- Of a row that is longer than a look, once more what may be the beginning of a block.
      v_place := v_free.places[v_limit] - p_size + 2;
    end if;

    for v_block in
      select * from blocks_among(v_free.nos, v_free.rows, v_free.places, v_free.ranks, p_size, not p_wait)
    loop
      available := p_size;
      -- Not the best one's row: what is worse in those before it would be passed over for what is worse still.
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
        -- Nobody else takes a seat of the row now. While its lock was waited for somebody has.
        elsif p_wait or stranded_seats(p_event, nos) is not null then
          nos := tidy_block(p_event, p_level, array[v_block.row_no], p_size, '{}');
        end if;
      end if;
      -- Who waits does so for one block, and has locked nothing of another: so nobody waits in a circle.
      if nos is not null and cardinality(nos) = p_size
        -- Ascending, as everybody who waits: along a row that is numbered from the right they are not.
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
          from unnest(v_free.rows, v_free.places) with ordinality f (row_no, place, at)
          group by f.row_no, f.place - f.at
        ) x;
    end if;

    if not coalesce(v_full, false) then
      exit when v_until <= p_from_row or p_from_row = 0;
      v_row := 0;
      v_place := 0;
      v_until := p_from_row;
    end if;
    v_look := v_look + 1;
  end loop;
end;
$$;
