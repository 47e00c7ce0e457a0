import type { Database } from './database.ts'

/** The database's clock. */
export async function readClock({ pool }: Database): Promise<Date> {
  const { rows } = await pool.query({ name: 'read_clock', text: 'select clock_timestamp() as now' })
  return rows[0].now
}
