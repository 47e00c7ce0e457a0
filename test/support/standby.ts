import { execFileSync } from 'node:child_process'
import { chownSync, copyFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { until } from './jobs.ts'
import { newFolder, runPostgres, type TestPostgres } from './postgres.ts'

export interface TestStandby {
  readonly url: string
  /** Makes it the primary. Returns once it takes writes. */
  promote(): Promise<void>
}

/**
 * Starts a synchronous standby: from now on a durable commit of the primary returns once the standby has it on disk as well. The
 * standby is made from a copy of the primary's files, as pg_basebackup makes it, which the npm package does not have. It follows the
 * primary at `address`, a URL of the primary that may lead to another server later.
 */
export async function synchronousStandby(primary: TestPostgres, address: string): Promise<TestStandby> {
  const admin = new pg.Client({ connectionString: primary.url })
  // The primary is going to be killed.
  admin.on('error', () => {})
  await admin.connect()
  const folder = newFolder()
  const data = join(folder, 'data')

  await admin.query(`select pg_backup_start('standby', true)`)
  execFileSync('cp', ['-a', join(primary.folder, 'data'), data])
  copyFileSync(join(primary.folder, 'password'), join(folder, 'password'))
  const backup = await admin.query('select labelfile from pg_backup_stop(false)')
  rmSync(join(data, 'postmaster.pid'))
  const { uid, gid } = statSync(join(data, 'PG_VERSION'))
  for (const [file, text] of [
    ['backup_label', backup.rows[0].labelfile],
    ['standby.signal', ''],
  ]) {
    writeFileSync(join(data, file), text, { mode: 0o600 })
    chownSync(join(data, file), uid, gid)
  }

  const { username, password, hostname, port } = new URL(address)
  const standby = await runPostgres(folder, {
    primary_conninfo: `host=${hostname} port=${port} user=${username} password=${password}`,
    // It follows again soon after the primary has restarted.
    wal_retrieve_retry_interval: '100ms',
  })
  // After the copy: the standby waits for no other one once it is the primary.
  await admin.query(`alter system set synchronous_standby_names = '*'`)
  await admin.query('select pg_reload_conf()')
  const isSynchronous = `select from pg_stat_replication where sync_state = 'sync'`
  await until(async () => (await admin.query(isSynchronous)).rowCount === 1, 'the standby to follow')
  await admin.end()

  return {
    url: standby.url,
    async promote() {
      const client = new pg.Client({ connectionString: standby.url })
      await client.connect()
      await client.query('select pg_promote(true)')
      await client.end()
    },
  }
}
