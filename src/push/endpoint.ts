import { lookup as resolve } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress, isThisMachine, parseAddress } from '../addresses.ts'

/** Longer than the addresses of the push services that browsers have: some 500 characters. */
const LONGEST_ENDPOINT = 1_000

/** True for an address to which the service sends: https, a host by name, the usual port, without a user. */
export function isPushEndpoint(text: string): boolean {
  const url = text.length <= LONGEST_ENDPOINT ? URL.parse(text) : null
  if (url === null || url.protocol !== 'https:' || url.port !== '' || url.username + url.password !== '')
    return false
  return parseAddress(url.hostname) === null && url.hostname.includes('.') && !isThisMachine(url.hostname)
}

/** The host of a push service is not one of the internet. */
export class NotPublic extends Error {
  constructor() {
    super('the host of the push service has no public address')
  }
}

/** Looks a name up as Node does, and fails where one of its addresses is not public. */
export const lookUpPublic: LookupFunction = (hostname, options, callback) => {
  resolve(hostname, { ...options, all: true }, (error, found) => {
    if (error) return callback(error, '')
    if (found.length === 0 || !found.every(({ address }) => isPublicAddress(address)))
      return callback(new NotPublic(), '')
    if (options.all) return callback(null, found)
    const [first] = found as [{ address: string; family: number }]
    callback(null, first.address, first.family)
  })
}
