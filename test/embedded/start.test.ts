import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { freePort, isAlive, stopProcess } from '../../embedded/processes.ts'
import { temporaryFolder } from '../support/folder.ts'

const script = fileURLToPath(new URL('../../embedded/start.ts', import.meta.url))
const folder = join(temporaryFolder('start'), '.fairgate')
const port = await freePort()
const url = `http://127.0.0.1:${port}`

interface Start {
  process: ChildProcess
  output(): string
  /** Resolves when the banner is printed. */
  ready: Promise<void>
  exited: Promise<number | null>
}

/** Runs npm start in a process group of its own, as a terminal does. */
function start(...args: string[]): Start {
  const child = spawn(process.execPath, [script, '--folder', folder, ...args], {
    detached: true,
    env: { ...process.env, PORT: String(port), DRAIN_SECONDS: '5' },
  })
  let output = ''
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)))
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk
        if (output.includes('Fairgate runs.')) resolve()
      })
    }
    void exited.then((code) => reject(new Error(`ended with ${code} before it ran:\n${output}`)))
  })
  ready.catch(() => {})
  return { process: child, output: () => output, ready, exited }
}

/** The pids of all processes in the folder's files. */
function processes(): { postgres: number; redis: number; children: number[] } {
  const first = (path: string) => Number.parseInt(readFileSync(join(folder, path), 'utf8'), 10)
  return {
    postgres: first('postgres/data/postmaster.pid'),
    redis: first('redis/redis.pid'),
    children: readdirSync(join(folder, 'children')).map(Number),
  }
}

function alive(of: ReturnType<typeof processes>): number[] {
  return [of.postgres, of.redis, ...of.children].filter(isAlive)
}

async function demoOpensAt(): Promise<string> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ eventBySlug(slug: "demo") { sale { opensAt available } } }' }),
  })
  const { data } = (await response.json()) as {
    data: { eventBySlug: { sale: { opensAt: string; available: number } } }
  }
  expect(data.eventBySlug.sale.available).toBe(1231)
  return data.eventBySlug.sale.opensAt
}

let running: Start | undefined
afterAll(async () => {
  if (running && running.process.exitCode === null) {
    process.kill(running.process.pid as number, 'SIGTERM')
    await running.exited
  }
})

// The tests are one story of one folder, so a random run keeps their order.
describe('the embedded start', { shuffle: false }, () => {
  let opensAt: string

  test('an empty folder becomes a running sale of the real hall, and the banner shows the addresses', async () => {
    const startedAt = Date.now()
    running = start()
    await running.ready
    const readyAt = Date.now()
    expect(alive(processes())).toHaveLength(4)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    opensAt = await demoOpensAt()
    // The demo opens 60 s after its creation, which is between the start and the banner.
    expect(Date.parse(opensAt)).toBeGreaterThanOrEqual(startedAt + 60_000)
    expect(Date.parse(opensAt)).toBeLessThanOrEqual(readyAt + 60_000)
    for (const line of [
      '/e/demo',
      '/graphql',
      '/dev/token',
      'npm run surge -- --fans 3000',
      'Ctrl-C',
      '--reset',
    ]) {
      expect(running.output()).toContain(line)
    }
  })

  test('other users of the machine may read nothing in the folder, and the banner has no password', () => {
    const password = readFileSync(join(folder, 'postgres/password'), 'utf8')
    expect(running?.output()).not.toContain(password)
    expect(running?.output()).toContain('postgres/password')
    const modeOf = (path: string) => statSync(join(folder, path)).mode
    // Where root starts PostgreSQL as another user, that user's group passes through to its own files.
    for (const path of ['.', 'postgres']) expect(modeOf(path) & 0o067).toBe(0)
    for (const path of ['redis', 'children', 'api.log', 'worker.log', 'keys.json', 'postgres/password'])
      expect(modeOf(path) & 0o077).toBe(0)
  })

  test('a second start is refused while one runs, and does not disturb it', async () => {
    const second = start()
    expect(await second.exited).toBe(1)
    expect(second.output()).toContain(`already running on ${folder}`)
    expect(alive(processes())).toHaveLength(4)
  })

  test('Ctrl-C, which reaches the whole process group, stops everything in order and leaves no process', async () => {
    const before = processes()
    process.kill(-(running?.process.pid as number), 'SIGINT')
    process.kill(running?.process.pid as number, 'SIGINT')
    expect(await running?.exited).toBe(0)
    expect(alive(before)).toEqual([])
    expect(existsSync(join(folder, 'start.pid'))).toBe(false)
  })

  test('after SIGKILL the API and the worker end by themselves, and the next start has all data', async () => {
    running = start()
    await running.ready
    expect(await demoOpensAt()).toBe(opensAt)
    const before = processes()
    process.kill(running.process.pid as number, 'SIGKILL')
    await running.exited
    while (before.children.some(isAlive)) await sleep(20)

    running = start()
    await running.ready
    expect(alive(before)).toEqual([])
    expect(await demoOpensAt()).toBe(opensAt)
  })

  test('a part that ends by itself stops all other parts, and the start fails with a message', async () => {
    const before = processes()
    await stopProcess(before.redis, 'SIGKILL', 0)
    expect(await running?.exited).toBe(1)
    expect(running?.output()).toContain('Redis ended by itself (SIGKILL), so everything else stops too.')
    expect(alive(before)).toEqual([])
  })

  test('a port that is in use is reported, and nothing is started', async () => {
    const taken = createServer().listen(port, '127.0.0.1')
    await new Promise((resolve) => taken.once('listening', resolve))
    const failed = start()
    expect(await failed.exited).toBe(1)
    expect(failed.output()).toContain(
      `Port ${port} of 127.0.0.1 is not available: another program listens there.`,
    )
    await new Promise((resolve) => taken.close(resolve))
  })

  test('--reset starts over, and SIGTERM to the parent alone stops everything', async () => {
    running = start('--reset')
    await running.ready
    expect(Date.parse(await demoOpensAt())).toBeGreaterThan(Date.parse(opensAt))
    const before = processes()
    process.kill(running.process.pid as number, 'SIGTERM')
    expect(await running.exited).toBe(0)
    expect(alive(before)).toEqual([])
  })
})
