// npm run bench [-- <name> …]: runs all benchmarks of this folder, or the named ones.
import { spawn } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'

const all = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts')
  .map((file) => file.slice(0, -3))
const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !all.includes(name))
if (unknown.length > 0) {
  process.stderr.write(
    `There is no benchmark ${unknown.join(', ')}. The benchmarks are: ${all.join(', ')}.\n`,
  )
  process.exit(1)
}

for (const name of wanted.length > 0 ? wanted : all) {
  const load = loadavg()[0]?.toFixed(1)
  process.stdout.write(`\n# ${name} (load before it: ${load})\n\n`)
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' })
  const code = await new Promise((resolve) => child.once('close', resolve))
  if (code !== 0) process.exitCode = 1
}
