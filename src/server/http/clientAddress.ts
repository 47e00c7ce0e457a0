import type { IncomingMessage } from 'node:http'
import { type AddressRange, isWithin, parseAddress } from '../../addresses.ts'

/**
 * Whose request it is: the last address of X-Forwarded-For that is none of our own proxies'. Each proxy writes whom it
 * was asked by at the end of that header, so what stands before an address that we do not trust was written by whoever
 * sits there, and is believed by nobody; of a peer that is no proxy of ours nothing of it is read. What is no
 * address ends the way back at the proxy that wrote it. Null where the connection is gone already.
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
