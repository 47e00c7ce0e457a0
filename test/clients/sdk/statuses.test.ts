import { expect, test } from 'vitest'
import { AVAILABLE, HELD, NOT_FOR_SALE, SOLD, unpackStatuses } from '../../../clients/sdk/statuses.ts'

test('a packed map has two bits a seat, from the highest bit of the first byte on', () => {
  // 00 01 10 11 | 11 00 00 00
  const packed = Buffer.from([0b00011011, 0b11000000]).toString('base64')
  expect([...unpackStatuses(packed, 5)]).toEqual([AVAILABLE, HELD, SOLD, NOT_FOR_SALE, NOT_FOR_SALE])
})

test('a map that is too short for its seats is refused', () => {
  expect(() => unpackStatuses(Buffer.from([0]).toString('base64'), 5)).toThrow(RangeError)
})
