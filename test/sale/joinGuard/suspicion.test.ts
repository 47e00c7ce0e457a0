import { expect, test } from 'vitest'
import { joinAttemptOf } from '../../../src/sale/joinGuard/joinAttempt.ts'
import { createRecentVisitors, type Signs, signalsOf } from '../../../src/sale/joinGuard/suspicion.ts'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'

/** A family at home, all of whom join on one tablet, one of them twice. */
const family: Signs = {
  callsOfAccount: 2,
  accountsOfAddress: 5,
  accountsOfDevice: 3,
  accountsOfAddressLately: 5,
  deviceId: '9f86d081884c7d659a2feaa0c55ad015',
}

test('a family at home is not bothered', () => {
  expect(signalsOf(family)).toEqual([])
})

test.each([
  [{ accountsOfDevice: 4 }, 'device shared'],
  [{ deviceId: 'device-17' }, 'device made up'],
  [{ deviceId: '00000000000000000001' }, 'device made up'],
  [{ accountsOfAddressLately: 31 }, 'address crowded'],
  [{ accountsOfAddress: 11 }, 'address in a hurry'],
  [{ callsOfAccount: 6 }, 'account in a hurry'],
] as const)('%j: %s', (sign, signal) => {
  expect(signalsOf({ ...family, ...sign })).toEqual([signal])
})

test('an account counts once at its device and its address, and is forgotten after a while', () => {
  let now = 0
  const acquaintance = createRecentVisitors(() => now)
  const meet = (account: string, device: string, address: string | null) =>
    acquaintance.meet(joinAttemptOf('evt_1', accountDigest('evt_1', account), deviceDigest(device), address))
  for (let i = 0; i < 5; i++) expect(meet('ana', 'tablet', '192.0.2.1').accountsOfDevice).toBe(1)
  expect(meet('bob', 'tablet', '192.0.2.1')).toEqual({ accountsOfDevice: 2, accountsOfAddressLately: 2 })
  expect(meet('cleo', 'phone', '192.0.2.1')).toEqual({ accountsOfDevice: 1, accountsOfAddressLately: 3 })
  expect(meet('dora', 'tablet', null)).toEqual({ accountsOfDevice: 3, accountsOfAddressLately: 0 })
  expect(meet('emil', 'laptop', '2001:db8::1').accountsOfAddressLately).toBe(1)
  expect(meet('fay', 'watch', '2001:db8::2').accountsOfAddressLately).toBe(2)
  now = 20 * 60_000
  expect(meet('gus', 'tablet', '192.0.2.1')).toEqual({ accountsOfDevice: 1, accountsOfAddressLately: 1 })
})
