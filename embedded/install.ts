import { execFileSync, spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { StartFailed } from '../src/startFailed.ts'

export interface Program {
  /** For people: "Redis". */
  title: string
  /** Any of these will do. */
  commands: string[]
  /** Where it may be without being on the PATH. */
  paths?: string[]
  apt: string
  brew: string[]
  /** What to do where no package manager is at hand. */
  otherwise: string
}

/**
 * The path of a program: found on the PATH, else installed with apt-get (as root, or with a sudo that
 * asks nothing) or brew.
 *
 * Throws StartFailed with what to do by hand.
 */
export function findOrInstall(program: Program): string {
  return find(program) ?? install(program)
}

function find({ commands, paths = [] }: Program): string | undefined {
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
      process.stderr.write(`${title} is not here: installing ${apt} with apt-get …\n`)
      installWithApt(apt)
    } else if (process.platform === 'darwin') {
      process.stderr.write(`${title} is not here: installing it with brew …\n`)
      execFileSync('brew', ['install', '--quiet', ...brew], { stdio: 'pipe' })
    }
  } catch (error) {
    const said = String((error as { stderr?: Buffer }).stderr || (error as Error).message).trim()
    throw new StartFailed(`${title} is not installed, and installing it failed: ${said}. ${otherwise}`)
  }
  const found = find(program)
  if (found) return found
  throw new StartFailed(`${title} is not installed, and no package manager here could do it. ${otherwise}`)
}

function installWithApt(name: string): void {
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n']
  if (sudo.length > 0 && spawnSync('sudo', ['-n', 'true']).status !== 0) {
    throw new Error(`this user may not: sudo apt-get install ${name}`)
  }
  const run = (...args: string[]) => {
    const [command, ...rest] = [...sudo, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq', ...args]
    execFileSync(command as string, rest, { stdio: ['ignore', 'pipe', 'pipe'] })
  }
  run('update')
  run('install', '-y', '--no-install-recommends', name)
}
