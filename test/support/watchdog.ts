import { spawn } from 'node:child_process'

const SCRIPT = `
  read _
  kill -KILL "$1" 2> /dev/null
  while kill -0 "$1" 2> /dev/null; do sleep 0.1; done
  rm -rf -- "$2"
`

/**
 * Kills a server and removes its folder once this process has ended, also after a SIGKILL: a killed test run leaves
 * nothing behind. The shell waits on a pipe whose other end only this process holds.
 *
 * Returns a function that cancels it. Call it once the server has ended: its number may go to another process.
 */
export function endWithThisProcess(pid: number, folder: string): () => void {
  const watchdog = spawn('sh', ['-c', SCRIPT, 'watchdog', String(pid), folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  watchdog.unref()
  ;(watchdog.stdin as unknown as { unref(): void }).unref()
  return () => {
    watchdog.kill('SIGKILL')
  }
}
