import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { startPostgres } from '../../embedded/postgres.ts'
import { isAlive } from '../../embedded/processes.ts'
import { temporaryFolder } from '../support/folder.ts'

const home = temporaryFolder('postgres')
const folder = join(home, 'a folder with blanks')
// Every test finds a cluster, whichever runs first.
await (await startPostgres({ folder })).stop()
afterAll(async () => {
  // Also stops a server that a failed test left running.
  await (await startPostgres({ folder })).stop()
})

async function query(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql)
  } finally {
    await client.end()
  }
}

test('data survives a clean stop, in UTF-8 and ordered as C.UTF-8', async () => {
  const first = await startPostgres({ folder })
  await query(first.url, `create table words as select unnest(array['b', 'ä', 'B', 'a']) as word`)
  await first.stop()
  expect(isAlive(first.pid)).toBe(false)
  expect(existsSync(join(folder, 'data', 'postmaster.pid'))).toBe(false)

  const second = await startPostgres({ folder })
  const { rows } = await query(second.url, 'select word, upper(word) as upper from words order by word')
  expect(rows.map(({ word, upper }) => word + upper)).toEqual(['BB', 'aA', 'bB', 'äÄ'])
  await second.stop()
})

test('only the server user may read the data, and only the starting user the password', async () => {
  expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0)
  expect(statSync(join(folder, 'password')).mode & 0o077).toBe(0)
  expect(statSync(join(folder, 'password')).uid).toBe(process.getuid?.())
})

test('a wrong password is refused', async () => {
  const server = await startPostgres({ folder })
  const url = new URL(server.url)
  url.password = 'guessed'
  await expect(query(url.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  await server.stop()
})

test('a server that a killed parent left behind is stopped first, and no committed data is lost', async () => {
  const left = await startPostgres({ folder })
  await query(left.url, 'create table kept (id int)')
  // It is not stopped, so the next start finds it running.
  const next = await startPostgres({ folder })
  expect(isAlive(left.pid)).toBe(false)
  await query(next.url, 'select * from kept')
  process.kill(next.pid, 'SIGKILL')
  await next.exited
  const last = await startPostgres({ folder })
  await query(last.url, 'select * from kept')
  await last.stop()
})

test('a pid file with the pid of another program neither prevents the start nor stops that program', async () => {
  writeFileSync(join(folder, 'data', 'postmaster.pid'), `${process.pid}\n${join(folder, 'data')}\n`)
  const server = await startPostgres({ folder })
  await server.stop()
})

test('data of another major version is refused and left unchanged', async () => {
  const version = join(folder, 'data', 'PG_VERSION')
  const ours = readFileSync(version, 'utf8')
  writeFileSync(version, '15\n')
  await expect(startPostgres({ folder })).rejects.toThrow(/is PostgreSQL 15's, .* Nothing was changed/s)
  expect(readFileSync(version, 'utf8')).toBe('15\n')
  writeFileSync(version, ours)
})

test('a cluster that could not be created leaves no partial data, and the next start creates it', async () => {
  const other = join(home, 'other')
  execFileSync('mkdir', ['-p', other])
  // The limit on file sizes makes initdb fail.
  const limited = `ulimit -f 100; exec "$0" -e "$1"`
  const script = `import('${new URL('../../embedded/postgres.ts', import.meta.url)}').then(({ startPostgres }) =>
    startPostgres({ folder: ${JSON.stringify(other)} })).catch((error) => { console.log(error.message); process.exit(7) })`
  const output = (() => {
    try {
      return execFileSync('bash', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  })()
  expect(output).toMatch(/PostgreSQL could not create its data directory/)
  expect(existsSync(join(other, 'data'))).toBe(false)
  await (await startPostgres({ folder: other })).stop()
})
