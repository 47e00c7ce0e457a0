import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailed } from '../src/startFailed.ts'
import { PRIVATE_FOLDER } from './privateFolder.ts'
import { commandOf, isAlive, stopProcess } from './processes.ts'

/** The lock of a folder: one `npm start` at a time. It records the child processes. */
export interface Instance {
  /** Records a child and its script, so that the next start can stop it if this process was killed. */
  record(pid: number, script: string): void
  release(): void
}

/**
 * Locks the folder for this process, which serves at `address`. First stops the children of a killed instance.
 *
 * Throws StartFailed if another instance runs on the folder.
 */
export async function claimInstance(folder: string, address: string): Promise<Instance> {
  const children = join(folder, 'children')
  const pidFile = join(folder, 'start.pid')
  mkdirSync(children, { recursive: true, mode: PRIVATE_FOLDER })
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
    // Compares the command too: the operating system may have given the pid to another program.
    const script = readFileSync(join(children, pid), 'utf8')
    if (commandOf(Number(pid)).endsWith(script)) await stopProcess(Number(pid), 'SIGTERM', 5_000)
    rmSync(join(children, pid))
  }
  return {
    record(pid, script) {
      writeFileSync(join(children, String(pid)), script)
    },
    release() {
      rmSync(children, { recursive: true, force: true })
      rmSync(pidFile, { force: true })
    },
  }
}
