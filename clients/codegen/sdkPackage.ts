import { execFile } from 'node:child_process'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

import { readSources } from './index.ts'
import { relayModule } from './relayModule.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/**
 * Makes the package @fairgate/sdk in a folder, whose present content is deleted: modules and their types, the operations with their
 * manifest, and the schema.
 *
 * Throws with the compiler's output.
 */
export async function buildSdk(folder: string): Promise<void> {
  const dist = join(folder, 'dist')
  await rm(folder, { recursive: true, force: true })
  await mkdir(dist, { recursive: true })
  const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
  await promisify(execFile)(process.execPath, [compiler, '-p', 'clients/sdk', '--outDir', dist], {
    cwd: ROOT,
  }).catch(({ stdout, stderr }) => {
    throw new Error(`The SDK does not compile:\n${stdout}${stderr}`)
  })
  // The compiler renames the imports of modules, but neither those of types nor the address of a worker.
  for (const name of await readdir(dist, { recursive: true })) {
    const path = join(dist, name)
    if (name.endsWith('.d.ts')) await edit(path, /((?:from |import\()['"]\.[^'"]*)\.ts(['"])/g, '$1.js$2')
    if (name === 'challenge/proofOfWork.js') await edit(path, './challengeWorker.ts', './challengeWorker.js')
  }
  const copies: readonly [from: string, to: string][] = [
    ['clients/operations', 'dist/operations'],
    ['schema/schema.graphql', 'dist/schema.graphql'],
    ['clients/sdk/package.json', 'package.json'],
    ['clients/sdk/README.md', 'README.md'],
    ['LICENSE', 'LICENSE'],
  ]
  const { schema, documents } = readSources()
  await writeFile(join(dist, 'relay.ts'), relayModule(schema, documents.document))
  for (const [from, to] of copies) await cp(join(ROOT, from), join(folder, to), { recursive: true })
}

async function edit(path: string, from: string | RegExp, to: string) {
  await writeFile(path, (await readFile(path, 'utf8')).replaceAll(from, to))
}
