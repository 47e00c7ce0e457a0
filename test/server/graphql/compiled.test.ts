import {
  type DocumentNode,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLError,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
  parse,
} from 'graphql'
import { expect, test } from 'vitest'
import { Fault } from '../../../src/sale/faults.ts'
import { executeCompiled } from '../../../src/server/graphql/compiled.ts'

/** More uses than a query needs to be compiled. */
const OFTEN = 150

const Even = new GraphQLScalarType<number, number>({
  name: 'Even',
  serialize: (value) => even(value),
  parseValue: (value) => even(value),
})
function even(value: unknown): number {
  if (typeof value === 'number' && value % 2 === 0) return value
  throw new GraphQLError(`${value} is not even`)
}

const Colour = new GraphQLEnumType({ name: 'Colour', values: { RED: { value: 1 }, BLUE: { value: 2 } } })
const Choice = new GraphQLInputObjectType({
  name: 'Choice',
  isOneOf: true,
  fields: { a: { type: GraphQLInt }, b: { type: GraphQLString } },
})
const Pair = new GraphQLInputObjectType({
  name: 'Pair',
  fields: { a: { type: GraphQLInt, defaultValue: 7 }, b: { type: GraphQLInt } },
})
const Named = new GraphQLInterfaceType({
  name: 'Named',
  fields: { name: { type: GraphQLString } },
  resolveType: ({ kind }) => kind,
})
const Seat: GraphQLObjectType = new GraphQLObjectType({
  name: 'Seat',
  interfaces: [Named],
  fields: () => ({
    name: { type: GraphQLString },
    no: { type: new GraphQLNonNull(Even) },
    later: { type: new GraphQLNonNull(Even), resolve: async ({ no }) => no },
    colour: { type: Colour },
    next: { type: Seat },
    must: { type: new GraphQLNonNull(GraphQLString), resolve: ({ must }) => must ?? null },
  }),
})
const Row = new GraphQLObjectType({
  name: 'Row',
  interfaces: [Named],
  fields: { name: { type: GraphQLString }, seats: { type: new GraphQLList(new GraphQLNonNull(Seat)) } },
})
const Place = new GraphQLUnionType({ name: 'Place', types: [Seat, Row], resolveType: ({ kind }) => kind })

const seat = { kind: 'Seat', name: 'one', no: 2, colour: 1, next: { kind: 'Seat', name: 'two', no: 4 } }
const odd = { ...seat, no: 3 }
const row = { kind: 'Row', name: 'A', seats: [seat, seat.next] }
let calls = 0

/** True where the caller was compiled at run time: its code has no file. */
function isCompiled(): boolean {
  return new Error().stack?.includes('eval at compileQuery') ?? false
}

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      seat: {
        type: Seat,
        resolve() {
          calls++
          return seat
        },
      },
      isCompiled: { type: GraphQLBoolean, resolve: isCompiled },
      odd: { type: Seat, resolve: async () => odd },
      rows: { type: new GraphQLList(Row), resolve: async () => [row, { ...row, seats: [seat, odd] }, null] },
      places: { type: new GraphQLList(Place), resolve: () => [seat, Promise.resolve(row)] },
      named: { type: new GraphQLNonNull(new GraphQLList(Named)), resolve: () => [row, seat] },
      twice: {
        type: Even,
        args: { of: { type: Even, defaultValue: 2 }, colour: { type: Colour }, choice: { type: Choice } },
        resolve: (_root, { of, colour, choice }) => 2 * of + (colour ?? 0) * 100 + (choice?.a ?? 0) * 1_000,
      },
      typed: {
        type: GraphQLString,
        args: { of: { type: Even } },
        resolve: (_root, { of }) => typeof of,
      },
      pair: {
        type: GraphQLString,
        args: { of: { type: Pair } },
        resolve: (_root, { of }) => JSON.stringify(of),
      },
      echo: {
        type: GraphQLString,
        args: {
          id: { type: GraphQLID },
          n: { type: GraphQLInt },
          f: { type: GraphQLFloat },
          b: { type: GraphQLBoolean },
          s: { type: GraphQLString },
          l: { type: new GraphQLList(new GraphQLNonNull(GraphQLInt)) },
        },
        resolve: (_root, args) => JSON.stringify(args),
      },
      fails: {
        type: GraphQLString,
        resolve() {
          throw new Fault('OVERLOADED', 'Busy.', { retryAfterSeconds: 3 })
        },
      },
      failsLater: {
        type: new GraphQLNonNull(GraphQLString),
        resolve: () => Promise.reject(new Error('later')),
      },
      isError: { type: GraphQLString, resolve: () => new Error('returned') },
      context: { type: GraphQLString, resolve: (_root, _args, { account }) => account },
    },
  }),
  mutation: new GraphQLObjectType({
    name: 'Mutation',
    fields: { isCompiled: { type: GraphQLBoolean, resolve: isCompiled } },
  }),
})

const run = async (
  how: (args: ExecutionArgs) => ReturnType<typeof execute>,
  args: Omit<ExecutionArgs, 'schema'>,
) => {
  const result = (await how({ schema, contextValue: { account: 'ana' }, ...args })) as ExecutionResult
  return JSON.parse(JSON.stringify(result))
}

const SEAT = '{ name no later colour next { name no } }'

