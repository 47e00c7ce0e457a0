import type { Database } from './database.ts'

/** What a sale fills, from empty in its first minute. */
const FILLED_BY_SALES = ['holds', 'hold_items', 'orders', 'tickets']

/**
 * Tells the planner of the tables that have grown threefold since it was last told, and returns their names. Plans are kept
 * for as long as a connection lives, and made again when a table is analyzed: those that were made while a table was empty
 * take any index of it for as good as another, and walk through an event's holds. Autovacuum sees to it within two minutes;
 * where it is at work, it is not waited for.
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
