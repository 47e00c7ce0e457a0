import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { makeKeys } from '../src/keys.ts'
import { temporaryFolder } from './support/folder.ts'

const folder = temporaryFolder('lifecycle')
const lifecycle = new URL('../src/lifecycle.ts', import.meta.url).href

/** A process whose stop takes `closeMs`. It is ready when `ready` resolves. */
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
    // Not 'close': that event does not come after `disconnect`.
    exited: Promise.all([
      once(child, 'exit'),
      once(child.stdout as Readable, 'end'),
      once(child.stderr as Readable, 'end'),
    ]).then(() => child.exitCode),
  }
}

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s leads to an orderly stop', async (signal) => {
  const process = run(50)
  await process.ready
  process.child.kill(signal)
  expect(await process.exited).toBe(0)
  expect(process.output()).toBe('closing\nclosed\n')
})

test('the loss of its parent leads to an orderly stop', async () => {
  const process = run(50)
  await process.ready
  process.child.disconnect()
  expect(await process.exited).toBe(0)
  expect(process.output()).toBe('closing\nclosed\n')
})

test('two signals at once count as one; a later signal ends the process', async () => {
  const process = run(60_000)
  await process.ready
  process.child.kill('SIGINT')
  process.child.kill('SIGTERM')
  // The second starts when the process has handled the first signal.
  await expect.poll(process.output).toBe('closing\n')
  await sleep(1_200)
  expect(process.child.exitCode).toBeNull()
  process.child.kill('SIGINT')
  expect(await process.exited).toBe(1)
  expect(process.output()).toBe('closing\n')
})

test('an unusable configuration is reported without a stack', async () => {
  const process = run(0, { PORT: 'high', LOG_LEVEL: 'low' })
  expect(await process.exited).toBe(1)
  expect(process.output()).toBe(
    `The configuration cannot be used:
  PORT must be a whole number from 0 to 65535, not "high".
  LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "low".
`,
  )
})

describe('src/main.ts reports in one sentence why it cannot start:', () => {
  async function start(env: Record<string, string>) {
    const main = spawn(process.execPath, ['src/main.ts'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        DATABASE_URL: 'postgresql://127.0.0.1:1/nothing',
        REDIS_URL: 'redis://127.0.0.1:1',
        EMBEDDED: 'true',
        LOG_LEVEL: 'silent',
        ...env,
      },
    })
    const [report] = await Promise.all([text(main.stderr), once(main, 'exit')])
    expect(main.exitCode).toBe(1)
    return report
  }

  const write = (name: string, content: string) => {
    const path = join(folder, name)
    writeFileSync(path, content)
    return path
  }

  test('missing keys', async () => {
    const path = join(folder, 'nothing.json')
    expect(await start({ KEYS_FILE: path })).toBe(
      `KEYS_FILE: cannot read ${path} (ENOENT: no such file or directory, open '${path}')\n`,
    )
  })

  test('unusable keys', async () => {
    const path = write('none.json', '{}')
    expect(await start({ KEYS_FILE: path })).toBe(
      `KEYS_FILE: ${path} holds no usable keys (tokens: needs at least one key)\n`,
    )
  })

  test('a port that is taken, or an address of another machine', async () => {
    const path = write('keys.json', JSON.stringify(await makeKeys()))
    const taker = createServer().listen(0, '127.0.0.1')
    await once(taker, 'listening')
    const PORT = String((taker.address() as AddressInfo).port)
    expect(await start({ KEYS_FILE: path, HOST: '127.0.0.1', PORT })).toBe(
      `PORT: 127.0.0.1:${PORT} is taken by another process.\n`,
    )
    expect(await start({ KEYS_FILE: path, HOST: '192.0.2.1', PORT, EMBEDDED_ANYWHERE: 'yes' })).toBe(
      `HOST, PORT: cannot listen at 192.0.2.1:${PORT} (listen EADDRNOTAVAIL: address not available 192.0.2.1:${PORT}).\n`,
    )
    taker.close()
  })
})
