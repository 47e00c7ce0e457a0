import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, renameSync } from 'node:fs'
import { StartFailed } from '../src/startFailed.ts'
import { endOfLog } from './failures.ts'
import type { Instance } from './instance.ts'
import { PRIVATE_FILE } from './privateFolder.ts'
import { exitOf } from './processes.ts'

export interface Child {
  readonly name: string
  readonly log: string
  /** Resolves when the process has ended, with its exit code or signal. */
  readonly exited: Promise<string>
  /** Resolves when the process reports that it is ready. Rejects with StartFailed and the end of its log if it ends first. */
  readonly ready: Promise<void>
  /** Stops the process after it has finished its requests and jobs. */
  stop(): Promise<void>
  kill(): void
}

export interface ChildOptions {
  name: string
  script: string
  folder: string
  env: NodeJS.ProcessEnv
  log: string
  instance: Instance | undefined
}

/**
 * Starts the API or the worker as a session leader: a Ctrl-C in the terminal reaches the parent alone, which stops
 * everything in order. If the parent dies, the IPC channel closes and the child stops by itself.
 */
export function startChild({ name, script, folder, env, log, instance }: ChildOptions): Child {
  if (existsSync(log)) renameSync(log, `${log}.1`)
  const output = openSync(log, 'w', PRIVATE_FILE)
  const child = spawn(process.execPath, [script], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  if (child.pid) instance?.record(child.pid, script)
  const exited = exitOf(child)
  const ready = Promise.race([
    new Promise<true>((resolve) => child.once('message', () => resolve(true))),
    exited,
  ])
  return {
    name,
    log,
    exited,
    ready: ready.then((outcome) => {
      if (outcome === true) return
      throw new StartFailed(`${name} did not start (${outcome}). The end of its log:\n${endOfLog(log)}`)
    }),
    async stop() {
      child.kill('SIGTERM')
      await exited
    },
    kill() {
      child.kill('SIGKILL')
    },
  }
}
