import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { findOrInstall, type Program } from '../../embedded/install.ts'
import { becomesReady, exitOf, freePort, stopProcess } from '../../embedded/processes.ts'
import { canConnect } from './canConnect.ts'
import { cleanUp } from './cleanUp.ts'
import { endWithThisProcess } from './watchdog.ts'

/** For `findOrInstall`. */
const PGBOUNCER: Program = {
  title: 'PgBouncer',
  commands: ['pgbouncer'],
  paths: ['/usr/sbin/pgbouncer'],
  apt: 'pgbouncer',
  brew: ['pgbouncer'],
  otherwise: 'The tests need PgBouncer: install it so that it is on the PATH.',
}

/** The user "nobody": PgBouncer does not run as root. */
const NOBODY = 65_534

/** Starts PgBouncer in front of a database, in transaction mode, and returns the address of the database behind it. */
export async function testPgBouncer(databaseUrl: string, connections: number): Promise<string> {
  const binary = findOrInstall(PGBOUNCER)
  const { hostname, port: postgresPort, pathname, username, password } = new URL(databaseUrl)
  const folder = mkdtempSync(join(inject('temporaryFolder'), 'pgbouncer-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const configuration = join(folder, 'pgbouncer.ini')
  writeFileSync(
    configuration,
    `[databases]
* = host=${hostname} port=${postgresPort} dbname=${pathname.slice(1)} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 500
`,
  )
  const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  const child = spawn(binary, ['-q', configuration], { ...asNobody, detached: true, stdio: 'ignore' })
  const pid = child.pid as number
  const exited = exitOf(child)
  const dismiss = endWithThisProcess(pid, folder)
  cleanUp(async () => {
    await stopProcess(pid, 'SIGKILL', 0)
    dismiss()
    rmSync(folder, { recursive: true, force: true })
  })
  if (!(await becomesReady(exited, () => canConnect(port)))) throw new Error('PgBouncer did not start')
  return `postgresql://fairgate:any@127.0.0.1:${port}/fairgate`
}
