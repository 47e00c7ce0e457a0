import { GraphQLError, Kind, type ValueNode, valueFromASTUntyped } from 'graphql'
import { isStorableInstant } from '../../sale/storable.ts'
import { builder } from './builder.ts'

/** The last instant: all polls until the next tick have the same one, and writing it is a part of a poll's time (bench/poll.ts). */
let lastWritten = { ms: 0, text: new Date(0).toISOString() }

builder.scalarType('DateTime', {
  description: 'An instant: RFC 3339, UTC, milliseconds.',
  serialize(instant) {
    const ms = instant.getTime()
    if (ms !== lastWritten.ms) lastWritten = { ms, text: instant.toISOString() }
    return lastWritten.text
  },
  parseValue: parseInstant,
})

builder.scalarType('SafeInt', {
  description: 'A whole number up to 2^53 - 1, sent as a JSON number.',
  serialize: (value) => toSafeInt(Number(value)),
  parseValue: toSafeInt,
  // A literal of another kind is refused, so that "1" is not a number.
  parseLiteral: (node) => toSafeInt(node.kind === Kind.INT ? Number(node.value) : undefined),
})

builder.scalarType('Base64', {
  description: 'Bytes in base64 (RFC 4648, section 4).',
  serialize: (bytes) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64'),
  parseValue(text) {
    if (
      typeof text !== 'string' ||
      !/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)
    )
      throw new GraphQLError('must be base64')
    return Buffer.from(text, 'base64')
  },
})

builder.scalarType('JSON', {
  description: 'Any value of JSON.',
  serialize: (value) => value,
  parseValue: (value) => value,
  parseLiteral: (node: ValueNode, variables) => valueFromASTUntyped(node, variables),
})

const RFC_3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/

/** Accepts any offset. Cuts fractions below a millisecond off. */
function parseInstant(text: unknown): Date {
  const match = typeof text === 'string' ? RFC_3339.exec(text) : null
  if (match) {
    const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
    const instant = new Date(match[0].toUpperCase().replace(' ', 'T'))
    const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
    // The offset may move the instant out of the years that ISO 8601 writes with four digits.
    if (isDay && isStorableInstant(instant)) return instant
  }
  throw new GraphQLError('must be an instant such as 2026-11-29T10:00:00.000Z (RFC 3339)')
}

/** Returns the number of days in a month. `Date` alone would turn 30 February into 2 March. */
function daysIn(year: number, month: number): number {
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate()
}

function toSafeInt(value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
  throw new GraphQLError('must be a whole number from 0 to 2^53 - 1')
}
