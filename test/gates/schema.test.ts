import { readFile } from 'node:fs/promises'
import { buildSchema, isIntrospectionType, isSpecifiedScalarType } from 'graphql'
import { expect, test } from 'vitest'
import { SCHEMA_VERSION } from '../../src/resolvers/builder/schemaVersion.ts'
import { printedSchema, schema } from '../../src/resolvers/schema.ts'
import { changesBetween, versionFault, versionOf, withSection } from './schemaChanges.ts'

const read = (name: string) => readFile(new URL(`../../schema/${name}`, import.meta.url), 'utf8')
const between = (from: string, to: string) => changesBetween(buildSchema(from), buildSchema(to))

test('schema/schema.graphql is what the code says (npm run schema)', async () => {
  expect(printedSchema()).toBe(await read('schema.graphql'))
})

test('every type has a description', () => {
  const without = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type) && !type.description,
  )
  expect(without.map(String)).toEqual([])
})

test('the version fits the changes since the last release, and the changelog has them (npm run schema)', async () => {
  const released = await read('released.graphql')
  const changes = await between(released, printedSchema())
  expect(versionFault(versionOf(released), SCHEMA_VERSION, changes)).toBeNull()
  const changelog = await read('CHANGELOG.md')
  if (changes.length > 0) expect(withSection(changelog, SCHEMA_VERSION, changes)).toBe(changelog)
})

const V1 = 'type Query { sale(id: ID!): Sale } type Sale { id: ID! available: Int! }'

test.each([
  ['a field is removed', 'type Query { sale(id: ID!): Sale } type Sale { id: ID! }', /2\.0\.0: .*available/],
  [
    'a new argument is required',
    'type Query { sale(id: ID!, at: Int!): Sale } type Sale { id: ID! available: Int! }',
    /2\.0\.0: .*at/,
  ],
])('the gate refuses a minor version in which %s', async (_, sdl, reason) => {
  const changes = await between(V1, sdl)
  expect(versionFault('1.3.0', '1.4.0', changes)).toMatch(reason)
  expect(versionFault('1.3.0', '2.0.0', changes)).toBeNull()
})

test('an addition needs a new minor version, and the changelog names it once', async () => {
  const sdl = `${V1} extend type Query { "All of them." venue(id: ID!): Venue } type Venue { name: String! }`
  const changes = await between(V1, sdl)
  expect(changes.map(({ path }) => path)).toEqual(['Query.venue', 'Venue'])
  expect(versionFault('1.3.0', '1.3.0', changes)).toMatch(/must be 1\.4\.0/)
  expect(versionFault('1.3.0', '1.2.0', [])).toMatch(/older than 1\.3\.0/)
  expect(versionFault('1.3.0', '1.4.0', changes)).toBeNull()
  const before = '# Changes\n\n## 1.4.0\n\nold\n\n## 1.3.0\n\nfirst\n'
  expect(withSection(before, '1.4.0', changes)).toBe(
    '# Changes\n\n## 1.4.0\n\n### Added\n\n- Field `venue` was added to object type `Query`\n- Type `Venue` was added\n\n## 1.3.0\n\nfirst\n',
  )
})

test('a change of a description alone needs no new version', async () => {
  const described = V1.replace('type Sale', '"The sale of an event." type Sale')
  expect(await between(V1, described)).toEqual([])
})
