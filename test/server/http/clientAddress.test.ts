import type { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type AddressRange, readRanges } from '../../../src/addresses.ts'
import { clientAddress } from '../../../src/server/http/clientAddress.ts'

function seen(remoteAddress: string | undefined, forwarded: string | undefined, proxies: string) {
  const request = { socket: { remoteAddress } as Socket, headers: { 'x-forwarded-for': forwarded } }
  return clientAddress(request, readRanges(proxies) as AddressRange[])
}

test.each([
  ['no proxy, no header', '192.0.2.1', undefined, 'none', '192.0.2.1'],
  ['a header from a peer that is no proxy', '192.0.2.1', '203.0.113.9', '10.0.0.0/8', '192.0.2.1'],
  ['no trusted proxy', '127.0.0.1', '203.0.113.9', 'none', '127.0.0.1'],
  ['behind one proxy', '10.0.0.1', '203.0.113.9', '10.0.0.0/8', '203.0.113.9'],
  ['behind two', '10.0.0.1', '203.0.113.9, 10.2.0.1', '10.0.0.0/8', '203.0.113.9'],
  ['what the client made up', '10.0.0.1', '1.1.1.1, 10.9.9.9, 203.0.113.9', '10.0.0.0/8', '203.0.113.9'],
  [
    'a client that claims to be a proxy',
    '10.0.0.1',
    '1.1.1.1, 203.0.113.9, 10.2.0.1',
    '10.0.0.0/8',
    '203.0.113.9',
  ],
  ['proxies all the way', '10.0.0.1', '10.3.0.1, 10.2.0.1', '10.0.0.0/8', '10.3.0.1'],
  ['IPv4 written as IPv6', '::ffff:10.0.0.1', '::ffff:203.0.113.9', '10.0.0.0/8', '203.0.113.9'],
  ['IPv6', '::1', '2001:DB8::1', 'loopback', '2001:db8::1'],
  ['with ports', '10.0.0.1', '[2001:db8::1]:443, 10.2.0.1:80', '10.0.0.0/8', '2001:db8::1'],
  ['words', '10.0.0.1', 'unknown', '10.0.0.0/8', '10.0.0.1'],
  ['words behind a proxy', '10.0.0.1', '203.0.113.9, _hidden, 10.2.0.1', '10.0.0.0/8', '10.2.0.1'],
  ['nothing between commas', '10.0.0.1', ',', '10.0.0.0/8', '10.0.0.1'],
  ['an empty header', '10.0.0.1', '', '10.0.0.0/8', '10.0.0.1'],
  ['a connection that is gone', undefined, '203.0.113.9', '10.0.0.0/8', null],
])('%s', (_what, peer, forwarded, proxies, address) => {
  expect(seen(peer, forwarded, proxies)).toBe(address)
})

test('a header of thousands of addresses is read only up to the first that is not trusted', () => {
  const many = Array.from({ length: 5_000 }, () => '1.1.1.1').join(', ')
  expect(seen('10.0.0.1', `${many}, 203.0.113.9`, '10.0.0.0/8')).toBe('203.0.113.9')
})
