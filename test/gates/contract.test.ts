import { describe, expect, test } from 'vitest'
import { differences } from './contract.ts'

const CONTRACT = `
  scalar DateTime
  interface Node { id: ID! }
  enum Color { RED GREEN }
  input Size { width: Int = 3 height: Int! list: [ID!] = [] }
  input Choice @oneOf { a: Int b: Int }
  type A implements Node { id: ID! name(upper: Boolean = false, length: Int): String! at: DateTime }
  type B { x: Int }
  union AorB = A | B
  type Query { a(size: Size!): A pick(choice: Choice!): AorB color: Color! }
  type Mutation { go: Boolean! }
`

const changed = (from: string, to: string) => {
  const schema = CONTRACT.replace(from, to)
  expect(schema).not.toBe(CONTRACT)
  return differences(CONTRACT, schema)
}

test('the contract itself keeps it', () => {
  expect(differences(CONTRACT, CONTRACT)).toEqual([])
})

test.each([
  ['more fields', 'x: Int', 'x: Int y: Int'],
  ['more types', 'scalar DateTime', 'scalar DateTime type New { x: Int }'],
  ['more optional arguments', 'length: Int', 'length: Int lower: Boolean'],
  ['arguments that are required but have a default', 'length: Int', 'length: Int lower: Boolean! = false'],
  ['more optional input fields', 'height: Int!', 'height: Int! depth: Int'],
  ['more interfaces', 'type B {', 'interface X { x: Int } type B implements X {'],
  ['descriptions', 'type B {', '"What it is." type B {'],
  ['another order', 'RED GREEN', 'GREEN RED'],
])('may have %s', (_, from, to) => {
  expect(changed(from, to)).toEqual([])
})

describe('sees', () => {
  test.each([
    [
      'a type that is missing',
      'type Mutation { go: Boolean! }',
      '',
      'Mutation: Mutation promised, undefined there',
    ],
    ['a field that is missing', ' at: DateTime', '', 'A.at: missing'],
    ['another type of a field', 'at: DateTime', 'at: String', 'A.at: DateTime promised, String there'],
    [
      'a field that became nullable',
      'color: Color!',
      'color: Color',
      'Query.color: Color! promised, Color there',
    ],
    ['a field that is no longer nullable', 'x: Int', 'x: Int!', 'B.x: Int promised, Int! there'],
    ['an argument that is missing', ', length: Int', '', 'A.name(length): missing'],
    [
      'an argument of another type',
      'length: Int',
      'length: Float',
      'A.name(length): Int promised, Float there',
    ],
    ['a default that is missing', '= false', '', 'A.name(upper): default false promised, undefined there'],
    ['another default', '= 3', '= 4', 'Size(width): default 3 promised, 4 there'],
    [
      'a default that was not promised',
      'length: Int',
      'length: Int = 1',
      'A.name(length): default undefined promised, 1 there',
    ],
    [
      'an argument that became required',
      'size: Size!',
      'size: Size! more: Int!',
      'Query.a(more): required, and not in the contract',
    ],
    ['an input field that is missing', 'height: Int!', '', 'Size(height): missing'],
    [
      'an input field that became optional',
      'height: Int!',
      'height: Int',
      'Size(height): Int! promised, Int there',
    ],
    [
      'a new input field that is required',
      'height: Int!',
      'height: Int! depth: Int!',
      'Size(depth): required, and not in the contract',
    ],
    ['an enum value that is missing', 'RED GREEN', 'RED', 'Color value GREEN: missing'],
    ['an enum value that is new', 'RED GREEN', 'RED GREEN BLUE', 'Color value BLUE: not in the contract'],
    ['a union member that is missing', 'A | B', 'A', 'AorB member B: missing'],
    ['a union member that is new', 'A | B', 'A | B | Mutation', 'AorB member Mutation: not in the contract'],
    ['an interface that is not implemented', 'A implements Node', 'A', 'A: does not implement Node'],
    ['@oneOf that is missing', 'Choice @oneOf', 'Choice', 'Choice: @oneOf is missing'],
    ['@oneOf that was not promised', 'input Size {', 'input Size @oneOf {', 'Size: @oneOf was not promised'],
    [
      'another kind of type',
      'scalar DateTime',
      'type DateTime { x: Int }',
      'DateTime: Scalar promised, Object there',
    ],
  ])('%s', (_, from, to, line) => {
    expect(changed(from, to)).toContain(line)
  })
})
