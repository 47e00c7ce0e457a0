import { readdirSync, readFileSync } from 'node:fs'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { cachesModule } from './caches.ts'
import { type OperationDocuments, readDocuments } from './documents.ts'
import { manifestOf } from './manifest.ts'
import { sdkModule } from './sdkModule.ts'

const ROOT = new URL('../../', import.meta.url)
const OPERATIONS = new URL('clients/operations/', ROOT)

/** Reads schema/schema.graphql and clients/operations. Throws where an operation does not fit the schema. */
export function readSources(): { schema: GraphQLSchema; documents: OperationDocuments } {
  const schema = buildSchema(readFileSync(new URL('schema/schema.graphql', ROOT), 'utf8'))
  const files = readdirSync(OPERATIONS)
    .filter((name) => name.endsWith('.graphql'))
    .sort()
    .map((name) => ({ name, text: readFileSync(new URL(name, OPERATIONS), 'utf8') }))
  return { schema, documents: readDocuments(files, schema) }
}

/** Returns each generated file by its path from the repository's root. */
export async function generatedFiles(): Promise<ReadonlyMap<string, string>> {
  const { schema, documents } = readSources()
  return new Map([
    ['clients/sdk/generated/operations.ts', await sdkModule(schema, documents)],
    ['clients/sdk/generated/caches.ts', cachesModule(schema)],
    ['clients/operations/trusted-documents.json', manifestOf(documents)],
  ])
}
