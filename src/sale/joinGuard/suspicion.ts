import { besides, createCountMinSketch } from './countMinSketch.ts'
import type { Arrival } from './joinAttempt.ts'
import type { Pace } from './joinLimits.ts'

/** What is known of an arrival, all of it from this process's memory. */
export interface Signs extends Pace {
  /** Accounts that came on this device within ten minutes, this one included. */
  readonly accountsOfDevice: number
  /** And from this address. */
  readonly accountsOfAddressLately: number
  readonly deviceId: string
}

export type Signal =
  | 'device shared'
  | 'device made up'
  | 'address crowded'
  | 'address in a hurry'
  | 'account in a hurry'

/** A family's tablet. */
const ACCOUNTS_OF_DEVICE = 3
/** A home, a shared flat, an office; carriers and campuses are beyond it, and their fans wait a second or two more. */
const ACCOUNTS_OF_ADDRESS = 30
/** In a minute, one every six seconds: a class that joins together would be challenged, a family not. */
const ACCOUNTS_OF_ADDRESS_A_MINUTE = 10
/** In a minute. A lost answer, a reload, another tab: still fewer. */
const CALLS_OF_ACCOUNT = 5
/** Apps make 128 random bits, which no spelling makes shorter than this, nor of so few different characters. */
const DEVICE_ID = { shortest: 16, fewestCharacters: 6 } as const

/** Everything about an arrival that looks like a script's. None: nobody is bothered. */
export function signalsOf(signs: Signs): Signal[] {
  const { deviceId } = signs
  const signals: Signal[] = []
  if (signs.accountsOfDevice > ACCOUNTS_OF_DEVICE) signals.push('device shared')
  if (deviceId.length < DEVICE_ID.shortest || new Set(deviceId).size < DEVICE_ID.fewestCharacters)
    signals.push('device made up')
  if (signs.accountsOfAddressLately > ACCOUNTS_OF_ADDRESS) signals.push('address crowded')
  if (signs.accountsOfAddress > ACCOUNTS_OF_ADDRESS_A_MINUTE) signals.push('address in a hurry')
  if (signs.callsOfAccount > CALLS_OF_ACCOUNT) signals.push('account in a hurry')
  return signals
}

const LATELY_MS = 600_000

/** Counts who shares devices and addresses; an account counts once at each. Memory is bounded. */
export function createRecentVisitors(now?: () => number) {
  const lately = createCountMinSketch(LATELY_MS, now)
  return {
    /** Counts an arrival in. */
    meet({ account, device, address }: Arrival): Pick<Signs, 'accountsOfDevice' | 'accountsOfAddressLately'> {
      const withDevice = [device, ...(address ? [address] : [])]
      const seen = besides(account.key)
      if (lately.count(seen) < 1) {
        lately.add(seen)
        for (const { key } of withDevice) lately.add(key)
      }
      return {
        accountsOfDevice: lately.count(device.key),
        accountsOfAddressLately: address ? lately.count(address.key) : 0,
      }
    },
  }
}
