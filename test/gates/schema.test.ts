import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { printedSchema } from '../../src/resolvers/schema.ts'

test('schema/schema.graphql is what the code says (npm run schema)', async () => {
  const committed = await readFile(new URL('../../schema/schema.graphql', import.meta.url), 'utf8')
  expect(printedSchema()).toBe(committed)
})
