import { createCountMinSketch, independentKey } from './countMinSketch.ts'
import type { JoinAttempt } from './joinAttempt.ts'
import type { MinuteCounts } from './joinLimits.ts'

/** The counts that this process keeps in memory for a join attempt. */
export interface Observations extends MinuteCounts {
  /** Accounts that joined on this device within ten minutes, this one included. */
  readonly accountsOfDeviceInTenMinutes: number
  /** The same for this address. */
  readonly accountsOfAddressInTenMinutes: number
  readonly deviceId: string
}

export type Signal =
  | 'device shared'
  | 'device id invented'
  | 'address crowded'
  | 'address too fast'
  | 'account too fast'

/** A family's tablet. */
const ACCOUNTS_OF_DEVICE = 3
/** A home, a shared flat, an office. Carriers and campuses exceed it, and their fans wait a second or two longer. */
const ACCOUNTS_OF_ADDRESS = 30
/** In a minute: one every six seconds. A class that joins together gets a challenge; a family does not. */
const ACCOUNTS_OF_ADDRESS_A_MINUTE = 10
/** In a minute. A lost reply, a reload and a second tab together make fewer calls. */
const CALLS_OF_ACCOUNT = 5
/** Apps generate 128 random bits. No encoding of those is shorter than this, or has fewer different characters. */
const DEVICE_ID = { shortest: 16, fewestCharacters: 6 } as const

/** Returns every sign that a script makes this attempt. Without any, the fan gets no challenge. */
export function signalsOf(observed: Observations): Signal[] {
  const { deviceId } = observed
  const signals: Signal[] = []
  if (observed.accountsOfDeviceInTenMinutes > ACCOUNTS_OF_DEVICE) signals.push('device shared')
  if (deviceId.length < DEVICE_ID.shortest || new Set(deviceId).size < DEVICE_ID.fewestCharacters)
    signals.push('device id invented')
  if (observed.accountsOfAddressInTenMinutes > ACCOUNTS_OF_ADDRESS) signals.push('address crowded')
  if (observed.accountsOfAddress > ACCOUNTS_OF_ADDRESS_A_MINUTE) signals.push('address too fast')
  if (observed.callsOfAccount > CALLS_OF_ACCOUNT) signals.push('account too fast')
  return signals
}

const TEN_MINUTES_MS = 600_000

/** Counts the accounts that share a device or an address. An account counts once at each. Memory is bounded. */
export function createRecentVisitors(now?: () => number) {
  const recent = createCountMinSketch(TEN_MINUTES_MS, now)
  return {
    /** Counts an attempt, and returns the counts of its device and its address. */
    record({
      account,
      device,
      address,
    }: JoinAttempt): Pick<Observations, 'accountsOfDeviceInTenMinutes' | 'accountsOfAddressInTenMinutes'> {
      const sources = [device, ...(address ? [address] : [])]
      const seen = independentKey(account.key)
      if (recent.count(seen) < 1) {
        recent.add(seen)
        for (const { key } of sources) recent.add(key)
      }
      return {
        accountsOfDeviceInTenMinutes: recent.count(device.key),
        accountsOfAddressInTenMinutes: address ? recent.count(address.key) : 0,
      }
    },
  }
}
