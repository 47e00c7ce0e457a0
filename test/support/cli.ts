import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the command `fairgate` as a user types it. Its environment names no database. */
export function fairgate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  return fairgateWith({}, ...args)
}

/** The same, with more variables in its environment. */
export function fairgateWith(
  variables: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const env = { PATH, NODE_COMPILE_CACHE, ...variables }
    execFile(process.execPath, ['clients/cli/main.ts', ...args], { cwd: ROOT, env }, (error, out, err) =>
      resolve({ code: error ? Number(error.code) : 0, out, err }),
    )
  })
}
