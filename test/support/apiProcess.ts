import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { inject } from 'vitest'
import { type KeysFile, makeKeys } from '../../src/keys.ts'
import { cleanUp } from './cleanUp.ts'

export interface ApiProcess {
  readonly url: string
  readonly pid: number
  /** The time at which it began to listen, by its machine's clock. */
  readonly listeningSince: Date
  /** Sends SIGKILL: no request is finished, no reply is sent. */
  kill(): Promise<void>
}

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

export interface ApiProcessOptions {
  /** Default: the file that all processes share. */
  keysFile?: string
  /** A module that the process loads before anything else. */
  preload?: string
}

/** Writes a file with these keys, by default new ones, and returns its path. */
export async function writeKeys(keys?: KeysFile): Promise<string> {
  const path = join(inject('temporaryFolder'), `${randomUUID()}.keys.json`)
  writeFileSync(path, JSON.stringify(keys ?? (await makeKeys())))
  return path
}

/** Returns a function that starts `src/main.ts` as in production, each time in a new process with the same keys. */
export async function apiProcesses(
  databaseUrl: string,
  redisUrl: string,
  variables: Record<string, string> = {},
): Promise<(options?: ApiProcessOptions) => Promise<ApiProcess>> {
  const sharedKeys = await writeKeys()
  const processes: ApiProcess[] = []
  cleanUp(() => Promise.all(processes.map((process) => process.kill())))

  return async ({ keysFile = sharedKeys, preload } = {}) => {
    // A forked process stops by itself once this process has ended.
    const child = fork(MAIN, {
      execArgv: [...process.execArgv, ...(preload ? ['--import', preload] : [])],
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
      env: {
        ...process.env,
        EMBEDDED: 'true',
        DATABASE_URL: databaseUrl,
        REDIS_URL: redisUrl,
        KEYS_FILE: keysFile,
        HOST: '127.0.0.1',
        PORT: '0',
        ...variables,
      },
    })
    const exited = once(child, 'exit')
    const started: ApiProcess = {
      ...(await listening(child.stdout as Readable)),
      pid: child.pid as number,
      async kill() {
        child.kill('SIGKILL')
        await exited
      },
    }
    processes.push(started)
    return started
  }
}

/** Returns the address from the log line of a process that listens. The rest of the log is read and dropped. */
async function listening(log: Readable): Promise<Pick<ApiProcess, 'url' | 'listeningSince'>> {
  const { promise, resolve, reject } = Promise.withResolvers<Pick<ApiProcess, 'url' | 'listeningSince'>>()
  createInterface(log)
    .on('line', (line) => {
      const { msg, url, time } = JSON.parse(line)
      if (msg === 'listening') resolve({ url, listeningSince: new Date(time) })
    })
    .on('close', () => reject(new Error('the API process ended before it listened')))
  return promise
}
