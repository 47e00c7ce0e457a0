import { type ChildProcess, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** True until the process has ended and has closed its files and ports, even if its parent has not read its exit code. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

/**
 * A killed process whose main thread has ended may have another thread that cannot end yet. Redis has one that waits for
 * the disk in fsync. Until that thread ends, the port stays open. See proc_pid_stat(5).
 */
function isZombie(pid: number): boolean {
  const stat = procFile(pid, 'stat') ?? ''
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state, threads] = [fields[0], Number(fields[17])]
  return state === 'Z' && threads <= 1
}

/** The command line of a process; '' if it does not exist. A pid alone may belong to another program by now. */
export function commandOf(pid: number): string {
  const cmdline = procFile(pid, 'cmdline')
  if (cmdline !== undefined) return cmdline.replaceAll('\0', ' ').trim()
  if (existsSync('/proc/self/cmdline')) return ''
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  } catch {
    return ''
  }
}

function procFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    return undefined
  }
}

/** Sends the signal, waits up to `graceMs` milliseconds, then kills. Resolves when the process has ended. */
export async function stopProcess(pid: number, signal: NodeJS.Signals, graceMs: number): Promise<void> {
  const deadline = Date.now() + graceMs
  send(pid, signal)
  while (isAlive(pid)) {
    if (Date.now() > deadline) send(pid, 'SIGKILL')
    await sleep(10)
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Checks every 10 ms until `isReady` is true. Returns false if the process ends first. */
export async function becomesReady(
  exited: Promise<unknown>,
  isReady: () => Promise<boolean>,
): Promise<boolean> {
  let hasEnded = false
  void exited.then(() => {
    hasEnded = true
  })
  while (!hasEnded) {
    if (await isReady()) return true
    await sleep(10)
  }
  return false
}

/** Resolves when a child has ended, with its exit code, its signal, or the reason why it did not start. */
export function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
}

/** Below the ephemeral ports of Linux and macOS, so that no outgoing connection takes the port in the meantime. */
const PORTS = { first: 20_000, count: 12_000 }

/** A port on 127.0.0.1 that was free a moment ago. The caller must be ready to try another one. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = PORTS.first + Math.floor(Math.random() * PORTS.count)
    if (await isFree(port)) return port
  }
  throw new Error(`no free port from ${PORTS.first} to ${PORTS.first + PORTS.count - 1}`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer()
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => resolve(true))
  })
  if (isListening) await new Promise((resolve) => server.close(resolve))
  return isListening
}
