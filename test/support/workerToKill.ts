import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { cleanUp } from './cleanUp.ts'
import { until } from './jobs.ts'

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))

export interface KillOptions {
  /** Default: 0. */
  hoursOff?: number
  /** Kills the worker short of its point once this is true. */
  unless?: () => Promise<boolean>
}

interface Worker {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly exited: Promise<unknown>
}

/** Starts a worker process that has loaded the app and waits for its point. Its clock is wrong by so many hours. */
function load(hoursOff: number): Worker {
  const preload = new URL(`./clockOff.ts?hours=${hoursOff}`, import.meta.url).href
  const child = spawn(process.execPath, ['--import', preload, WORKER], { stdio: ['pipe', 'pipe', 'inherit'] })
  return { child, exited: once(child, 'exit') }
}

/**
 * Returns a function that runs a worker process (test/support/worker.ts) to `point` and kills it there. `point` is `before`
 * or `after`, and the part and method of the app whose call that is.
 *
 * The next worker loads while a test waits, since that takes over a second.
 */
export function workersToKill(
  databaseUrl: string,
  redisUrl: string,
): (point: string, options?: KillOptions) => Promise<void> {
  let spare: Worker | undefined
  cleanUp(async () => {
    spare?.child.kill('SIGKILL')
    await spare?.exited
  })

  return async (point, { hoursOff = 0, unless = async () => false } = {}) => {
    const { child, exited } = hoursOff === 0 ? (spare ?? load(0)) : load(hoursOff)
    if (hoursOff === 0) spare = undefined
    try {
      child.stdin.write(`${JSON.stringify([databaseUrl, redisUrl, point])}\n`)
      let said: string | undefined
      child.stdout.once('data', (data) => {
        said = String(data)
      })
      void exited.then(() => {
        said ??= 'nothing'
      })
      await until(async () => said !== undefined || (await unless()), `the worker at "${point}"`)
      if (said !== undefined && said !== 'here\n') throw new Error(`The worker ended or printed: ${said}`)
    } finally {
      child.kill('SIGKILL')
      await exited
    }
    spare ??= load(0)
  }
}
