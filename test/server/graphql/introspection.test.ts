import { execute, getIntrospectionQuery, getOperationAST, type OperationDefinitionNode, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../../src/resolvers/schema.ts'
import {
  createKeptIntrospection,
  introspectionCost,
  isStandardIntrospection,
} from '../../../src/server/graphql/introspection.ts'
import { testServer } from '../../support/server.ts'

const REFUSED = 'This server does not serve introspection. Its schema is schema/schema.graphql.'

test('a server serves introspection only where INTROSPECTION allows it', async () => {
  const { url, ask } = await testServer({ INTROSPECTION: 'false' })
  for (const query of [
    getIntrospectionQuery(),
    '{ __type(name: "Event") { name } }',
    '{ ...f } fragment f on Query { a: __schema { queryType { name } } b: __schema { queryType { name } } }',
  ]) {
    const { status, data, errors } = await ask(query)
    expect([status, data]).toEqual([400, undefined])
    expect(errors).toHaveLength(1)
    expect(errors?.[0]).toMatchObject({ message: REFUSED, extensions: { code: 'BAD_USER_INPUT' } })
    const get = await fetch(`${url}/graphql?query=${encodeURIComponent(query)}`)
    expect(((await get.json()) as { errors: { message: string }[] }).errors[0]?.message).toBe(REFUSED)
  }
  expect((await ask('{ __typename viewer { __typename } }')).errors).toBeUndefined()
})

describe('the standard introspection query', () => {
  const operationOf = (query: string) => {
    const document = parse(query)
    return { document, operation: getOperationAST(document) as OperationDefinitionNode }
  }

  test('is recognized in every form', () => {
    const flags = [
      'descriptions',
      'specifiedByUrl',
      'directiveIsRepeatable',
      'schemaDescription',
      'oneOf',
    ] as const
    for (let bits = 0; bits < 2 ** flags.length; bits++) {
      const options = Object.fromEntries(flags.map((flag, i) => [flag, (bits & (1 << i)) !== 0]))
      const { document, operation } = operationOf(getIntrospectionQuery(options))
      expect(isStandardIntrospection(operation, document)).toBe(true)
    }
    const { document, operation } = operationOf('{ __schema { types { name } } }')
    expect(isStandardIntrospection(operation, document)).toBe(true)
  })

  test.each([
    '{ viewer { accountId } }',
    '{ __typename }',
    '{ a: __schema { types { name } } }',
    '{ __type(name: "Event") { name } }',
    '{ __schema { types { name } } viewer { accountId } }',
    '{ __schema { types { fields { type { fields { name } } } } } }',
    'query ($x: Boolean!) { __schema { types { fields(includeDeprecated: $x) { name } } } }',
    '{ __schema @skip(if: false) { types { name } } }',
  ])('is not %s', (query) => {
    const { document, operation } = operationOf(query)
    expect(isStandardIntrospection(operation, document)).toBe(false)
  })

  test('runs once', async () => {
    const kept = createKeptIntrospection()
    const document = parse(getIntrospectionQuery())
    let runs = 0
    const run = () => {
      runs++
      return execute({ schema, document })
    }
    const first = await kept({ schema, document }, run)
    expect(first.errors).toBeUndefined()
    expect(await kept({ schema, document }, run)).toBe(first)
    expect(runs).toBe(1)
  })

  test('costs about as many fields as its answer has, for another query', async () => {
    const { document, operation } = operationOf(getIntrospectionQuery())
    const answer = JSON.stringify(await execute({ schema, document }))
    const fields = answer.match(/":/g)?.length ?? 0
    expect(introspectionCost(schema, operation, document)).toBeGreaterThan(fields)
  })
})
