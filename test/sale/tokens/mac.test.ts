import { createHmac } from 'node:crypto'
import { expect, test } from 'vitest'
import { createMac } from '../../../src/sale/tokens/mac.ts'

const hex = (mac: string) => Buffer.from(mac, 'base64url').toString('hex')

// RFC 4231, test cases 1, 2 and 6.
test.each([
  [Buffer.alloc(20, 0x0b), 'Hi There', 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe'),
    'what do ya want for nothing?',
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [
    Buffer.alloc(131, 0xaa),
    'Test Using Larger Than Block-Size Key - Hash Key First',
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
])('the result is HMAC-SHA-256 as in RFC 4231', (secret, text, mac) => {
  expect(hex(createMac(secret, 100)(text))).toBe(mac)
})

test('all bytes of characters outside of ASCII count', () => {
  const secret = Buffer.alloc(32, 7)
  const mac = createMac(secret, 2_000)
  for (const text of ['', 'A', 'Ł', '\u0141', 'ÅA', '€'.repeat(2_000), '𝔘'.repeat(1_000), 'a'.repeat(2_000)])
    expect(mac(text)).toBe(createHmac('sha256', secret).update(text).digest('base64url'))
  expect(mac('A')).not.toBe(mac('Ł'))
})

test('a text does not affect the result of the next one', () => {
  const mac = createMac(Buffer.alloc(32, 7), 100)
  const short = mac('short')
  mac('x'.repeat(100))
  expect(mac('short')).toBe(short)
})

test('a text that is too long is refused, not cut', () => {
  const mac = createMac(Buffer.alloc(32, 7), 10)
  expect(mac('x'.repeat(10))).not.toBe(mac('x'.repeat(9)))
  expect(() => mac('x'.repeat(11))).toThrow(RangeError)
})
