import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { StartFailed } from '../src/startFailed.ts'
import { lastWords } from './failures.ts'
import { findOrInstall, type Program } from './install.ts'
import type { Server } from './postgres.ts'
import { commandOf, exitOf, freePort, isAlive, stopProcess } from './processes.ts'

export const REDIS: Program = {
  title: 'Redis',
  commands: ['redis-server', 'valkey-server'],
  apt: 'redis-server',
  brew: ['redis'],
  otherwise: 'Install redis-server (or valkey-server), or give the address of one in REDIS_URL.',
}

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
  const binary = findOrInstall(REDIS)
  await mkdir(folder, { recursive: true })
  await stopLeftoverRedis(folder)
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
    const exited = exitOf(child)
    const pid = child.pid as number
    await writeFile(join(folder, 'redis.pid'), `${pid} ${port}`)
    if (await isReady(port, exited)) {
      return {
        name: 'Redis',
        log,
        url: `redis://127.0.0.1:${port}`,
        pid,
        exited,
        async stop() {
          await stopProcess(pid, 'SIGTERM', 10_000)
          await exited
        },
      }
    }
    const said = lastWords(log)
    if (/Address already in use/i.test(said) && attempt < 5 && !wanted) continue
    throw new StartFailed(`Redis did not start. Its last words:\n${said}`)
  }
}

async function isReady(port: number, exited: Promise<unknown>): Promise<boolean> {
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

/** Stops the server of a parent that was killed. */
export async function stopLeftoverRedis(folder: string): Promise<void> {
  const pidFile = join(folder, 'redis.pid')
  if (!existsSync(pidFile)) return
  const [pid = 0, port] = readFileSync(pidFile, 'utf8').split(' ').map(Number)
  // Its title has the port: a pid alone may be somebody else's by now.
  if (isAlive(pid) && new RegExp(`(redis|valkey)-server .*:${port}\\b`).test(commandOf(pid))) {
    await stopProcess(pid, 'SIGTERM', 10_000)
  }
  await rm(pidFile, { force: true })
}
