import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartFailed } from '../src/startFailed.ts'

export interface Program {
  /** The name in messages, such as "Redis". */
  title: string
  /** The possible commands; any one is enough. */
  commands: string[]
  /** Paths that may have it although they are not on the PATH. */
  paths?: string[]
  apt: string
  brew: string[]
  /** What to do without a package manager. */
  otherwise: string
}

/**
 * Returns the path of a program. If it is not on the PATH, installs it with apt-get (as root, or with sudo without a
 * password) or with brew.
 *
 * Throws StartFailed with instructions for a manual installation.
 */
export function findOrInstall(program: Program): string {
  return find(program) ?? install(program)
}

/** Returns the path of a program that is installed. */
export function find({ commands, paths = [] }: Program): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const candidates = [...commands.flatMap((name) => folders.map((folder) => join(folder, name))), ...paths]
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

function install(program: Program): string {
  const { title, apt, brew, otherwise } = program
  try {
    if (existsSync('/usr/bin/apt-get')) {
      process.stderr.write(`${title} is not installed: installing ${apt} with apt-get …\n`)
      installWithApt(apt)
    } else if (process.platform === 'darwin') {
      process.stderr.write(`${title} is not installed: installing it with brew …\n`)
      execFileSync('brew', ['install', '--quiet', ...brew], { stdio: 'pipe' })
    }
  } catch (error) {
    const output = String((error as { stderr?: Buffer }).stderr || (error as Error).message).trim()
    throw new StartFailed(`${title} is not installed, and its installation failed: ${output}. ${otherwise}`)
  }
  const found = find(program)
  if (found) return found
  throw new StartFailed(
    `${title} is not installed, and there is no package manager that can install it. ${otherwise}`,
  )
}

function installWithApt(name: string): void {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (sudo.length > 0 && spawnSync('sudo', ['-n', 'true']).status !== 0) {
    throw new Error(`this user may not run: sudo apt-get install ${name}`)
  }
  const run = (...args: string[]) => {
    const [command, ...rest] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args]
    execFileSync(command as string, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  }
  run('update')
  run('install', '-y', '--no-install-recommends', name)
}
