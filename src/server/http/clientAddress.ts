import type { IncomingMessage } from 'node:http'
import { type AddressRange, isWithin, parseAddress, subscriberOf } from '../../addresses.ts'

/**
 * Returns the client's address: the last address of X-Forwarded-For that is not one of our own proxies. Null where the
 * connection is closed already.
 *
 * Each proxy appends the address of its peer to that header. So everything before an address that we do not trust was
 * written by that address, and is ignored. The header of a peer that is not our proxy is not read. An entry that is no
 * address ends the search: the client is then the proxy that wrote it.
 */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  trusted: readonly AddressRange[],
): string | null {
  const peer = parseAddress(socket.remoteAddress ?? '')
  if (!peer) return null
  const forwarded = headers['x-forwarded-for']
  // Node joins headers that come more than once, in order.
  if (typeof forwarded !== 'string' || !isWithin(peer, trusted)) return peer.toString()
  let client = peer
  let end = forwarded.length
  while (end >= 0 && isWithin(client, trusted)) {
    const comma = end === 0 ? -1 : forwarded.lastIndexOf(',', end - 1)
    const address = parseAddress(forwarded.slice(comma + 1, end))
    if (!address) break
    client = address
    end = comma
  }
  return client.toString()
}

/**
 * Returns the address by which bounds count a client: see `subscriberOf`. Null where it does not count. That is the address
 * of one of our own proxies, which then sent no address: all clients behind it would share one bound.
 */
export function boundedAddress(address: string | null, trusted: readonly AddressRange[]): string | null {
  const parsed = address === null ? null : parseAddress(address)
  return parsed && !isWithin(parsed, trusted) ? subscriberOf(parsed.toString()) : null
}
