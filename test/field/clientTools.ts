// node test/field/clientTools.ts: runs the tools of other clients on the operations and the schema of @fairgate/sdk, and what they make
// against a server that runs trusted documents only. The tools: Relay's compiler, Apollo's generator of manifests, and GraphQL Code
// Generator with its preset for clients. Needs npm's registry, and `npm start` with TRUSTED_DOCUMENTS=only and TRUSTED_DOCUMENTS_FILES
// set to the two manifests that `node test/field/clientTools.ts manifests` writes to .fairgate/manifests first. URL: its address.
import { strict as assert } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSdk } from '../../clients/codegen/sdkPackage.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const project = join(ROOT, '.fairgate/clientTools')
const manifests = join(ROOT, '.fairgate/manifests')
const read = (path: string) => readFileSync(join(project, path), 'utf8')
const write = (path: string, text: string) => writeFileSync(join(project, path), text)
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { cwd: project, stdio: ['ignore', 'inherit', 'inherit'], env: process.env })

const TOOLS = [
  'relay-compiler@21.0.1',
  'relay-runtime@21.0.1',
  '@apollo/client@4.3.8',
  '@apollo/generate-persisted-query-manifest@1.4.0',
  '@graphql-codegen/cli@7.4.3',
  '@graphql-codegen/client-preset@6.2.0',
  'graphql@16.15.0',
  'rxjs@7.8.2',
]

async function generate() {
  mkdirSync(join(project, 'src/__generated__'), { recursive: true })
  write('package.json', '{ "private": true, "type": "module" }')
  await buildSdk(join(project, 'sdk'))
  run('npm', 'install', '--no-audit', '--no-fund', '--loglevel=error', './sdk', ...TOOLS)
  const sdk = 'node_modules/@fairgate/sdk/dist'
  const operations = readdirSync(join(project, sdk, 'operations')).filter(
    (name) => name.endsWith('.graphql') && name !== 'fragments.graphql',
  ).length

  const persistConfig = { file: './relay.json', algorithm: 'SHA256' }
  const schema = `./${sdk}/schema.graphql`
  const relay = {
    src: './src',
    schema,
    language: 'javascript',
    artifactDirectory: './src/__generated__',
    persistConfig,
  }
  write('relay.config.json', JSON.stringify(relay))
  write('relay.json', '{}')
  cpSync(join(project, sdk, 'relay.ts'), join(project, 'src/fairgate.js'))
  run('npx', 'relay-compiler')

  write(
    'persisted-query-manifest.config.json',
    JSON.stringify({ documents: [`${sdk}/operations/*.graphql`], output: 'apollo.json' }),
  )
  run('npx', 'generate-persisted-query-manifest')

  write(
    'codegen.json',
    JSON.stringify({
      schema,
      documents: `${sdk}/operations/*.graphql`,
      generates: { 'src/gql/': { preset: 'client' } },
    }),
  )
  run('npx', 'graphql-codegen', '--config', 'codegen.json')
  assert.match(read('src/gql/graphql.ts'), /export const EventPageDocument/)

  mkdirSync(manifests, { recursive: true })
  for (const name of ['relay.json', 'apollo.json']) cpSync(join(project, name), join(manifests, name))
  assert.equal(Object.keys(JSON.parse(read('relay.json'))).length, operations)
  assert.equal(JSON.parse(read('apollo.json')).operations.length, operations)
  process.stdout.write(`${operations} operations: Relay, Apollo and GraphQL Code Generator take them\n`)
}

function runRelayRecipe() {
  const recipes = readFileSync(join(ROOT, 'docs/recipes.md'), 'utf8')
  write('src/relay.js', /```js\n([\s\S]*?)```/.exec(recipes)?.[1] ?? '')
  const output = execFileSync(process.execPath, ['src/relay.js'], { cwd: project, encoding: 'utf8' })
  assert.equal(output, 'true\n')
  process.stdout.write("Relay's recipe reads the event by the id of its compiled operation\n")
}

if (!existsSync(manifests) || process.argv[2] === 'manifests') await generate()
else runRelayRecipe()
