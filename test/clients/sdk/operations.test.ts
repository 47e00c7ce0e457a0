import { readFileSync } from 'node:fs'
import { buildSchema, parse, validate } from 'graphql'
import { expect, test } from 'vitest'
import * as admin from '../../../clients/sdk/adminOperations.ts'
import type { Operation } from '../../../clients/sdk/operation.ts'
import * as fans from '../../../clients/sdk/operations.ts'

const schema = buildSchema(readFileSync(new URL('../../../schema/schema.graphql', import.meta.url), 'utf8'))
const operations = Object.entries<Operation<unknown, never>>({ ...fans, ...admin })

test.each(operations)('%s is valid against the schema', (_, { text }) => {
  expect(validate(schema, parse(text)).map(({ message }) => message)).toEqual([])
})

test('only a mutation without a key, which has an effect each time, is never repeated', () => {
  expect(operations.filter(([, { repeatable }]) => !repeatable).map(([name]) => name)).toEqual([
    'createEvent',
  ])
})
