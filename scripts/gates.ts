// npm test: runs every gate, then every test. With paths of test files it runs only these files, and no gate.
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, stripVTControlCharacters } from 'node:util'
import { installBrowsers } from '../test/support/chromium.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    /** A contract to hold schema/schema.graphql against. */
    contract: { type: 'string' },
    /** Runs files, and the tests of each file, in random order. SEED repeats an order. */
    random: { type: 'boolean' },
    /** npm run test:long: random runs and storms have their full length. */
    long: { type: 'boolean' },
  },
})

const bin = (name: string) => join(root, 'node_modules', '.bin', name)
const CACHE = join(root, 'node_modules', '.cache')
const TYPES_CACHE = join(CACHE, 'types.tsbuildinfo')
type Gate = [name: string, command: string[]]
const page: Gate = ["the fan's page builds", [process.execPath, 'scripts/page.ts']]
const gates: Gate[] = [
  // A run checks what has changed since the run before. A cache that is away or out of date costs time only.
  ['types', [bin('tsc'), '-p', '.', '--incremental', '--tsBuildInfoFile', TYPES_CACHE]],
  ['lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['unused files, exports and packages', [bin('knip')]],
]
if (values.contract) {
  gates.push(['contract', [process.execPath, 'scripts/contract.ts', values.contract]])
}

installBrowsers()

let passed = 0
/** A text for each gate and test that failed, with its cause. */
const failures: string[] = []
if (positionals.length > 0) await runTests()
else {
  // The tests find the page built. The other gates take one core for a quarter of a minute, beside tests that wait.
  await runGate(page)
  await Promise.all([runGates(), runTests()])
}
if (failures.length > 0) process.stdout.write(`\nFailed:\n\n${failures.join('\n')}\n`)
process.stdout.write(`\n${passed} passed, ${failures.length} failed\n`)
process.exitCode = failures.length > 0 ? 1 : 0

async function runGates(): Promise<void> {
  for (const gate of gates) await runGate(gate)
}

async function runGate([name, command]: Gate): Promise<void> {
  const started = performance.now()
  const { code, output } = await run(command)
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  process.stdout.write(`${code === 0 ? '✓' : '✗'} ${name} (${seconds} s)\n`)
  if (code === 0) passed++
  else {
    process.stdout.write(`${indented(output)}\n`)
    failures.push(failure(name, output))
  }
}

interface Report {
  numTotalTests: number
  numPassedTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

async function runTests(): Promise<void> {
  const path = join(tmpdir(), `fairgate-report-${process.pid}.json`)
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`]
  // The tests start some 150 processes, and half of a start is the compilation of the app.
  const env: Record<string, string> = { NODE_COMPILE_CACHE: join(CACHE, 'compiled') }
  if (values.long) env.LONG = '1'
  if (values.random) {
    env.ORDER_SEED = process.env.SEED ?? String(randomInt(2 ** 31))
    process.stdout.write(`Random order. To repeat it: SEED=${env.ORDER_SEED} npm test -- --random\n`)
  }
  const { code } = await run([bin('vitest'), 'run', ...reporters, ...positionals], 'inherit', env)
  const found: string[] = []
  const report: Report | null = await readFile(path, 'utf8').then(JSON.parse, () => null)
  await rm(path, { force: true })
  passed += report?.numPassedTests ?? 0
  for (const { name, status, message, assertionResults } of report?.testResults ?? []) {
    const file = relative(root, name)
    const tests = assertionResults.filter((test) => test.status !== 'passed')
    for (const test of tests) {
      const cause =
        test.status === 'failed'
          ? test.failureMessages.join('\n')
          : 'The test was skipped. No test may be skipped.'
      found.push(failure(`${file} > ${test.fullName}`, cause))
    }
    // The file did not load, or a hook failed.
    if (status === 'failed' && (message || tests.length === 0)) found.push(failure(file, message))
  }
  if (!report || report.numTotalTests === 0) found.push(failure('tests', 'No test has run.'))
  else if (code !== 0 && found.length === 0) {
    found.push(
      failure(
        'tests',
        'An error outside of the tests, or a process or folder that they left behind: see above.',
      ),
    )
  }
  failures.push(...found)
}

/** A title with the first lines of the cause, without the runner's own stack frames. */
function failure(title: string, cause: string): string {
  const lines = stripVTControlCharacters(cause)
    .trim()
    .split('\n')
    .filter((line) => !/^ +at .*(node_modules\/vitest|new Promise \(<anonymous>\))/.test(line))
    .slice(0, 12)
    .map((line) => line.replace(/\?vitest=\d+/, ''))
    .join('\n')
  return `✗ ${title}\n${indented(lines)}\n`
}

function indented(text: string): string {
  return text.trim().replaceAll(/^/gm, '    ')
}

function run(
  command: string[],
  stdout: 'pipe' | 'inherit' = 'pipe',
  env: Record<string, string> = {},
): Promise<{ code: number; output: string }> {
  const [file = '', ...args] = command
  const child = spawn(file, args, {
    cwd: root,
    stdio: ['ignore', stdout, stdout],
    env: { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`, ...env },
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
