import { expect, test } from 'vitest'
import { parseLongBody } from '../../../src/sale/events/longBody.ts'

const parse = (body: unknown) =>
  parseLongBody(new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body)))
const plan = { name: 'Hall', zones: [{ rows: [] }] }

test.each([
  [
    'in the input',
    { input: { slug: 'a', seatingPlan: plan } },
    { input: { slug: 'a', seatingPlan: JSON.stringify(plan) } },
  ],
  ['as a variable', { plan }, { plan: JSON.stringify(plan) }],
  [
    "in an answer of pretix's API",
    { input: { seatingPlan: { id: 1, layout: plan } } },
    { input: { seatingPlan: { id: 1, layout: JSON.stringify(plan) } } },
  ],
  ['nowhere', { input: { slug: 'a', levels: [1, null] } }, { input: { slug: 'a', levels: [1, null] } }],
])('a plan %s becomes the text of its file, and all else stays as it is', (_, variables, expected) => {
  const request = { query: 'mutation { x }', operationName: 'X' }
  expect(parse({ ...request, variables })).toEqual({ value: { ...request, variables: expected } })
  expect(parse(`\ufeff${JSON.stringify({ ...request, variables })}`)).toEqual({
    value: { ...request, variables: expected },
  })
})

test('a plan may be long, and the rest of the body may not', () => {
  const long = { ...plan, name: 'x'.repeat(2_000_000) }
  expect(parse({ query: '', variables: { input: { seatingPlan: long } } })).toHaveProperty('value')
  expect(parse({ query: '', variables: { input: { seatingPlan: JSON.stringify(long) } } })).toHaveProperty(
    'value',
  )
  const names = Array.from({ length: 150_000 }, () => 'performer')
  expect(parse({ query: '', variables: { input: { performers: names } } })).toHaveProperty('fault')
  expect(parse({ query: 'x'.repeat(300_000), variables: {} })).toHaveProperty('fault')
})

test.each([
  ['no JSON', '{', 'is not JSON'],
  ['a list', '[]', 'is no request'],
  ['lists in lists', '['.repeat(100), 'is nested more than 64 levels deep'],
])('a body that is %s is refused with the reason', (_, body, fault) => {
  expect(parse(body)).toEqual({ fault })
})
