import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, renameSync } from 'node:fs'
import { StartFailed } from '../src/startFailed.ts'
import { lastWords } from './failures.ts'
import type { Instance } from './instance.ts'
import { exitOf } from './processes.ts'

export interface Child {
  readonly name: string
  readonly log: string
  /** Resolves when the process has ended, with what it ended with. */
  readonly exited: Promise<string>
  /** Resolves once it says so; StartFailed with its last words where it ends before. */
  readonly ready: Promise<void>
  /** Orderly: what is under way is finished first. */
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
 * Starts one of our processes. It leads a session of its own: a
 * Ctrl-C in the terminal reaches the parent alone, which stops everything in order. When the parent dies,
 * the channel between them closes, and the child stops by itself.
 */
export function startChild({ name, script, folder, env, log, instance }: ChildOptions): Child {
  if (existsSync(log)) renameSync(log, `${log}.1`)
  const output = openSync(log, 'w')
  const child = spawn(process.execPath, [script], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  if (child.pid) instance?.remember(child.pid, script)
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
      throw new StartFailed(`${name} did not start (${outcome}). Its last words:\n${lastWords(log)}`)
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
