import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartFailed } from '../src/startFailed.ts'

/**
 * Builds the fan's page if its sources changed since the last build.
 *
 * Throws StartFailed with Vite's output.
 */
export async function buildPage(root: string): Promise<void> {
  const stamp = join(root, 'clients/web/dist/.fairgate')
  const current = digest(root)
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === current) return
  const child = spawn(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build', '--config', 'clients/web/vite.config.ts'],
    // Always production, also in a test: another environment adds file names and lines to every element.
    { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, NODE_ENV: 'production' } },
  )
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += chunk
    })
  }
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) throw new StartFailed(`The fan's page could not be built:\n${output.trim()}`)
  writeFileSync(stamp, current)
}

function digest(root: string): string {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  for (const folder of ['clients/web', 'clients/sdk']) {
    for (const entry of readdirSync(join(root, folder), { recursive: true, withFileTypes: true })) {
      const path = join(entry.parentPath, entry.name)
      if (!entry.isFile() || path.includes('/dist/')) continue
      hash.update(path).update(readFileSync(path))
    }
  }
  return hash.digest('hex')
}
