-- What the gates of hold_seats return for many holds of named seats at once, in the order of the requests. outcome is null where
-- the gates let a hold pass, or did so when they were read. Holds nothing.
--
-- p_asked: an array of {i, account, key, input_hash, arrival, place, device, seats}: i from 0 on, device in hexadecimal digits,
-- seats as hold_seats takes them
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
