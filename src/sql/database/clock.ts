import type { Database } from './database.ts'

/**
 * SQL for a column's time as ISO 8601 text with all of its microseconds, in UTC: what a cursor carries.
 *
 * How times compare: every time column is `timestamptz(6)`, and `Date` has milliseconds. A `Date` that was read from a
 * column is that time rounded down (by node-postgres, by Prisma, and by `Date` itself where the time comes as JSON). So a
 * column is compared with a `Date` that came from the same column in one of three ways only:
 *
 * - by this text, which loses nothing, where rows of the same millisecond must keep their order (cursors);
 * - as `column > date + interval '999 microseconds'`: later than all of the date's millisecond, with the column's index;
 * - as `date_trunc('milliseconds', column)`, which no index serves, for both the comparison and the order.
 *
 * `column >= date` and `column < date` are right as they stand. test/sql/times.test.ts checks columns and round trips.
 */
export function exactTime(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
}

/** The database's clock. */
export async function readClock({ pool }: Database): Promise<Date> {
  const { rows } = await pool.query({ name: 'read_clock', text: 'select clock_timestamp() as now' })
  return rows[0].now
}
