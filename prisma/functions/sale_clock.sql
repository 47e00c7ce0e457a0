-- The clock by which holds, offers and admissions end. It is now(), and it stands still while no process reaches the database:
-- least(now(), pulse). Every comparison with holds.expires_at, seats.held_until or admissions.expires_at uses it, and no other
-- clock (test/gates/saleClock.test.ts). So the first hold after an outage cannot take seats whose time ran out through the outage.
--
-- The pulse: every process renews it each second (renew_pulse.sql). The process that finds a gap of over 5 s adds it to the
-- holds and admissions that were alive, and renews the pulse, in one commit. Until that commit the clock stands still; after it
-- they have as much time left as before the outage. Two facts make that safe:
--
-- - The clock never goes back while the server's clock does not. So a hold that is alive at the last pulse was never over, and
--   no other hold has its seats.
-- - A statement sees the extended ends if and only if it sees the new pulse. A statement with an older snapshot of the pulse
--   treats more holds as alive, never fewer.
--
-- In normal operation the clock is up to about a second late, and so is the end of a hold.
--
-- Clocks that jump:
-- - The server's clock jumps ahead, or the clock of a standby that is promoted is ahead. The gap contains the jump, and the ends,
--   written by the old clock, move by it too. Ends move by nothing where outage and jump are 5 s or less together.
-- - The clock jumps back, or the standby's clock is behind. now() is the lower of the two. Holds live longer by the jump, and
--   none loses time. The next renewal sets the pulse back, or no later outage would be measured until now() reached it.
-- - A standby has lost the last renewals, which are committed asynchronously. The gap is longer by them. Any hold that took
--   seats after a lost renewal is later in the log, and lost as well.
--
-- Where no process has renewed the pulse there is no row, and the clock is now(): tests of SQL alone need no pulse.
--
-- Each call reads the row of the pulse. A statement that reads many rows writes `(select sale_clock())`, which is read once at most.
create function sale_clock(p_now timestamptz default now()) returns timestamptz
language sql stable parallel safe
cost 20
as $$
  select least(p_now, (select p.beat_at from pulse p));
$$;
