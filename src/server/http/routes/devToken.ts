import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Env } from '../../../env.ts'
import { isAccountId } from '../../auth/claims.ts'
import type { Identities } from '../../auth/identity.ts'
import { BadRequest, readBody } from '../bodies.ts'
import { requireOwnHost } from '../ownHost.ts'
import { NO_STORE, sendJson } from '../responses.ts'

const BODY_LIMIT = 8_192

const Claims = z.strictObject({
  account: z.string().refine(isAccountId, { error: 'must be a string of 1 to 255 characters' }),
  email: z.email().max(254).optional(),
  emailVerified: z.boolean().default(true),
  roles: z.array(z.enum(['organizer', 'ops'])).default([]),
})

/**
 * `POST /dev/token`: sends a token for any account, where the app is its own identity provider.
 *
 * Throws BadRequest, also for requests that a page of another site can make a browser send. Such a page cannot send JSON
 * without a preflight, has another origin, or reaches this server by a name of its own (DNS rebinding).
 */
export async function sendDevToken(
  identities: Identities,
  env: Env,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  refuseOtherSites(env, request)
  const parsed = Claims.safeParse(parseJson(await readBody(request, BODY_LIMIT)))
  if (!parsed.success) throw new BadRequest(400, z.prettifyError(parsed.error))
  const { account, email, emailVerified, roles } = parsed.data
  const address = email ?? `${encodeURIComponent(account)}@example.com`
  const token = await identities.issue({ account, email: address, emailVerified, roles })
  sendJson(response, 200, { token }, NO_STORE)
}

function refuseOtherSites(env: Env, request: IncomingMessage): void {
  const { headers } = request
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json')
    throw new BadRequest(415, 'The body must be JSON, sent with "Content-Type: application/json".')
  const host = requireOwnHost(env, request)
  const { origin } = headers
  // A program sends no origin. A browser sends one with every POST.
  if (origin !== undefined && URL.parse(origin)?.host !== host.host)
    throw new BadRequest(403, 'Pages of another origin get no token.')
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    throw new BadRequest(400, 'The body must be JSON, such as {"account": "ana", "roles": ["ops"]}.')
  }
}
