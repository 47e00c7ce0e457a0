// npm test: every gate, then every test. With paths of test files: those alone.
import { spawn } from 'node:child_process'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findOrInstall } from '../embedded/install.ts'
import { CHROMIUM } from '../test/support/chromium.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A contract to hold schema/schema.graphql against. */
    contract: { type: 'string' },
  },
})

const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const gates: [name: string, command: string[]][] = [
  ['types', [bin('tsc'), '-p', '.']],
  ['lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['unused files, exports and packages', [bin('knip')]],
  ["the fan's page builds", [process.execPath, 'scripts/page.ts']],
]
if (values.contract) {
  gates.push(['contract', [process.execPath, 'scripts/contract.ts', values.contract]])
}

findOrInstall(CHROMIUM)

let passed = 0
let failed = 0
if (positionals.length === 0) await runGates()
await runTests()
process.stdout.write(`\n${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

async function runGates(): Promise<void> {
  for (const [name, command] of gates) {
    const started = performance.now()
    const { code, output } = await run(command)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    if (code === 0) passed++
    else failed++
    process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`)
    if (code !== 0) process.stdout.write(`${output.trim().replaceAll(/^/gm, '    ')}\n`)
  }
}

async function runTests(): Promise<void> {
  const report = join(tmpdir(), `fairgate-report-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
  const { code } = await run([bin('vitest'), 'run', ...reporters, ...positionals], 'inherit')
  const counts = await readFile(report, 'utf8').then(JSON.parse, () => null)
  await rm(report, { force: true })
  passed += counts?.numPassedTests ?? 0
  failed += counts?.numFailedTests ?? 0
  const skipped = (counts?.numPendingTests ?? 0) + (counts?.numTodoTests ?? 0)
  if (skipped > 0) process.stdout.write(`${skipped} tests were skipped, which none may be.\n`)
  failed += skipped
  // A file that does not load, an error outside of tests, no tests at all.
  if ((code !== 0 && failed === 0) || !counts || counts.numTotalTests === 0) failed++
}

function run(
  command: string[],
  stdout: 'pipe' | 'inherit' = 'pipe',
): Promise<{ code: number; output: string }> {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', stdout, stdout],
    env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      output += chunk
    })
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code: code ?? 1, output }))
  })
}
