-- Free seats of some rows in as few pieces as possible, which leave as few single seats as that allows: see tidy_block. Fewer
-- than p_quantity where no more are free.
create function tidy_seats(p_event text, p_level smallint, p_rows int[], p_quantity int) returns int[]
language plpgsql
as $$
declare
  v_nos int[] := '{}';
  v_block int[];
begin
  while cardinality(v_nos) < p_quantity loop
    v_block := tidy_block(p_event, p_level, p_rows, p_quantity - cardinality(v_nos), v_nos);
    exit when v_block is null;
    v_nos := v_nos || v_block;
  end loop;
  return v_nos;
end;
$$;
