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
afterAll(async () => {
  // Whatever a failed test left running.
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

test('keeps its data over a clean stop, in UTF-8, ordered as C.UTF-8', async () => {
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

test('only its user reads its data, and only the one who started it the password', async () => {
  expect(statSync(join(folder, 'data')).mode & 0o077).toBe(0)
  expect(statSync(join(folder, 'password')).mode & 0o077).toBe(0)
  expect(statSync(join(folder, 'password')).uid).toBe(process.getuid?.())
})

test('refuses a wrong password', async () => {
  const server = await startPostgres({ folder })
  const url = new URL(server.url)
  url.password = 'guessed'
  await expect(query(url.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  await server.stop()
})

test('a server that a killed parent left behind is stopped first, and nothing that was committed is lost', async () => {
  const left = await startPostgres({ folder })
  await query(left.url, 'create table kept (id int)')
  // Nobody stopped it: the next start finds it running.
  const next = await startPostgres({ folder })
  expect(isAlive(left.pid)).toBe(false)
  await query(next.url, 'select * from kept')
  process.kill(next.pid, 'SIGKILL')
  await next.exited
  const last = await startPostgres({ folder })
  await query(last.url, 'select * from kept')
  await last.stop()
})

test('a pid file that names a stranger is no reason not to start, and none to stop the stranger', async () => {
  writeFileSync(join(folder, 'data', 'postmaster.pid'), `${process.pid}\n${join(folder, 'data')}\n`)
  const server = await startPostgres({ folder })
  await server.stop()
})

test('data of another major version is refused, and left as it is', async () => {
  const version = join(folder, 'data', 'PG_VERSION')
  const ours = readFileSync(version, 'utf8')
  writeFileSync(version, '15\n')
  await expect(startPostgres({ folder })).rejects.toThrow(/is PostgreSQL 15's .* Nothing was changed/s)
  expect(readFileSync(version, 'utf8')).toBe('15\n')
  writeFileSync(version, ours)
})

test('a cluster that could not be made leaves nothing half-made, and the next start makes it', async () => {
  const other = join(home, 'other')
  execFileSync('mkdir', ['-p', other])
  // A file where the cluster is made: initdb cannot.
  const limited = `ulimit -f 100; exec "$0" -e "$1"`
  const script = `import('${new URL('../../embedded/postgres.ts', import.meta.url)}').then(({ startPostgres }) =>
    startPostgres({ folder: ${JSON.stringify(other)} })).catch((error) => { console.log(error.message); process.exit(7) })`
  const said = (() => {
    try {
      return execFileSync('bash', ['-c', limited, process.execPath, script], { encoding: 'utf8' })
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  })()
  expect(said).toMatch(/PostgreSQL could not make its data directory/)
  expect(existsSync(join(other, 'data'))).toBe(false)
  await (await startPostgres({ folder: other })).stop()
})
