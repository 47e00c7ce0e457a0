// npm run schema: writes the API of the code to schema/schema.graphql, and the files that are generated from it and from
// clients/operations.
import { writeFile } from 'node:fs/promises'
import { generatedFiles } from '../clients/codegen/index.ts'
import { printedSchema } from '../src/resolvers/schema.ts'

const write = (path: string, text: string) => writeFile(new URL(`../${path}`, import.meta.url), text)

await write('schema/schema.graphql', printedSchema())
for (const [path, text] of await generatedFiles()) await write(path, text)
