import { type ChildProcess, execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  return !isZombie(pid)
}

function isZombie(pid: number): boolean {
  const stat = procFile(pid, 'stat') ?? ''
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z')
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

/** Resolves when a child has ended, with its exit code, its signal, or the reason why it did not start. */
export function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
    child.once('error', (error) => resolve(error.message))
  })
}

/** A port on 127.0.0.1 that was free a moment ago. The caller must be ready to try another one. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
