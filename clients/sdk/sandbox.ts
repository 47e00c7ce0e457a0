import { ApiError, ConnectionLost } from './transport/errors.ts'

export type Role = 'organizer' | 'ops'

/**
 * A token for an account of any name, from the issuer that the app is to itself in the embedded default.
 * Throws ApiError NOT_FOUND where accounts come from a real identity provider.
 */
export async function sandboxToken(
  url: string,
  account: string,
  roles: Role[] = [],
  fetch = globalThis.fetch,
): Promise<string> {
  const response = await fetch(new URL('/dev/token', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account, roles, emailVerified: true }),
    signal: AbortSignal.timeout(10_000),
  }).catch((error) => {
    throw new ConnectionLost('No answer came from the service.', { cause: error })
  })
  if (response.ok) return (await response.json()).token
  if (response.status >= 500) throw new ConnectionLost(`The service is not there (HTTP ${response.status}).`)
  throw new ApiError(
    'This service has no sandbox sign-in.',
    response.status === 429 ? 'RATE_LIMITED' : response.status === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT',
    { retryAfterSeconds: Number(response.headers.get('retry-after')) || null },
  )
}
