import type { TestDatabase } from './database.ts'
import type { TestEvent } from './event.ts'

/**
 * The time in milliseconds by the machine's clock, which is the database's too. The clock shows whole milliseconds: the
 * true time is between `earliest` and `latest`. (`performance.timeOrigin` plus `performance.now()` drifts away from it.)
 */
export const earliest = () => Date.now()
export const latest = () => Date.now() + 1

/** Makes the database record, from now on, when each seat is taken and when it is free. */
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
 * Returns a function that decides whether a seat was free at every time between `from` and `to`. Each seat was free when
 * the record began.
 *
 * @param seenAt the time from which every session sees that a seat was given back. The record has the beginning of that
 * commit; on a busy machine the commit takes a while.
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

/** Records when the calls that gave seats back had returned, as `seenAt` of `freeThroughout`. */
export function createReturns() {
  const returned = new Map<number, number[]>()
  return {
    gaveBack(seatNos: readonly number[]) {
      for (const no of seatNos) returned.set(no, [...(returned.get(no) ?? []), latest()])
    },
    seenAt: (no: number, givenBackAt: number) =>
      returned.get(no)?.find((at) => at >= givenBackAt) ?? Number.POSITIVE_INFINITY,
  }
}
