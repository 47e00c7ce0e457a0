import { readFileSync } from 'node:fs'
import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import * as staff from '../../../clients/sdk/adminOperations.ts'
import type { Operation } from '../../../clients/sdk/operation.ts'
import * as fans from '../../../clients/sdk/operations.ts'

const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'))
const operations = Object.entries<Operation<unknown, never>>({ ...fans, ...staff })

test.each(operations)('%s is what the schema serves', (_, { text }) => {
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([])
})

test('only a mutation without a key, which does something anew each time, is never repeated', () => {
  expect(operations.filter(([, { repeatable }]) => !repeatable).map(([name]) => name)).toEqual([
    'createEvent',
  ])
})
