import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinnedTo } from './processes.ts'

export interface OpenLoopOptions {
  readonly perSecond: number
  readonly connections: number
  /** The text of a final answer. An answer without it that has retryAfterSeconds is retried. */
  readonly expect: string
  /**
   * The load is more than the server serves: a request is not sent where its connection has many without an answer, and a
   * connection that the server closes opens again. The answers of both are empty.
   */
  readonly isCrowd?: boolean
}

export interface Answers {
  /** In the order of the requests. `at`: the planned time, by Date.now(). `ms`: the time from then to the answer. */
  readonly answers: { readonly at: number; readonly ms: number; readonly body: string }[]
  readonly startedAt: number
  /** Seconds from the first request to the last answer. */
  readonly seconds: number
  readonly sentWithin: number
  /** Answers that asked for a retry. */
  readonly retries: number
  readonly cpuSeconds: number
}

export interface OpenLoopLoad {
  begin(): void
  readonly done: Promise<Answers>
}

/** Starts a process on these cores for the requests: see openLoopProcess.ts. Resolves when it is ready; it connects when it begins. */
export async function prepareOpenLoopLoad(
  requests: readonly Buffer[],
  url: string,
  options: OpenLoopOptions & { folder: string; cores: string },
): Promise<OpenLoopLoad> {
  const path = join(options.folder, `requests-${process.hrtime.bigint()}`)
  const out = `${path}.answers`
  const length = Buffer.alloc(4)
  writeFileSync(
    path,
    Buffer.concat(
      requests.flatMap((request) => {
        length.writeUInt32BE(request.length)
        return [Buffer.from(length), request]
      }),
    ),
  )
  const script = join(import.meta.dirname, 'openLoopProcess.ts')
  const [command = '', ...words] = [...pinnedTo(options.cores), process.execPath, script, path, url, out]
  const child = spawn(command, words, {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const { perSecond, connections, expect, isCrowd } = options
  child.send({ perSecond, connections, expect, isCrowd })
  await once(child, 'message')
  return {
    begin: () => void child.send('begin'),
    done: once(child, 'exit').then(([code]) => {
      if (code !== 0) throw new Error(`the load process ended with ${code}`)
      const answers = JSON.parse(readFileSync(out, 'utf8')) as Answers
      for (const file of [path, out]) rmSync(file)
      return answers
    }),
  }
}
