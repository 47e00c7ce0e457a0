import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { temporaryFolder } from './support/folder.ts'

const folder = temporaryFolder('lifecycle')
const lifecycle = new URL('../src/lifecycle.ts', import.meta.url).href

/** A process whose stop takes as long as it is told, ready when `ready` resolves. */
function run(closeMs: number, env: Record<string, string> = {}) {
  const script = join(folder, `${closeMs}.ts`)
  writeFileSync(
    script,
    `import { runProcess } from ${JSON.stringify(lifecycle)}
     const up = setInterval(() => {}, 1000)
     await runProcess(async () => ({
       async close() {
         console.log('closing')
         await new Promise((resolve) => setTimeout(resolve, ${closeMs}))
         clearInterval(up)
         console.log('closed')
       },
     }))`,
  )
  const child: ChildProcess = fork(script, {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      DATABASE_URL: 'postgresql://db/fairgate',
      REDIS_URL: 'redis://cache',
      KEYS_FILE: '/keys.json',
      EMBEDDED: 'true',
      ...env,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  return {
    child,
    output: () => output,
    ready: new Promise((resolve) => child.once('message', resolve)),
    // Not 'close', which does not come once the channel was cut by hand.
    exited: Promise.all([
      once(child, 'exit'),
      once(child.stdout as Readable, 'end'),
      once(child.stderr as Readable, 'end'),
    ]).then(() => child.exitCode),
  }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s is an orderly stop', async (signal) => {
  const process = run(50)
  await process.ready
  process.child.kill(signal)
  expect(await process.exited).toBe(0)
  expect(process.output()).toBe('closing\nclosed\n')
})

test('a parent that is gone is an orderly stop', async () => {
  const process = run(50)
  await process.ready
  process.child.disconnect()
  expect(await process.exited).toBe(0)
  expect(process.output()).toBe('closing\nclosed\n')
})

test('a signal that comes twice at once counts once; a second one ends it', async () => {
  const process = run(60_000)
  await process.ready
  process.child.kill('SIGINT')
  process.child.kill('SIGTERM')
  await sleep(1_200)
  expect(process.child.exitCode).toBeNull()
  process.child.kill('SIGINT')
  expect(await process.exited).toBe(1)
  expect(process.output()).toBe('closing\n')
})

test('a configuration that cannot be used is told without a stack', async () => {
  const process = run(0, { PORT: 'high', LOG_LEVEL: 'low' })
  expect(await process.exited).toBe(1)
  expect(process.output()).toBe(
    `The configuration cannot be used:
  PORT must be a whole number from 0 to 65535, not "high".
  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "low".
`,
  )
})
