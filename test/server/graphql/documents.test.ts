import type { DocumentNode, FieldNode, GraphQLError, OperationDefinitionNode } from 'graphql'
import { expect, test } from 'vitest'
import { createDocuments } from '../../../src/server/graphql/documents.ts'
import { createNewDocuments } from '../../../src/server/graphql/newDocuments.ts'

test('a document with hundreds of unknown fields is read up to its first faults only', () => {
  const documents = createDocuments()
  const unknown = Array.from({ length: 900 }, (_, i) => `unknown${i}`)
  const document = documents.parse(`{ ${unknown.join(' ')} }`) as DocumentNode
  const [operation] = document.definitions as [OperationDefinitionNode]
  const last = operation.selectionSet.selections.at(-1) as FieldNode
  let reads = 0
  const { name } = last
  Object.defineProperty(last, 'name', {
    get() {
      reads++
      return name
    },
  })
  const faults = documents.validate(document)
  expect(faults.map(({ message }) => message)).toEqual([
    ...unknown.slice(0, 5).map((field) => `Cannot query field "${field}" on type "Query".`),
    'Too many validation errors, error limit reached. Validation aborted.',
  ])
  expect(reads).toBe(0)
})

test('a document with a few faults of several kinds names them all', () => {
  const documents = createDocuments()
  const document = documents.parse('{ unknown viewer(a: 1) { accountId } } fragment F on Nothing { a }')
  const messages = documents.validate(document as DocumentNode).map(({ message }) => message)
  for (const word of ['unknown', 'argument "a"', 'type "Nothing"', 'Fragment "F" is never used'])
    expect(messages.some((message) => message.includes(word))).toBe(true)
})

test.each(['\n', '\r', '\r\n'])(
  'a document of more lines than tokens is refused before it is read: %j',
  (end) => {
    const documents = createDocuments()
    const lines = (count: number) => documents.parse(`${end.repeat(count - 1)}{ viewer { accountId } }`)
    expect(lines(2_000)).not.toBeInstanceOf(Error)
    const refused = lines(2_001) as GraphQLError
    expect(refused.message).toMatch(/more than 2000 lines/)
    expect(refused.locations).toBeUndefined()
  },
)

test('new documents of an address, and of all together, have a bounded time; known ones are read at once', () => {
  let [now, cpu] = [0, 0]
  const documents = createDocuments()
  // Each document takes 300 ms.
  const read = createNewDocuments(
    documents,
    () => now,
    () => {
      cpu += 300
      return cpu
    },
  )
  let made = 0
  const next = (address: string | null) => () =>
    read(`query q${made++} { viewer { accountId } }`, () => address)
  for (let i = 0; i < 4; i++) expect(next('192.0.2.1')).not.toThrow()
  expect(next('192.0.2.1')).toThrow('Too many new documents')
  expect(() => read('query q0 { viewer { accountId } }', () => '192.0.2.1')).not.toThrow()
  expect(next(null)).not.toThrow()
  // The first address has spent all that is there for all.
  expect(next('192.0.2.2')).toThrow(/busy|retry|again/i)
  now = 1_000
  expect(next('192.0.2.2')).not.toThrow()
  now = 10_000
  expect(next('192.0.2.1')).not.toThrow()
})
