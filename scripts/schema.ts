// npm run schema: writes the API of the code to schema/schema.graphql.
import { writeFile } from 'node:fs/promises'
import { printedSchema } from '../src/resolvers/schema.ts'

await writeFile(new URL('../schema/schema.graphql', import.meta.url), printedSchema())
