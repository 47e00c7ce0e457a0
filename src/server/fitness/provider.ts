import pino from 'pino'
import type { Env } from '../../env.ts'
import type { Keys } from '../../keys.ts'
import { Unfit } from '../../unfit.ts'
import type { TokenFault } from '../auth/accountToken.ts'
import { createIdentities } from '../auth/identity.ts'

const PATIENCE_MS = 3_000

/**
 * Examines the identity provider: its keys, its own name where it publishes that (OpenID Connect Discovery), and a token if one is
 * given. Throws where fans would have no account.
 */
export async function examineProvider(env: Env, token: string | undefined) {
  const { jwksUrl, issuer } = env.identity
  if (jwksUrl === null) return { ok: 'the app itself, for this machine alone' }
  let fault: TokenFault | undefined
  const identities = createIdentities({
    env,
    log: pino({ enabled: false }),
    keys: {} as Keys,
    clock: { now: () => new Date(), at: () => new Date(), estimate: () => new Date() },
    onRefused(found) {
      fault = found
    },
  })
  await identities.requireFit()
  const published = await discover(issuer)
  if (published?.issuer !== undefined && published.issuer !== issuer)
    throw new Unfit(`calls itself "${published.issuer}", and JWT_ISSUER is "${issuer}"`)
  const warnings = [
    published?.jwks_uri !== undefined &&
      published.jwks_uri !== jwksUrl &&
      `publishes its keys at ${published.jwks_uri}, and JWKS_URL is ${jwksUrl}`,
  ]
  if (token === undefined) return { ok: `has keys; issuer ${issuer}`, warnings }
  const { account } = await identities.identify(`Bearer ${token}`)
  if (!account) {
    identities.requireFit().catch(() => {})
    throw new Unfit(`has issued a token that is refused: ${reasonOf(fault, env)}`)
  }
  const roles = [...account.roles].join(', ') || 'no role'
  const email = account.emailVerified ? 'verified' : 'not verified'
  return {
    ok: `accepts the token: account ${account.id}, ${roles}, e-mail address ${account.email === null ? 'missing' : email}`,
    warnings,
  }
}

function reasonOf(fault: TokenFault | undefined, { identity }: Env): string {
  if (fault === 'iss') return `iss is not "${identity.issuer}" (JWT_ISSUER)`
  if (fault === 'aud') return `${identity.claims.audience} is not "${identity.audience}" (JWT_AUDIENCE)`
  if (fault === 'key') return 'its key is not among those of JWKS_URL'
  if (fault === 'exp') return 'it has ended (exp)'
  return `its ${fault ?? 'form'} is not valid`
}

/** Null where the issuer publishes nothing: it need not. */
async function discover(issuer: string): Promise<{ issuer?: string; jwks_uri?: string } | null> {
  try {
    const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) })
    return response.ok ? ((await response.json()) as object) : null
  } catch {
    return null
  }
}
