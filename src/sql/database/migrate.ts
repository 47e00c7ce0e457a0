import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import pg from 'pg'
import { StartFailed } from '../../startFailed.ts'
import { Unfit } from '../../unfit.ts'
import { requireFitSession } from './fitness.ts'
import { EVERYTHING, migrationList, withSchemaEngine } from './schemaEngine.ts'
import { isBehindPooler, UtcClient } from './session.ts'

const FUNCTIONS = new URL('../../../prisma/functions/', import.meta.url)

/** Processes that migrate at the same time exclude each other: the second finds the work done. */
const LOCK = 0x66616972

/** The changes made; empty where the database is of this version already. */
export interface Migrated {
  readonly migrations: readonly string[]
  /** Files of functions that were created, re-created or dropped. */
  readonly functions: readonly string[]
}

/** The database cannot be brought to this version as it is. Nothing was changed. */
export class MigrationRefused extends StartFailed {
  override name = 'MigrationRefused'
}

/**
 * Brings a database to this version: applies the migrations that it lacks and re-creates the SQL
 * functions that differ from their files. Safe to run again, and from several processes at once.
 *
 * Throws MigrationRefused where another version wrote the database, a migration failed half-way before, or one was edited after
 * it had been applied. Throws Unfit where PostgreSQL is too old, or a pooler is in between: the lock needs a session.
 */
export async function migrate(databaseUrl: string): Promise<Migrated> {
  // A session of its own: when it ends, so does the lock.
  const session = new UtcClient({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 })
  await session.connect()
  try {
    await requireFitSession(session)
    if (await isBehindPooler(session)) {
      throw new Unfit(
        'leads to a pooler such as PgBouncer: migrate with the address of PostgreSQL itself, as docs/ops.md says',
      )
    }
    await session.query('select pg_advisory_lock($1)', [LOCK])
    const migrations = await migrationList()
    const isOld = await isBehind(session, migrations.migrationDirectories)
    const applied = isOld
      ? await withSchemaEngine(databaseUrl, (engine) =>
          engine.applyMigrations({ migrationsList: migrations, filters: EVERYTHING }),
        )
      : { appliedMigrationNames: [] }
    return { migrations: applied.appliedMigrationNames, functions: await createFunctions(session) }
  } finally {
    await session.end()
  }
}

type Migrations = Awaited<ReturnType<typeof migrationList>>['migrationDirectories']

interface AppliedMigration {
  migration_name: string
  checksum: string
  finished_at: Date | null
  logs: string | null
}

async function isBehind(session: pg.Client, migrations: Migrations): Promise<boolean> {
  const applied = await appliedMigrations(session)
  const failed = applied.find((row) => row.finished_at === null)
  if (failed) {
    throw new MigrationRefused(
      `The migration ${failed.migration_name} failed before it was done, so the database is half-way. ` +
        `Restore it, or repair it by hand and run "prisma migrate resolve". ${failed.logs ?? ''}`.trim(),
    )
  }
  const known = new Map(migrations.map((migration) => [migration.path, checksum(migration)]))
  const unknown = applied.filter((row) => !known.has(row.migration_name)).map((row) => row.migration_name)
  if (unknown.length > 0) {
    throw new MigrationRefused(
      `The database was written by a newer version of Fairgate: it has ${unknown.join(', ')}, which this ` +
        'version does not know. Start the newer version, or give this one another database. Nothing was changed.',
    )
  }
  const edited = applied.filter((row) => known.get(row.migration_name) !== row.checksum)
  if (edited.length > 0) {
    throw new MigrationRefused(
      `The database was written by another version of Fairgate: its ${edited.map((row) => row.migration_name).join(', ')} ` +
        'differs from the file of that name here. Start the version that wrote it, or give this one another ' +
        'database. Nothing was changed.',
    )
  }
  return applied.length < migrations.length
}

async function appliedMigrations(session: pg.Client): Promise<AppliedMigration[]> {
  const { rows } = await session.query("select to_regclass('_prisma_migrations') is not null as there")
  if (!rows[0].there) return []
  const applied = await session.query<AppliedMigration>(
    'select migration_name, checksum, finished_at, logs from _prisma_migrations where rolled_back_at is null',
  )
  return applied.rows
}

