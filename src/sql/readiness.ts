import { readdir } from 'node:fs/promises'
import type { Database } from './database.ts'

const MIGRATIONS = new URL('../../prisma/migrations/', import.meta.url)

let known: Promise<string[]> | undefined

/** Throws where the database does not answer. */
export async function ping({ pool }: Database): Promise<void> {
  await pool.query('select 1')
}

/** Throws where the database lacks a migration of this version, or does not answer. */
export async function checkMigrations({ pool }: Database): Promise<void> {
  known ??= namesOfMigrations()
  const names = await known
  const { rows } = await pool.query(
    `select count(*)::int as applied from _prisma_migrations
     where migration_name = any ($1) and finished_at is not null and rolled_back_at is null`,
    [names],
  )
  if (rows[0].applied < names.length) throw new Error('the database lacks migrations of this version')
}

async function namesOfMigrations(): Promise<string[]> {
  const entries = await readdir(MIGRATIONS, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
}
