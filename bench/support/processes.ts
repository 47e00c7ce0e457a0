import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { KeysFile } from '../../src/keys.ts'
import type { Stores } from './stores.ts'

/** A measured server in a process of its own. */
export interface Served {
  readonly url: string
  /** Microseconds of processor time that all threads have used so far. */
  cpu(): Promise<number>
  /** Bytes of memory in use, without garbage. */
  memory(): Promise<number>
  stop(): Promise<void>
}

/** Servers and clients each have a core of their own, so that neither takes the other's time. */
const SERVERS_CORE = '0'
const CLIENTS_CORE = '1'
const canPin = availableParallelism() > 1 && spawnSync('taskset', ['--version']).status === 0

/** The words before a command that pin it to these cores; empty if this machine cannot pin processes. */
export function pinnedTo(cores: string): string[] {
  return canPin ? ['taskset', '--cpu-list', cores] : []
}

/** Starts `src/main.ts` over these stores, as in production. */
export async function startApi(
  stores: Stores,
  keys: KeysFile,
  { variables = {}, cores }: { variables?: Record<string, string>; cores?: string } = {},
): Promise<Served> {
  const keysFile = join(stores.folder, 'keys.json')
  writeFileSync(keysFile, JSON.stringify(keys))
  const environment = {
    EMBEDDED: 'true',
    DATABASE_URL: stores.databaseUrl,
    REDIS_URL: stores.redisUrl,
    KEYS_FILE: keysFile,
    HOST: '127.0.0.1',
    PORT: '0',
    ...variables,
  }
  return startServer(join(import.meta.dirname, '../../src/main.ts'), environment, cores)
}

/** Starts a server of ./stock. It logs its address like the API. */
export function startStock(name: string, variables: Record<string, string> = {}): Promise<Served> {
  return startServer(join(import.meta.dirname, 'stock', `${name}.ts`), variables)
}

async function startServer(
  script: string,
  variables: Record<string, string>,
  cores = SERVERS_CORE,
): Promise<Served> {
  if (canPin) spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', CLIENTS_CORE, String(process.pid)])
  const [command = '', ...words] = [
    ...pinnedTo(cores),
    process.execPath,
    '--expose-gc',
    `--import=${join(import.meta.dirname, 'reportUsage.ts')}`,
    script,
  ]
  const child = spawn(command, words, {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production', ...variables },
  })
  const exited = once(child, 'exit')
  const url = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout as NodeJS.ReadableStream)
      .on('line', (line) => {
        // The last line may be incomplete when the process is stopped.
        if (line.includes('"listening"')) resolve(JSON.parse(line).url)
      })
      .on('close', () => reject(new Error(`${script} ended before it listened`)))
  })
  /** Requests a figure from the server. It sends its parent other messages too. */
  function ask(question: 'cpu' | 'memory'): Promise<number> {
    return new Promise((resolve) => {
      child.on('message', function receive(message: Record<string, number>) {
        const answer = message[question]
        if (answer === undefined) return
        child.off('message', receive)
        resolve(answer)
      })
      child.send(question)
    })
  }

  return {
    url,
    cpu: () => ask('cpu'),
    memory: () => ask('memory'),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
  }
}