/** As Prisma computes it. */
function checksum(migration: Migrations[number]): string {
  const { content } = migration.migrationFile
  return createHash('sha256').update(content.value).digest('hex')
}

/** `functions/<name>.sql` -> its text. */
export async function functionFiles(): Promise<Map<string, string>> {
  const names = (await readdir(FUNCTIONS)).filter((name) => name.endsWith('.sql')).sort()
  const texts = await Promise.all(names.map((name) => readFile(new URL(name, FUNCTIONS), 'utf8')))
  return new Map(names.map((name, i) => [name, texts[i] as string]))
}

/**
 * A function's comment in the database. It says that the function is ours, which text created it, and whether it was
 * altered since.
 *
 * @param made a digest of the function as the database shows it
 */
function commentOf(file: string, digest: string, made: string): string {
  return `fairgate ${file} ${digest} ${made}`
}

/**
 * Leaves functions alone that are as their file says, so a process that starts never touches those that other processes call.
 */
async function createFunctions(session: pg.Client): Promise<string[]> {
  const files = new Map(
    [...(await functionFiles())].map(([file, text]) => [
      file,
      { text, digest: createHash('sha256').update(text).digest('hex') },
    ]),
  )
  const changed = new Set<string>()
  await session.query('begin')
  try {
    const current = new Set<string>()
    for (const { signature, comment, made } of await ownFunctions(session)) {
      const [, file = ''] = comment.split(' ')
      if (comment === commentOf(file, files.get(file)?.digest ?? '', made)) current.add(file)
      else {
        await session.query(`drop function ${signature}`)
        changed.add(file)
      }
    }
    // Functions may call one another, whatever the order of their files: bodies are checked at the end.
    await session.query('set local check_function_bodies = off')
    for (const [file, { text, digest }] of files) {
      if (current.has(file)) continue
      changed.add(file)
      await session.query(text).catch(explain(file))
      for (const { signature, made } of await newFunctions(session)) {
        const comment = pg.escapeLiteral(commentOf(file, digest, made))
        await session.query(`comment on function ${signature} is ${comment}`)
      }
    }
    await session.query('set local check_function_bodies = on')
    for (const { signature, comment } of await ownFunctions(session)) {
      const [, file = ''] = comment.split(' ')
      if (!current.has(file)) await session.query(CHECK, [signature]).catch(explain(file))
    }
    await session.query('commit')
    return [...changed].sort()
  } catch (error) {
    await session.query('rollback')
    throw error
  }
}

/** The check that `create function` runs where check_function_bodies is on. */
const CHECK = `
  select case when lanname = 'plpgsql' then plpgsql_validator(pg_proc.oid) else fmgr_sql_validator(pg_proc.oid) end
  from pg_proc join pg_language on pg_language.oid = prolang
  where pg_proc.oid = $1::regprocedure`

function explain(file: string): (error: Error) => never {
  return (error) => {
    throw new Error(`prisma/functions/${file}: ${error.message}`, { cause: error })
  }
}

interface MadeFunction {
  readonly signature: string
  /** A digest of its definition and settings, as the database shows them. */
  readonly made: string
}

const MADE = `oid::regprocedure::text as signature, md5(pg_get_functiondef(oid)) as made`

async function ownFunctions(session: pg.Client): Promise<(MadeFunction & { comment: string })[]> {
  const { rows } = await session.query(
    `select ${MADE}, obj_description(oid, 'pg_proc') as comment
     from pg_proc
     where pronamespace = current_schema()::regnamespace and obj_description(oid, 'pg_proc') like 'fairgate %'`,
  )
  return rows
}

/** Created by this transaction and without a comment yet. */
async function newFunctions(session: pg.Client): Promise<MadeFunction[]> {
  const { rows } = await session.query(
    `select ${MADE}
     from pg_proc
     where pronamespace = current_schema()::regnamespace and xmin = pg_current_xact_id()::xid
       and obj_description(oid, 'pg_proc') is null`,
  )
  return rows
}
