import { expect, test } from 'vitest'
import { joinAttemptOf } from '../../../src/sale/joinGuard/joinAttempt.ts'
import { createRecentVisitors, type Observations, signalsOf } from '../../../src/sale/joinGuard/suspicion.ts'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'

/** A family at home: all members join on one tablet, and one of them joins twice. */
const family: Observations = {
  callsOfAccount: 2,
  accountsOfAddress: 5,
  accountsOfDeviceInTenMinutes: 3,
  accountsOfAddressInTenMinutes: 5,
  deviceId: '9f86d081884c7d659a2feaa0c55ad015',
}

test('a family at home gets no challenge', () => {
  expect(signalsOf(family)).toEqual([])
})

test.each([
  [{ accountsOfDeviceInTenMinutes: 4 }, 'device shared'],
  [{ deviceId: 'device-17' }, 'device id invented'],
  [{ deviceId: '00000000000000000001' }, 'device id invented'],
  [{ accountsOfAddressInTenMinutes: 31 }, 'address crowded'],
  [{ accountsOfAddress: 11 }, 'address too fast'],
  [{ callsOfAccount: 6 }, 'account too fast'],
] as const)('%j: %s', (sign, signal) => {
  expect(signalsOf({ ...family, ...sign })).toEqual([signal])
})

test('an account counts once at its device and once at its address, for ten minutes', () => {
  let now = 0
  const visitors = createRecentVisitors(() => now)
  const visit = (account: string, device: string, address: string | null) =>
    visitors.record(joinAttemptOf('evt_1', accountDigest('evt_1', account), deviceDigest(device), address))
  for (let i = 0; i < 5; i++) expect(visit('ana', 'tablet', '192.0.2.1').accountsOfDeviceInTenMinutes).toBe(1)
  expect(visit('bob', 'tablet', '192.0.2.1')).toEqual({
    accountsOfDeviceInTenMinutes: 2,
    accountsOfAddressInTenMinutes: 2,
  })
  expect(visit('cleo', 'phone', '192.0.2.1')).toEqual({
    accountsOfDeviceInTenMinutes: 1,
    accountsOfAddressInTenMinutes: 3,
  })
  expect(visit('dora', 'tablet', null)).toEqual({
    accountsOfDeviceInTenMinutes: 3,
    accountsOfAddressInTenMinutes: 0,
  })
  expect(visit('emil', 'laptop', '2001:db8::1').accountsOfAddressInTenMinutes).toBe(1)
  expect(visit('fay', 'watch', '2001:db8::2').accountsOfAddressInTenMinutes).toBe(2)
  now = 20 * 60_000
  expect(visit('gus', 'tablet', '192.0.2.1')).toEqual({
    accountsOfDeviceInTenMinutes: 1,
    accountsOfAddressInTenMinutes: 1,
  })
})
