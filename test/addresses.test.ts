import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isWithin, parseAddress, readRanges, subscriberOf } from '../src/addresses.ts'

const texts = (list: string) => readRanges(list)?.map(([address, bits]) => `${address}/${bits}`)

describe('a list of ranges', () => {
  test.each([
    ['10.1.0.0/16', ['10.1.0.0/16']],
    [' 192.0.2.7 , 2001:db8::/32,', ['192.0.2.7/32', '2001:db8::/32']],
    ['loopback', ['127.0.0.0/8', '::1/128']],
    ['none', []],
    ['::ffff:192.0.2.7', ['192.0.2.7/32']],
  ])('%s is read', (list, ranges) => {
    expect(texts(list)).toEqual(ranges)
  })

  test.each([
    '10.0.0.0/33',
    '::/129',
    'lb.internal',
    '10.1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '/8',
    'loopback/8',
    '*',
  ])('%s is refused', (list) => {
    expect(readRanges(`127.0.0.1, ${list}`)).toBeNull()
  })
})

describe('an address', () => {
  test.each([
    ['192.0.2.1', '192.0.2.1'],
    [' 192.0.2.1 ', '192.0.2.1'],
    ['192.0.2.1:51234', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['[2001:DB8::1]:443', '2001:db8::1'],
    ['2001:db8:0:0::1', '2001:db8::1'],
  ])('%s is %s', (text, address) => {
    expect(parseAddress(text)?.toString()).toBe(address)
  })

  test.each([
    '',
    'unknown',
    '_hidden',
    '1.2.3',
    '127.1',
    '0x7f000001',
    '256.1.1.1',
    '[192.0.2.1',
    '::1::',
    `1.2.3.4${' '.repeat(90)}`,
  ])('%j is no address', (text) => {
    expect(parseAddress(text)).toBeNull()
  })

  test('is read from any text without an exception', () => {
    const near = fc.stringMatching(/^[0-9a-f.:[\]%/ ]{0,60}$/)
    fc.assert(
      fc.property(fc.oneof(fc.string(), near, fc.ipV4Extended(), fc.ipV6()), (text) => {
        parseAddress(text)
        readRanges(text)
        const address = parseAddress(text)
        if (address) expect(subscriberOf(address.toString())).toBeTruthy()
      }),
      { numRuns: 2_000 },
    )
  })

  test('is within a range of its own kind only', () => {
    const loopback = readRanges('loopback') ?? []
    const within = (text: string) => isWithin(parseAddress(text) as never, loopback)
    expect(['127.8.8.8', '::1', '::ffff:127.0.0.1'].map(within)).toEqual([true, true, true])
    expect(['128.0.0.1', '::2', '2001:db8::1'].map(within)).toEqual([false, false, false])
  })
})

test('a subscriber has one IPv4 address, or an IPv6 network of 64 bits', () => {
  expect(subscriberOf('192.0.2.1')).toBe('192.0.2.1')
  expect(subscriberOf('2001:db8:0:7:1::1')).toBe(subscriberOf('2001:db8:0:7:ffff:ffff::9'))
  expect(subscriberOf('2001:db8:0:7::1')).not.toBe(subscriberOf('2001:db8:0:8::1'))
})
