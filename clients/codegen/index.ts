import { readdirSync, readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import { cachesModule } from './caches.ts'
import { readDocuments } from './documents.ts'
import { manifestOf } from './manifest.ts'
import { sdkModule } from './sdkModule.ts'

const ROOT = new URL('../../', import.meta.url)
const OPERATIONS = new URL('clients/operations/', ROOT)

/** Returns each generated file by its path from the repository's root, made from clients/operations and schema/schema.graphql. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const schema = buildSchema(readFileSync(new URL('schema/schema.graphql', ROOT), 'utf8'))
  const files = readdirSync(OPERATIONS)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, OPERATIONS), 'utf8') }))
  const documents = readDocuments(files, schema)
  return new Map([
    ['clients/sdk/generated/operations.ts', await sdkModule(schema, documents)],
    ['clients/sdk/generated/caches.ts', cachesModule(schema)],
    ['clients/operations/trusted-documents.json', manifestOf(documents)],
  ])
}