test.each<[string, string, Record<string, unknown>?]>([
  ['an object, and one in it', `{ seat ${SEAT} }`],
  ['aliases and __typename', '{ a: seat { n: name __typename } b: seat { no } __typename }'],
  // graphql-js drops the second of two faults in one object; either result is right.
  ['lists of objects', '{ rows { name seats { name no } } }'],
  ['a union', `{ places { __typename ... on Seat { no } ... on Row { name } } }`],
  ['an interface', '{ named { name ... on Row { seats { no } } } }'],
  [
    'fragments in fragments',
    'query { seat { ...A } } fragment A on Seat { ...B no } fragment B on Seat { name }',
  ],
  [
    'what is skipped and included by a variable',
    'query ($yes: Boolean!) { seat { name @include(if: $yes) no @skip(if: $yes) } }',
    { yes: true },
  ],
  [
    'a fragment that is included here and skipped there',
    'query ($s: Boolean!) { ...F @include(if: $s) ...F @skip(if: $s) } fragment F on Query { seat { name } }',
    { s: false },
  ],
  ["a variable's own default of a scalar of ours", 'query ($n: Even = 6) { twice(of: $n) typed(of: $n) }'],
  [
    'a variable left out of an input object',
    'query ($a: Int) { twice(choice: { a: $a }) pair(of: { a: $a }) }',
  ],
  ['a variable left out of a list', 'query ($a: Int) { echo(l: [1, $a]) }'],
  ['a value that does not fit its type', '{ odd { name no } seat { name } }'],
  ['one that comes late', '{\n  odd {\n    name\n    later\n  }\n}'],
  ['a null where none may be', '{ seat { name must } rows { name } }'],
  ['a fault', '{ fails seat { name } }'],
  ['a failure that takes all of the answer', '{ seat { name } failsLater }'],
  ['an error that is returned', '{ isError }'],
  ['an error after lines that end like on Windows', '{\r\n  seat { name }\r\n  fails\r\n}'],
  [
    'arguments and their defaults',
    'query ($n: Even = 6) { twice a: twice(of: 4, colour: BLUE) b: twice(of: $n) }',
  ],
  [
    'variables of every kind',
    'query ($n: Even, $c: Colour) { twice(of: $n, colour: $c) }',
    { n: 8, c: 'RED' },
  ],
  ['one choice', 'query ($c: Choice) { twice(choice: $c) }', { c: { a: 4 } }],
  [
    'two choices, where one is to be made',
    'query ($c: Choice) { twice(choice: $c) }',
    { c: { a: 4, b: 'x' } },
  ],
  ['a variable that is missing', 'query ($n: Even!) { twice(of: $n) }'],
  ['a variable that does not fit', 'query ($n: Even!) { twice(of: $n) }', { n: 3 }],
  ['a variable that is left out', 'query ($n: Even) { twice(of: $n) }'],
  ['the context', '{ context }'],
])('%s gives the same result once and often', async (_name, text, variableValues) => {
  const document = parse(text)
  const right = await run(execute, { document, variableValues })
  for (let i = 0; i < OFTEN; i++)
    expect(await run(executeCompiled, { document, variableValues })).toEqual(right)
})

const ECHO = parse(
  'query ($id: ID, $n: Int, $f: Float, $b: Boolean, $s: String, $l: [Int!]) { echo(id: $id, n: $n, f: $f, b: $b, s: $s, l: $l) }',
)

test.each<[string, unknown[]]>([
  ['id', ['a', '', 5, 5.5, 2 ** 53, true, null, ['a'], {}]],
  ['n', [5, -5, 0, 2 ** 31, -(2 ** 31), 5.5, '5', true, null, [5], {}, 5.0]],
  ['f', [5, 5.5, -0, '5.5', true, null, 1e300, [1]]],
  ['b', [true, false, 0, 1, 'true', null, []]],
  ['s', ['a', '', 'Ł\u0000', 5, true, null, ['a'], { toString: 'a' }]],
  ['l', [[1, 2], [], 7, [1, null], ['1'], [[1]], null, 'x', { 0: 1, length: 1 }]],
  ['unknown', [1]],
])('the variable %s is accepted or refused as by graphql-js', async (name, values) => {
  for (let i = 0; i < OFTEN; i++) await run(executeCompiled, { document: ECHO })
  for (const value of values) {
    const args = { document: ECHO, variableValues: { [name]: value } }
    expect(await run(executeCompiled, args), JSON.stringify(value)).toEqual(await run(execute, args))
  }
})

test('a frequent query is compiled, and a mutation never', async () => {
  const [query, mutation] = [parse('{ isCompiled }'), parse('mutation { isCompiled }')]
  expect(await run(executeCompiled, { document: query })).toEqual({ data: { isCompiled: false } })
  for (let i = 0; i < OFTEN; i++)
    for (const document of [query, mutation]) await run(executeCompiled, { document })
  expect(await run(executeCompiled, { document: query })).toEqual({ data: { isCompiled: true } })
  expect(await run(executeCompiled, { document: mutation })).toEqual({ data: { isCompiled: false } })
})

test('a flood of made-up queries does not keep a real query from being compiled', async () => {
  const documents = Array.from({ length: 300 }, (_, i) => parse(`{ a${i}: isCompiled }`))
  for (const document of documents) for (let i = 0; i < OFTEN; i++) await run(executeCompiled, { document })
  const first = documents[0] as DocumentNode
  expect(await run(executeCompiled, { document: first })).toEqual({ data: { a0: false } })
  expect(await run(executeCompiled, { document: documents[299] as DocumentNode })).toEqual({
    data: { a299: true },
  })
  for (let i = 0; i < OFTEN; i++) await run(executeCompiled, { document: first })
  expect(await run(executeCompiled, { document: first })).toEqual({ data: { a0: true } })
})

test('each request runs once, also where it fails', async () => {
  const document = parse('{ seat { name must } failsLater }')
  calls = 0
  for (let i = 0; i < OFTEN; i++) await run(executeCompiled, { document })
  expect(calls).toBe(OFTEN)
})
