import { expect, test } from 'vitest'
import { createJsonShape } from '../src/jsonShape.ts'

const inPieces = (json: string, size: number) => {
  const shape = createJsonShape()
  const bytes = Buffer.from(json)
  for (let at = 0; at < bytes.length; at += size) {
    const fault = shape.read(bytes.subarray(at, at + size))
    if (fault !== null) return fault
  }
  return null
}

const SHAPES: [string, string, string | null][] = [
  ['a plan', '{"zones":[{"rows":[{"seats":[{"seat_guid":"a\\"]{[","position":{"x":1.5,"y":-2}}]}]}]}', null],
  ['brackets in a text', JSON.stringify('[{'.repeat(1_000)), null],
  ['a text that ends with a backslash', `["\\\\",${'[1],'.repeat(100)}1]`, null],
  ['lists in lists', '['.repeat(65), 'is nested more than 64 levels deep'],
  ['objects in objects', '{"a":'.repeat(65), 'is nested more than 64 levels deep'],
  ['64 levels', '['.repeat(64) + ']'.repeat(64), null],
  [
    'an object with many members',
    `{${'"a":1,'.repeat(10_000)}"a":1}`,
    'has an object of more than 10000 members',
  ],
  ['many objects', `[${'{"a":1,"b":2},'.repeat(20_000)}1]`, null],
  ['a long list', `[${'1,'.repeat(200_000)}1]`, 'has a list of more than 200000 entries'],
  ['many values', `[${`[${'1,'.repeat(150_000)}1],`.repeat(20)}1]`, 'has more than 2500000 values'],
  ['a long number', `[1,-${'9'.repeat(1_001)}]`, 'has a number of more than 1000 digits'],
  ['many numbers', `[${'1234567890,'.repeat(1_000)}1]`, null],
]

test.each(SHAPES)(
  'the shape of %s is judged before it is parsed, in pieces of any length',
  (_name, json, fault) => {
    expect(createJsonShape().read(json)).toBe(fault)
    for (const size of [7, 65_536]) expect(inPieces(json, size)).toBe(fault)
  },
)
