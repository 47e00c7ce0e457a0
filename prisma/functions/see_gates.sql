-- What the gates of hold_seats say of many holds of named seats at once, in the order in which they are asked: outcome is
-- null where nothing stands in the way, or did not when this was seen. Holds nothing.
--
-- p_asked: an array of {i, account, key, input_hash, arrival, place, device, seats}, i from 0 on, device in hexadecimal
-- digits, and seats as hold_seats takes them.
create function see_gates(p_event text, p_asked jsonb) returns setof hold_answer
language sql
as $$
  select (b.answer).*
  from jsonb_to_recordset(p_asked) r
    (i int, account text, key text, input_hash text, arrival int, place int, device text, seats int[])
  cross join lateral begin_hold(
    p_event, r.account, r.key, r.input_hash, cardinality(r.seats), r.seats, r.arrival, r.place,
    decode(r.device, 'hex')) b
  order by r.i;
$$;
