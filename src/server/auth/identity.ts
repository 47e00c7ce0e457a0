import { createLocalJWKSet, type JWTPayload, type JWTVerifyGetKey, SignJWT } from 'jose'
import type { Logger } from 'pino'
import { createBoundedCache } from '../../async/boundedCache.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import type { Env } from '../../env.ts'
import { type Keys, publicKeys } from '../../keys.ts'
import type { Account, Role } from '../../sale/caller.ts'
import type { Clock } from '../../sale/clock.ts'
import { readToken, type TokenFault, type TokenRules } from './accountToken.ts'
import { accountOf } from './claims.ts'
import { createProviderKeys } from './providerKeys.ts'
import { createRefusedTokens } from './refusedTokens.ts'

/** The account of the presented token. */
export interface Identity {
  readonly account: Account | null
  /** When the token ends, including the tolerance of the token's check. */
  readonly endsAt: Date | null
  /** The presented token is not valid. */
  readonly hasBadToken: boolean
}

export interface Identities {
  /**
   * Reads an Authorization header. A token that is not valid gives no account, and no reason: browsing still works.
   * Returns without a promise where the token was read before. Throws OVERLOADED where the keys of the identity
   * provider cannot be fetched.
   */
  identify(authorization: string | undefined): MaybePromise<Identity>
  /** Returns a token, where the app is its own identity provider. Throws elsewhere. */
  issue(claims: DevClaims): Promise<string>
  /** Throws Unfit where no account can be read now: the provider's keys are away, or the configuration refuses all tokens. */
  requireFit(): Promise<void>
}

export interface DevClaims {
  account: string
  email: string
  emailVerified: boolean
  roles: readonly Role[]
}

export const ANONYMOUS: Identity = { account: null, endsAt: null, hasBadToken: false }
const BAD_TOKEN: Identity = { ...ANONYMOUS, hasBadToken: true }

/** The type of our own tokens (RFC 9068). Providers also write JWT, or no type. */
const TYP = 'at+jwt'
const OWN_TYPS = [TYP, `application/${TYP}`]
const TYPS = [undefined, 'jwt', ...OWN_TYPS]
const PROVIDER_ALGORITHMS = [
  'EdDSA',
  'Ed25519',
  'ES256',
  'ES384',
  'ES512',
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
]
const TOLERANCE_SECONDS = 5
const OWN_TOKEN_LASTS_MS = 12 * 3_600_000
const LONGEST_TOKEN = 8_192

/** Tokens whose signature is checked already, 20,000 at most: a fan polls with the same token for hours. */
const KNOWN_TOKENS_AT_LEAST = 10_000
/** The longest time for which a token is accepted after its provider withdrew the key. */
const KNOWN_MS = 60_000

interface Known {
  readonly identity: Identity
  readonly until: number
}

export interface IdentitiesDeps {
  env: Env
  log: Logger
  keys: Keys
  /** The database's clock decides when a token ends: this machine's clock may be an hour off. */
  clock: Clock
  /** Called at each token that is not valid. */
  onRefused?: (fault: TokenFault) => void
}

export function createIdentities({ env, log, keys, clock, onRefused }: IdentitiesDeps): Identities {
  const { jwksUrl, issuer, audience } = env.identity
  const isOwn = jwksUrl === null
  const providerKeys = isOwn ? null : createProviderKeys(jwksUrl, log)
  const refusedTokens = createRefusedTokens(env.identity, log, onRefused)
  const rules: TokenRules = {
    algorithms: isOwn ? ['EdDSA'] : PROVIDER_ALGORITHMS,
    issuer,
    audience,
    audienceClaim: env.identity.claims.audience,
    types: isOwn ? OWN_TYPS : TYPS,
    toleranceSeconds: TOLERANCE_SECONDS,
    keyOf: providerKeys?.keyOf ?? ownKeys(keys),
  }
  const now = async () => {
    try {
      return await clock.now()
    } catch {
      return clock.estimate()
    }
  }
  const known = createBoundedCache<string, Known>(KNOWN_TOKENS_AT_LEAST)

  async function verify(token: string): Promise<Identity> {
    const read = await readToken(token, await now(), rules)
    if ('fault' in read) {
      refusedTokens.refused(read)
      return BAD_TOKEN
    }
    refusedTokens.accepted()
    return toIdentity(read.claims, env.identity.claims)
  }

  return {
    identify(authorization) {
      if (authorization === undefined || authorization === '') return ANONYMOUS
      const token = tokenOf(authorization)
      if (token === null) return BAD_TOKEN
      const before = known.get(token)
      if (before && before.until > performance.now() && !hasExpired(before.identity, clock))
        return before.identity
      return verify(token).then((identity) => {
        if (identity.account) known.set(token, { identity, until: performance.now() + KNOWN_MS })
        return identity
      })
    },

    async issue({ account, email, emailVerified, roles }) {
      if (!isOwn) throw new Error('accounts come from the identity provider')
      const [{ kid, privateKey }] = keys.accounts
      const issuedAt = await now()
      return new SignJWT({ email, email_verified: emailVerified, roles: [...roles] })
        .setProtectedHeader({ alg: 'EdDSA', kid, typ: TYP })
        .setSubject(account)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(new Date(issuedAt.getTime() + OWN_TOKEN_LASTS_MS))
        .sign(privateKey)
    },

    async requireFit() {
      await providerKeys?.requireKeys()
      refusedTokens.requireAccepted()
    },
  }
}

/**
 * Returns the token of a header; null where it has none. One token has one spelling here: a header with more spaces, or a token with
 * characters that base64url ignores, would be kept again for each spelling, and a socket may send 256 KB of them.
 */
function tokenOf(authorization: string): string | null {
  const [, token = ''] = /^Bearer +([\w.-]+)$/i.exec(authorization) ?? []
  return token !== '' && token.length <= LONGEST_TOKEN ? token : null
}

/** True where the token has ended by the database's clock. */
export function hasExpired({ endsAt }: Identity, clock: Clock): boolean {
  return endsAt !== null && endsAt.getTime() < clock.estimate().getTime()
}

function toIdentity(claims: JWTPayload, names: Env['identity']['claims']): Identity {
  const account = accountOf(claims, names)
  if (!account) return BAD_TOKEN
  return {
    account,
    endsAt: new Date(((claims.exp as number) + TOLERANCE_SECONDS) * 1_000),
    hasBadToken: false,
  }
}

/** The app's own keys, in their present rotation. */
function ownKeys(keys: Keys): JWTVerifyGetKey {
  let ring: Keys['accounts'] | undefined
  let set = createLocalJWKSet({ keys: [] })
  return (header, token) => {
    if (ring !== keys.accounts) {
      ring = keys.accounts
      set = createLocalJWKSet(publicKeys(ring))
    }
    return set(header, token)
  }
}
