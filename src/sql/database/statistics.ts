import type { Database } from './database.ts'

/** Tables that a sale fills, from empty in its first minute. */
const FILLED_BY_SALES = ['holds', 'hold_items', 'orders', 'tickets']

/**
 * Analyzes the tables that have grown threefold since they were last analyzed, and returns their names. A connection keeps
 * its plans until a table of theirs is analyzed. To a plan that was made while a table was empty every index of it is as
 * good, and it may walk through all of an event's holds. Autovacuum analyzes within two minutes; while it runs, this skips
 * its tables.
 */
export async function analyzeGrown({ pool }: Database): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select s.relname as name
     from pg_stat_user_tables s join pg_class c on c.oid = s.relid
     where s.schemaname = current_schema() and s.relname = any ($1) and s.n_mod_since_analyze > greatest(500, 2 * c.reltuples)`,
    [FILLED_BY_SALES],
  )
  const names = rows.map(({ name }) => name)
  if (names.length > 0) await pool.query(`analyze (skip_locked) ${names.join(', ')}`)
  return names
}
