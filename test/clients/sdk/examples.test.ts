import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildSdk } from '../../../clients/codegen/sdkPackage.ts'
import { startJobs } from '../../../src/jobs/index.ts'
import { insertEvent } from '../../support/event.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { QUICK } from '../../support/jobs.ts'
import { testServer } from '../../support/server.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const run = promisify(execFile)

const { app, db, url, token } = await testServer()
const jobs = await startJobs(app, { timings: QUICK })
afterAll(() => jobs.close(5_000))
const event = await insertEvent(db, { sections: [{ seats: 12 }], waitingRoom: true })
await db.sql(`update events set slug = 'demo' where id = $1`, [event.id])

const environment = { PATH: process.env.PATH, URL: url }

test('clients/sdk/examples/exampleWithoutSdk.ts takes a fan from the line to the codes of two tickets', async () => {
  const { stdout } = await run(process.execPath, ['clients/sdk/examples/exampleWithoutSdk.ts'], {
    cwd: ROOT,
    env: environment,
  })
  expect(stdout).toMatch(/ADMITTED/)
  expect(stdout).toMatch(/"snapshot":\{"statuses":"\w+/)
  expect(stdout).toMatch(/CONFIRMED.+FG1:.+FG1:/s)
})

describe('the package in a project of its own', () => {
  const project = temporaryFolder('project')
  const folder = temporaryFolder('sdk')
  const program =
    /```ts\n([\s\S]*?)```/.exec(readFileSync(join(ROOT, 'clients/sdk/README.md'), 'utf8'))?.[1] ?? ''
  const write = (name: string, text: string) => writeFileSync(join(project, name), text)
  const bin = (path: string, ...args: string[]) =>
    run(process.execPath, [join(ROOT, 'node_modules', path), ...args], { cwd: project }).catch((error) => {
      throw new Error(`${error.stdout}${error.stderr}`)
    })

  // As npm install does, but for the network.
  beforeAll(async () => {
    await buildSdk(folder)
    await run('npm', ['pack', folder, '--loglevel=error'], { cwd: project })
    const [tarball = ''] = readdirSync(project).filter((name) => name.endsWith('.tgz'))
    await run('tar', ['-xzf', tarball], { cwd: project })
    const installed = join(project, 'node_modules/@fairgate/sdk')
    mkdirSync(dirname(installed), { recursive: true })
    cpSync(join(project, 'package'), installed, { recursive: true })
    const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    // graphql-ws has graphql as a peer, for its types alone. The others are for the recipes.
    for (const name of [...Object.keys(dependencies), 'graphql', '@apollo', '@urql'])
      symlinkSync(join(ROOT, 'node_modules', name), join(project, 'node_modules', name))
    write('package.json', '{ "type": "module" }')
  })

  test('the twenty lines of its README buy two seats in Node, and are those of example.ts', async () => {
    expect(program.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(20)
    const example = readFileSync(join(ROOT, 'clients/sdk/examples/example.ts'), 'utf8')
    expect(example.slice(example.indexOf('\n') + 1)).toBe(program.replace('@fairgate/sdk', '../index.ts'))
    write('buy.mjs', program)
    const { stdout } = await run(process.execPath, ['buy.mjs'], { cwd: project, env: environment })
    expect(stdout).toMatch(/ADMITTED CONFIRMED FG1:\S.* FG1:/)
  })

  test.each(['Apollo Client (web)', 'urql'])(
    'the recipe for %s reads, and watches the sale',
    async (title) => {
      const recipes = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8')
      const recipe = recipes.slice(recipes.indexOf(`## ${title}`))
      write('recipe.mjs', /```ts\n([\s\S]*?)```/.exec(recipe)?.[1] ?? '')
      const env = { ...environment, TOKEN: await token('cleo') }
      const { stdout } = await run(process.execPath, ['recipe.mjs'], { cwd: project, env })
      expect(stdout).toMatch(/^cleo .+\nON_SALE\n$/)
    },
  )

  test('its types are complete for a strict project, for each entry', async () => {
    write('buy.ts', program.replace('process.env.URL ?? ', ''))
    write(
      'rest.ts',
      `import type { Hold } from '@fairgate/sdk'
import { reconcile } from '@fairgate/sdk/admin'
import { keys, possibleTypes } from '@fairgate/sdk/caches'
import { requestTurnAlerts } from '@fairgate/sdk/turnAlerts'
export const row = (hold: Hold): string | undefined => hold.items[0]?.seat?.row
export { keys, possibleTypes, reconcile, requestTurnAlerts }
`,
    )
    const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', '--types', '']
    await bin('typescript/bin/tsc', ...options, 'buy.ts', 'rest.ts')
  })

  test('a bundler makes at most 15 kB of it, gzipped, with its dependencies and without a parser of GraphQL', async () => {
    write('index.html', '<script type="module" src="./page.js"></script>')
    write('page.js', "import * as sdk from '@fairgate/sdk'\nglobalThis.sdk = sdk\n")
    // The polyfill for preloading is the bundler's own.
    write('vite.config.js', 'export default { logLevel: "error", build: { modulePreload: false } }')
    await bin('vite/bin/vite.js', 'build')
    const assets = join(project, 'dist/assets')
    const files = readdirSync(assets).map((name) => readFileSync(join(assets, name)))
    // The page's own, the challenge's solver, and its worker.
    expect(files).toHaveLength(3)
    expect(files.reduce((bytes, file) => bytes + gzipSync(file).length, 0)).toBeLessThanOrEqual(15 * 1_024)
    expect(files.join()).not.toMatch(/Syntax Error|Reconciliation/)
  })
})
