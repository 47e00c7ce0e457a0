import type { TestDatabase } from './database.ts'
import type { TestEvent } from './event.ts'

/** Milliseconds on the clock that the database's is too. */
export const clock = () => performance.timeOrigin + performance.now()

/** From here on the history of every seat is written down: who had it when, and when it was to be had. */
export async function recordSeats(database: TestDatabase): Promise<void> {
  await database.sql(`
    create table seat_history (at float8, event_id text, no int, taken boolean);
    create function log_seat() returns trigger language plpgsql as $$
    begin
      insert into seat_history
      values (extract(epoch from clock_timestamp()) * 1000, new.event_id, new.no,
        new.status > 1 or new.status = 1 and new.held_until > clock_timestamp());
      return null;
    end $$;
    create constraint trigger log_seat after update of status, held_until on seats
      deferrable initially deferred for each row
      when ((old.status, old.held_until) is distinct from (new.status, new.held_until)) execute function log_seat()`)
}

/**
 * Tells of a seat that began free whether nobody had it at any time between `from` and `to`.
 *
 * @param seenWithinMs what gives seats back is written down as its commit begins, and seen by others this much later
 */
export async function freeThroughout(database: TestDatabase, event: TestEvent, seenWithinMs = 0) {
  const rows = await database.sql<{ at: number; no: number; taken: boolean }>(
    'select at, no, taken from seat_history where event_id = $1 order by at',
    [event.id],
  )
  const changes = Map.groupBy(rows, ({ no }) => no)
  return (no: number, from: number, to: number) => {
    let taken = false
    for (const change of changes.get(no) ?? []) {
      if (change.at > to) break
      if (change.at > from - seenWithinMs && (taken || change.taken)) return false
      taken = change.taken
    }
    return !taken
  }
}
