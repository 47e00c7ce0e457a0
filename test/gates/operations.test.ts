import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { buildSchema } from 'graphql'
import { expect, test } from 'vitest'
import { readDocuments } from '../../clients/codegen/documents.ts'
import { generatedFiles } from '../../clients/codegen/index.ts'
import * as documents from '../../clients/sdk/generated/operations.ts'
import type { Operation } from '../../clients/sdk/transport/operation.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const operations = Object.values<Operation<unknown, never>>(documents)

test('the generated files are what the operations say (npm run schema)', async () => {
  for (const [path, text] of await generatedFiles()) expect(read(path), path).toBe(text)
})

test('the manifest of trusted documents has each text that the SDK sends, by its SHA-256', () => {
  const manifest = JSON.parse(read('clients/operations/trusted-documents.json'))
  const listed = new Map<string, string>(manifest.operations.map(({ id, body }: never) => [id, body]))
  expect(listed.size).toBe(operations.length)
  for (const { text } of operations)
    expect(listed.get(createHash('sha256').update(text).digest('hex'))).toBe(text)
})

test('only a mutation without a key, which has an effect each time, is never repeated', () => {
  expect(operations.filter(({ repeatable }) => !repeatable).map(({ name }) => name)).toEqual(['CreateEvent'])
})

test('an operation that the schema does not know fails, with the reason', () => {
  const schema = buildSchema(read('schema/schema.graphql'))
  const file = { name: 'a.graphql', text: 'query { eventBySlug(slug: "a") { title } }' }
  expect(() => readDocuments([file], schema)).toThrow(
    /Cannot query field "title" on type "Event".*an operation must have a name.*SAME_STATE: no operation JoinQueue/s,
  )
})
