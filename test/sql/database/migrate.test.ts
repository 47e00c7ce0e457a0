import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, test } from 'vitest'
import { MigrationRefused, migrate } from '../../../src/sql/database/migrate.ts'
import { testDatabase } from '../../support/database.ts'

const { sql, url } = await testDatabase()

const functions = () =>
  sql(
    `select oid::int, proname as name, obj_description(oid, 'pg_proc') as comment
     from pg_proc where pronamespace = 'public'::regnamespace order by proname`,
  )
const history = () => sql('select migration_name, checksum, finished_at from _prisma_migrations')

beforeEach(async () => {
  await sql('drop schema public cascade')
  await sql('create schema public')
})

test('processes that migrate an empty database at the same time all find it migrated', async () => {
  await Promise.all([migrate(url), migrate(url), migrate(url)])
  expect(await history()).toHaveLength(new Set((await history()).map((row) => row.migration_name)).size)
  expect(await sql('select count(*)::int as events from events')).toEqual([{ events: 0 }])
})

test('a database of this version stays as it is, its functions too', async () => {
  await migrate(url)
  const before = [await history(), await functions()]
  await migrate(url)
  expect([await history(), await functions()]).toEqual(before)
})

describe('a function', () => {
  test('whose file changed is re-created, in place of the old signature', async () => {
    await migrate(url)
    const before = await functions()
    await sql('drop function release_hold')
    await sql('create function release_hold(before_it_changed int) returns int language sql return 1')
    await sql(`comment on function release_hold is 'fairgate release_hold.sql of-another-version'`)
    await migrate(url)
    const names = (rows: { name?: string; comment?: string }[]) =>
      rows.map(({ name, comment }) => [name, comment])
    expect(names(await functions())).toEqual(names(before))
  })

  test('that was altered in the database is re-created', async () => {
    await migrate(url)
    const before = await functions()
    await sql(`do $$ begin
      execute replace(pg_get_functiondef('begin_locking'::regproc), 'synchronous_commit', 'application_name');
    end $$`)
    await sql(`alter function account_lock set work_mem = '1MB'`)
    const { functions: renewed } = await migrate(url)
    expect(renewed).toEqual(['account_lock.sql', 'begin_locking.sql'])
    const comments = (rows: { name?: string; comment?: string }[]) =>
      rows.map(({ name, comment }) => [name, comment])
    expect(comments(await functions())).toEqual(comments(before))
    expect((await migrate(url)).functions).toEqual([])
  })

  test('whose file is gone is dropped, and a function that is not ours stays', async () => {
    await migrate(url)
    const before = await functions()
    await sql('create function of_an_older_version() returns int language sql return 1')
    await sql(`comment on function of_an_older_version is 'fairgate of_an_older_version.sql abc'`)
    await sql('create function foreign_function() returns int language sql return 1')
    await migrate(url)
    const after = await functions()
    expect(after.filter(({ name }) => name !== 'foreign_function')).toEqual(before)
    expect(after.map(({ name }) => name)).toContain('foreign_function')
  })
})

describe('a migration is refused and changes nothing in', () => {
  const refusal = async () => {
    const before = [await history(), await functions()]
    const error = await migrate(url).catch((caught) => caught)
    expect(error).toBeInstanceOf(MigrationRefused)
    expect([await history(), await functions()]).toEqual(before)
    return error.message
  }
  const applied = (name: string, finished: string) =>
    sql(
      `insert into _prisma_migrations (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
       values ($1, 'x', $1, ${finished}, now(), 1)`,
      [name],
    )

  test('a database that a newer version wrote', async () => {
    await migrate(url)
    await applied('20990101000000_of_the_future', 'now()')
    expect(await refusal()).toMatch(/newer version of Fairgate: it has 20990101000000_of_the_future/)
  })

  test('a database with a migration that failed half-way', async () => {
    await migrate(url)
    await applied('20270101000000_half_way', 'null')
    expect(await refusal()).toMatch(/20270101000000_half_way failed before it was done/)
  })

  test('a database with a migration that was edited after it had been applied', async () => {
    await migrate(url)
    await sql(`update _prisma_migrations set checksum = 'another'`)
    expect(await refusal()).toMatch(/written by another version of Fairgate/)
  })
})

test('a database with foreign tables is refused and stays as it is', async () => {
  await sql('create table their_table (id int)')
  await expect(migrate(url)).rejects.toThrow(/not empty/)
  expect(await sql('select count(*)::int as n from pg_tables where schemaname = $1', ['public'])).toEqual([
    { n: 1 },
  ])
})

describe('npm run migrate', () => {
  const script = fileURLToPath(new URL('../../../scripts/migrate.ts', import.meta.url))
  const run = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, [script], { env }).catch((failure) => failure)

  test('reports its changes, and the second time that there were none', async () => {
    const { stdout } = await run({ DATABASE_URL: url })
    expect(stdout).toMatch(
      /^DATABASE_URL: migrations applied: \d+_init.*; functions re-created: .*hold_seats\.sql/,
    )
    await sql(`comment on function release_hold is 'fairgate release_hold.sql of-another-version'`)
    expect((await run({ DATABASE_URL: url })).stdout).toBe(
      'DATABASE_URL: functions re-created: release_hold.sql.\n',
    )
    expect((await run({ DATABASE_URL: url, QUEUE_DATABASE_URL: url })).stdout).toBe(
      'DATABASE_URL: is up to date, nothing was changed.\n',
    )
  })

  test('brings both databases to this version', async () => {
    await migrate(url)
    const name = `queue_${process.pid}`
    await sql(`create database ${name}`)
    const queueUrl = new URL(url)
    queueUrl.pathname = `/${name}`
    try {
      const { stdout } = await run({ DATABASE_URL: url, QUEUE_DATABASE_URL: queueUrl.href })
      expect(stdout.split('\n')).toEqual([
        'DATABASE_URL: is up to date, nothing was changed.',
        expect.stringMatching(/^QUEUE_DATABASE_URL: migrations applied/),
        '',
      ])
    } finally {
      await sql(`drop database ${name} with (force)`)
    }
  })

  test('reports a failure in one sentence', async () => {
    expect(await run({})).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATABASE_URL is missing: set it to/),
    })
    await migrate(url)
    await sql(`update _prisma_migrations set checksum = 'another'`)
    expect(await run({ DATABASE_URL: url })).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^DATABASE_URL: The database was written by another version/),
    })
  })
})
