// npm run schema: writes the API of the code to schema/schema.graphql, its changes since the last release to schema/CHANGELOG.md,
// and the files that are generated from it and from clients/operations.
// npm run schema -- --release: the API is then the last release, with which the gate compares.
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { buildSchema } from 'graphql'
import { generatedFiles } from '../clients/codegen/index.ts'
import { SCHEMA_VERSION } from '../src/resolvers/builder/schemaVersion.ts'
import { printedSchema } from '../src/resolvers/schema.ts'
import { changesBetween, withSection } from '../test/gates/schemaChanges.ts'

const { values } = parseArgs({ options: { release: { type: 'boolean' } } })
const at = (path: string) => new URL(`../${path}`, import.meta.url)
const write = (path: string, text: string) => writeFile(at(path), text)
const read = (path: string) => readFile(at(path), 'utf8')

const sdl = printedSchema()
await write('schema/schema.graphql', sdl)
const changes = await changesBetween(buildSchema(await read('schema/released.graphql')), buildSchema(sdl))
if (changes.length > 0) {
  const changelog = await read('schema/CHANGELOG.md')
  await write('schema/CHANGELOG.md', withSection(changelog, SCHEMA_VERSION, changes))
}
for (const [path, text] of await generatedFiles()) await write(path, text)
if (values.release) await write('schema/released.graphql', sdl)
