import { spawn } from 'node:child_process'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { StartFailed } from '../src/startFailed.ts'
import { endOfLog } from './failures.ts'
import { findOrInstall, type Program } from './install.ts'
import type { Server } from './postgres.ts'
import { makePrivate, PRIVATE_FILE } from './privateFolder.ts'
import { becomesReady, commandOf, exitOf, freePort, isAlive, stopProcess } from './processes.ts'

export const REDIS: Program = {
  title: 'Redis',
  commands: ['redis-server', 'valkey-server'],
  apt: 'redis-server',
  brew: ['redis'],
  otherwise: 'Install redis-server (or valkey-server), or give the address of one in REDIS_URL.',
}

export interface RedisOptions {
  /** The folder of the append-only file, the log and the pid file. */
  folder: string
  /** Server settings, as in redis.conf. */
  settings?: Record<string, string>
  /** Default: a free port. */
  port?: number
}

/**
 * Starts a Redis (or Valkey) on a free port of 127.0.0.1. It keeps its data under `folder` and never evicts. First
 * stops a server that a killed parent left behind. The server is a session leader, like PostgreSQL.
 *
 * Throws StartFailed if no Redis can be found or installed, or if it does not start.
 */
export async function startRedis({
  folder,
  settings: more = {},
  port: wanted,
}: RedisOptions): Promise<Server> {
  const binary = findOrInstall(REDIS)
  await makePrivate(folder)
  await stopLeftoverRedis(folder)
  const log = join(folder, 'redis.log')
  for (let attempt = 1; ; attempt++) {
    const port = wanted ?? (await freePort())
    const settings = {
      port: String(port),
      bind: '127.0.0.1',
      dir: folder,
      appendonly: 'yes',
      // The append-only file has all data; snapshots would only write it twice.
      save: '',
      // BullMQ's queues and the places of the waiting room must never be evicted.
      'maxmemory-policy': 'noeviction',
      ...more,
    }
    const logFile = openSync(log, 'w', PRIVATE_FILE)
    const child = spawn(
      binary,
      Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]),
      { detached: true, stdio: ['ignore', logFile, logFile] },
    )
    const exited = exitOf(child)
    const pid = child.pid as number
    await writeFile(join(folder, 'redis.pid'), `${pid} ${port}`)
    if (await becomesReady(exited, async () => (await ping(port)).startsWith('+PONG'))) {
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
    const output = endOfLog(log)
    if (/Address already in use/i.test(output) && attempt < 5 && !wanted) continue
    throw new StartFailed(`Redis did not start. The end of its log:\n${output}`)
  }
}

/** Pings without a client library, to distinguish a server that loads its data from one that is ready. */
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

/** Stops the server that a killed parent left behind. */
export async function stopLeftoverRedis(folder: string): Promise<void> {
  const pidFile = join(folder, 'redis.pid')
  if (!existsSync(pidFile)) return
  const [pid = 0, port] = readFileSync(pidFile, 'utf8').split(' ').map(Number)
  // The process title has the port. A pid alone may belong to another program by now.
  if (isAlive(pid) && new RegExp(`(redis|valkey)-server .*:${port}\\b`).test(commandOf(pid))) {
    await stopProcess(pid, 'SIGTERM', 10_000)
  }
  await rm(pidFile, { force: true })
}
