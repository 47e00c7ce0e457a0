import { execFileSync, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, openSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Server } from './postgres.ts'
import { commandOf, freePort, isAlive, StartFailed, stopProcess } from './processes.ts'

export interface RedisOptions {
  /** Holds the append-only file, the log and the pid. */
  folder: string
  /** Default: a free one. */
  port?: number
}

/**
 * Starts a Redis (or Valkey) on a free port of 127.0.0.1 that keeps its data under `folder` and never
 * evicts; first stops one that a killed parent left behind. The server is the leader of a session of
 * its own, as PostgreSQL's is.
 *
 * Throws StartFailed where there is none and none can be installed, or where it does not start.
 */
export async function startRedis({ folder, port: wanted }: RedisOptions): Promise<Server> {
  const binary = findRedis() ?? installRedis()
  await mkdir(folder, { recursive: true })
  await stopLeftover(folder)
  const log = join(folder, 'redis.log')
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort())
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: folder,
      appendonly: 'yes',
      // The append-only file is the truth; snapshots would only write everything twice.
      save: '',
      // BullMQ's queues and the waiting room's places must never be dropped to make room.
      'maxmemory-policy': 'noeviction',
    }
    const output = openSync(log, 'w')
    const child = spawn(
      binary,
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      { detached: true, stdio: ['ignore', output, output] },
    )
    const exited = new Promise<void>((done) => {
      child.once('exit', () => done())
      child.once('error', () => done())
    })
    const pid = child.pid as number
    await writeFile(join(folder, 'redis.pid'), `${pid} ${port}`)
    if (await isReady(port, exited)) {
      return {
        url: `redis://127.0.0.1:${port}`,
        pid,
        exited,
        stop: () => stopProcess(pid, 'SIGTERM', 10_000).then(() => exited),
      }
    }
    const said = readFileSync(log, 'utf8').trim().split('\n').slice(-12).join('\n')
    if (/Address already in use/i.test(said) && attempt < 5 && !wanted) continue
    const full = /No space left on device/i.test(said)
      ? `The disk that holds ${folder} is full: free some space and start again.`
      : 'Its last words:'
    throw new StartFailed(`Redis did not start. ${full}\n${said}`)
  }
}

function findRedis(): string | undefined {
  for (const name of ['redis-server', 'valkey-server']) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder, name)
      try {
        accessSync(path, constants.X_OK)
        return path
      } catch {
        // Not here.
      }
    }
  }
  return undefined
}

const INSTALL = 'Install redis-server (or valkey-server), or give the address of one in REDIS_URL.'

function installRedis(): string {
  const say = (line: string) => process.stderr.write(`${line}\n`)
  try {
    if (existsSync('/usr/bin/apt-get')) {
      say('Installing redis-server with apt-get …')
      installWithApt()
    } else if (process.platform === 'darwin') {
      say('Installing redis with brew …')
      execFileSync('brew', ['install', '--quiet', 'redis'], { stdio: 'pipe' })
    }
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr ?? error).trim()
    throw new StartFailed(
      `Redis is not installed, and installing it failed: ${said.split('\n').at(-1)}. ${INSTALL}`,
    )
  }
  const found = findRedis()
  if (found) return found
  throw new StartFailed(
    `Redis is not installed, and there is no package manager here that could do it. ${INSTALL}`,
  )
}

function installWithApt(): void {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  // The package starts a server of its own where it may; ours has its own port and folder.
  const run = (...args: string[]) => {
    const [command, ...rest] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args]
    execFileSync(command as string, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  }
  run('update', '-qq')
  run('install', '-y', '-qq', '--no-install-recommends', 'redis-server')
}

async function isReady(port: number, exited: Promise<void>): Promise<boolean> {
  let over = false
  void exited.then(() => {
    over = true
  })
  while (!over) {
    if ((await ping(port)).startsWith('+PONG')) return true
    await sleep(10)
  }
  return false
}

/** By hand, so that a server that still loads its data is told from one that answers. */
function ping(port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'))
    socket.setTimeout(2_000, () => socket.destroy())
    socket.once('data', (answer) => {
      resolve(answer.toString())
      socket.destroy()
    })
    socket.once('error', () => resolve(''))
    socket.once('close', () => resolve(''))
  })
}

async function stopLeftover(folder: string): Promise<void> {
  const pidFile = join(folder, 'redis.pid')
  if (!existsSync(pidFile)) return
  const [pid = 0, port] = readFileSync(pidFile, 'utf8').split(' ').map(Number)
  // Its title has the port: a pid alone may be somebody else's by now.
  if (isAlive(pid) && new RegExp(`(redis|valkey)-server .*:${port}\\b`).test(commandOf(pid))) {
    await stopProcess(pid, 'SIGTERM', 10_000)
  }
  await rm(pidFile, { force: true })
}
