import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinnedTo } from './processes.ts'

export interface OpenLoopOptions {
  readonly perSecond: number
  readonly connections: number
  /** What an answer holds that is one: without it, whoever is told to come back comes back. */
  readonly expect: string
}

export interface Answers {
  /** In the order of the requests; `at`: when it was due, by Date.now(), `ms`: from then to its answer. */
  readonly answers: { readonly at: number; readonly ms: number; readonly body: string }[]
  readonly startedAt: number
  /** From the first request to the last answer. */
  readonly seconds: number
  readonly sentWithin: number
  /** Answers that said to come back later. */
  readonly comeBacks: number
  readonly cpuSeconds: number
}

export interface OpenLoopLoad {
  begin(): void
  readonly done: Promise<Answers>
}

/** Hands the requests to a process of its own on these cores, see sender.ts; connected, and waiting to begin. */
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
  const { perSecond, connections, expect } = options
  child.send({ perSecond, connections, expect })
  await once(child, 'message')
  return {
    begin: () => void child.send('begin'),
    done: once(child, 'exit').then(([code]) => {
      if (code !== 0) throw new Error(`the sender ended with ${code}`)
      const answers = JSON.parse(readFileSync(out, 'utf8')) as Answers
      for (const file of [path, out]) rmSync(file)
      return answers
    }),
  }
}
