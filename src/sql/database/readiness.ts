import { readdir } from 'node:fs/promises'
import type { Database } from './database.ts'
import { functionFiles } from './migrate.ts'

const MIGRATIONS = new URL('../../../prisma/migrations/', import.meta.url)

/** The database answers, and lacks what this version needs. */
export class WrongVersion extends Error {}

let known: Promise<{ migrations: string[]; functions: string[] }> | undefined

/**
 * Throws WrongVersion where the database lacks a migration or a function of this version; throws another error where it
 * does not answer. A function that a newer version has replaced counts as present. Otherwise a migrate would take every
 * old process out of service before the first new one is in.
 */
export async function checkVersion({ pool }: Database): Promise<void> {
  known ??= ownVersion()
  const { migrations, functions } = await known
  const { rows } = await pool.query(
    `select
       (select count(*) from _prisma_migrations
        where migration_name = any ($1) and finished_at is not null and rolled_back_at is null)::int as migrations,
       (select count(distinct proname) from pg_proc
        where pronamespace = current_schema()::regnamespace and proname = any ($2))::int as functions`,
    [migrations, functions],
  )
  const [found] = rows
  if (found.migrations < migrations.length)
    throw new WrongVersion('the database lacks migrations of this version')
  if (found.functions < functions.length)
    throw new WrongVersion('the database lacks functions of this version')
}

async function ownVersion() {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  const migrations = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const functions = [...(await functionFiles()).keys()].map((file) => file.replace(/\.sql$/, ''))
  return { migrations, functions }
}
