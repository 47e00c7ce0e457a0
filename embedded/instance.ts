import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailed } from '../src/startFailed.ts'
import { commandOf, isAlive, stopProcess } from './processes.ts'

/** One `npm start` a folder: who runs it, and which processes it started. */
export interface Instance {
  /** Remembers a child and the script that it runs, so that the next start can stop it where this one was killed. */
  remember(pid: number, script: string): void
  release(): void
}

/**
 * Claims the folder for this process, which serves at `address`; first stops the children of an instance that was killed.
 *
 * Throws StartFailed where another instance runs on it.
 */
export async function claimInstance(folder: string, address: string): Promise<Instance> {
  const children = join(folder, 'children')
  const pidFile = join(folder, 'start.pid')
  mkdirSync(children, { recursive: true })
  for (;;) {
    try {
      writeFileSync(pidFile, `${process.pid} ${address}`, { flag: 'wx' })
      break
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const [pid, where] = readFileSync(pidFile, 'utf8').split(' ')
    const holder = Number(pid)
    if (holder > 0 && isAlive(holder) && commandOf(holder).includes('start.ts')) {
      throw new StartFailed(
        `Fairgate is already running on ${folder} (process ${holder})${where ? `: ${where}` : ''}. Use it, or stop it first: kill ${holder}`,
      )
    }
    rmSync(pidFile, { force: true })
  }
  for (const pid of readdirSync(children)) {
    // By its command too: the number alone may be somebody else's by now.
    const script = readFileSync(join(children, pid), 'utf8')
    if (commandOf(Number(pid)).endsWith(script)) await stopProcess(Number(pid), 'SIGTERM', 5_000)
    rmSync(join(children, pid))
  }
  return {
    remember(pid, script) {
      writeFileSync(join(children, String(pid)), script)
    },
    release() {
      rmSync(children, { recursive: true, force: true })
      rmSync(pidFile, { force: true })
    },
  }
}
