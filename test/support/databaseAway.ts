import type { TestDatabase } from './database.ts'

/**
 * Takes a database away: it ends all connections to `database`, and new ones fail as if it did not exist. Returns how to bring
 * it back. `admin` is another database of the same server.
 */
export async function takeDatabaseAway(
  admin: Pick<TestDatabase, 'sql'>,
  database: Pick<TestDatabase, 'url'>,
): Promise<() => Promise<void>> {
  const name = new URL(database.url).pathname.slice(1)
  // Only a database without connections can be renamed: first no new ones, or a pool could reconnect in between.
  await admin.sql(`alter database ${name} with allow_connections false`)
  await admin.sql('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  await admin.sql(`alter database ${name} rename to ${name}_away`)
  return async () => {
    await admin.sql(`alter database ${name}_away with allow_connections true`)
    await admin.sql(`alter database ${name}_away rename to ${name}`)
  }
}
