import { type GraphQLScalarType, parseValue as parseLiteral } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../../src/resolvers/schema.ts'

const scalar = (name: string) => schema.getType(name) as GraphQLScalarType

describe('DateTime', () => {
  test('is written correctly after any other instant', () => {
    const { serialize } = scalar('DateTime')
    const instants = [0, 1_796_000_523_004, 1_796_000_523_004, 0, 1].map((ms) => new Date(ms))
    const [first, second] = ['1970-01-01T00:00:00.000Z', '2026-11-30T01:02:03.004Z']
    expect(instants.map((instant) => serialize(instant))).toEqual([
      first,
      second,
      second,
      first,
      '1970-01-01T00:00:00.001Z',
    ])
    expect(() => serialize(new Date(Number.NaN))).toThrow()
  })

  test.each([
    ['2026-11-29T10:00:00Z', '2026-11-29T10:00:00.000Z'],
    ['2026-11-29T10:00:00.5Z', '2026-11-29T10:00:00.500Z'],
    ['2026-11-29T10:00:00.123456789+01:00', '2026-11-29T09:00:00.123Z'],
    ['2026-11-29t10:00:00z', '2026-11-29T10:00:00.000Z'],
    ['2026-11-29 10:00:00-11:30', '2026-11-29T21:30:00.000Z'],
    ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ])('%s is read as %s', (given, written) => {
    const instant = scalar('DateTime').parseValue(given)
    expect(scalar('DateTime').serialize(instant)).toBe(written)
  })

  test.each([
    '2026-11-29',
    '2026-11-29T10:00Z',
    '2026-11-29T10:00:00',
    '2026-02-29T10:00:00Z',
    '2026-04-31T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-00-01T10:00:00Z',
    '2026-01-00T10:00:00Z',
    '2026-11-29T24:00:00Z',
    '2026-11-29T10:60:00Z',
    '2026-11-29T10:00:60Z',
    '2026-11-29T10:00:00+24:00',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59-01:00',
    'now',
    '',
    1_764_410_400_000,
    null,
    true,
  ])('%s is refused', (given) => {
    expect(() => scalar('DateTime').parseValue(given)).toThrow(/RFC 3339/)
  })
})

describe('SafeInt', () => {
  test('is a whole number from 0 to 2^53 - 1, also for 64-bit numbers of the database', () => {
    expect(scalar('SafeInt').serialize(9_007_199_254_740_991n)).toBe(9_007_199_254_740_991)
    expect(() => scalar('SafeInt').serialize(9_007_199_254_740_992n)).toThrow()
    for (const wrong of [-1, 0.5, '1', 2 ** 53, Number.NaN, null])
      expect(() => scalar('SafeInt').parseValue(wrong)).toThrow()
    expect(scalar('SafeInt').parseLiteral(parseLiteral('7'))).toBe(7)
    expect(() => scalar('SafeInt').parseLiteral(parseLiteral('"7"'))).toThrow()
  })
})

describe('Base64', () => {
  test('is the text of bytes, also of a part of a larger buffer', () => {
    expect(scalar('Base64').serialize(new Uint8Array([1, 2, 3, 250]).subarray(1))).toBe('AgP6')
    expect([...(scalar('Base64').parseValue('AgP6') as Uint8Array)]).toEqual([2, 3, 250])
    for (const wrong of ['AgP', 'Ag=6', 'AgP6=', '-_-_', 7])
      expect(() => scalar('Base64').parseValue(wrong)).toThrow()
  })
})
