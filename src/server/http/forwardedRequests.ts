import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressRange } from '../../addresses.ts'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { Fault } from '../../sale/faults.ts'
import { boundedAddress, clientAddress } from './clientAddress.ts'
import { createFairShare } from './limits/fairShare.ts'

/** A request is a crowd's only through a proxy: browsers keep the header short. */
const LONGEST_KEPT = 200
/** 10,000 at most. */
const ADDRESSES_AT_LEAST = 5_000

/**
 * Bounds the requests under way of one client behind our own proxies. A proxy opens a connection for each request under way, so
 * this is to its clients what the bound of connections is to clients without a proxy.
 *
 * Returns a function that counts a request until its response ends. It throws RATE_LIMITED where the client has too many.
 */
export function createForwardedRequests(trusted: readonly AddressRange[], perAddress: number) {
  const share = createFairShare({ perClient: perAddress, inAll: Number.POSITIVE_INFINITY })
  const addresses = createBoundedCache<string, { readonly address: string | null }>(ADDRESSES_AT_LEAST)

  function addressOf(request: IncomingMessage, forwarded: string): string | null {
    const find = () => boundedAddress(clientAddress(request, trusted), trusted)
    if (forwarded.length > LONGEST_KEPT) return find()
    const key = `${request.socket.remoteAddress} ${forwarded}`
    const known = addresses.get(key)
    if (known) return known.address
    const address = find()
    addresses.set(key, { address })
    return address
  }

  return (request: IncomingMessage, response: ServerResponse): void => {
    const forwarded = request.headers['x-forwarded-for']
    if (typeof forwarded !== 'string') return
    const address = addressOf(request, forwarded)
    if (address === null) return
    if (share.refusalOf(address))
      throw new Fault('RATE_LIMITED', 'Too many requests of this address are under way.', {
        retryAfterSeconds: 2,
      })
    share.enter(address)
    response.once('close', () => share.leave(address))
  }
}
