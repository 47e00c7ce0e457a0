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
 * @param seenAt when others have surely seen that a seat was given back, which is written down as its commit begins: on a
 * machine that is busy that takes a while
 */
export async function freeThroughout(
  database: TestDatabase,
  event: TestEvent,
  seenAt: (no: number, givenBackAt: number) => number,
) {
  const rows = await database.sql<{ at: number; no: number; taken: boolean }>(
    'select at, no, taken from seat_history where event_id = $1 order by at',
    [event.id],
  )
  const changes = Map.groupBy(rows, ({ no }) => no)
  return (no: number, from: number, to: number) => {
    let freeSince: number | null = 0
    for (const { at, taken } of changes.get(no) ?? []) {
      if (at > to) break
      freeSince = taken ? null : (freeSince ?? seenAt(no, at))
    }
    return freeSince !== null && freeSince <= from
  }
}

/** Keeps when calls that gave seats back had answered, for `seenAt` of above. */
export function createReturns() {
  const answered = new Map<number, number[]>()
  return {
    gaveBack(seatNos: readonly number[]) {
      for (const no of seatNos) answered.set(no, [...(answered.get(no) ?? []), clock()])
    },
    seenAt: (no: number, givenBackAt: number) =>
      answered.get(no)?.find((at) => at >= givenBackAt) ?? Number.POSITIVE_INFINITY,
  }
}
