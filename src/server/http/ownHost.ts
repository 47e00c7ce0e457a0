import type { IncomingMessage } from 'node:http'
import { isThisMachine, parseAddress } from '../../addresses.ts'
import type { Env } from '../../env.ts'
import { BadRequest } from './bodies.ts'

/**
 * Throws BadRequest for a request that reaches this server by a name of another site (DNS rebinding): a page of that site would have
 * this server's origin. Returns the host.
 */
export function requireOwnHost(env: Env, { headers }: IncomingMessage): URL {
  const host = URL.parse(`http://${headers.host ?? ''}`)
  if (!host || !isOwnHost(env, host.hostname))
    throw new BadRequest(403, 'The header "Host" does not name this server. Use the address in PUBLIC_URL.')
  return host
}

/** An address is safe where a name is not: no site can make its own name an address. */
function isOwnHost(env: Env, host: string): boolean {
  if (isThisMachine(host)) return true
  if (!env.embeddedAnywhere) return false
  const names = [env.host, ...[env.publicUrl, env.roomUrl ?? ''].map((url) => URL.parse(url)?.hostname)]
  return parseAddress(host) !== null || names.some((name) => name?.toLowerCase() === host)
}
