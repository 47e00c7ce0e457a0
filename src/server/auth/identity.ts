import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
  SignJWT,
} from 'jose'
import { createBoundedCache } from '../../async/boundedCache.ts'
import type { MaybePromise } from '../../async/maybePromise.ts'
import type { Env } from '../../env.ts'
import { type Keys, publicKeys } from '../../keys.ts'
import type { Account, Role } from '../../sale/caller.ts'
import type { Clock } from '../../sale/clock.ts'
import { Fault, overloaded } from '../../sale/faults.ts'
import { claimsOf, type TokenRules } from './accountToken.ts'

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
}

export interface DevClaims {
  account: string
  email: string
  emailVerified: boolean
  roles: readonly Role[]
}

export const ANONYMOUS: Identity = { account: null, endsAt: null, hasBadToken: false }
const BAD_TOKEN: Identity = { ...ANONYMOUS, hasBadToken: true }

const ROLES: readonly Role[] = ['organizer', 'ops']
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
const LONGEST_ACCOUNT = 255

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
  keys: Keys
  /** The database's clock decides when a token ends: this machine's clock may be an hour off. */
  clock: Clock
}

export function createIdentities({ env, keys, clock }: IdentitiesDeps): Identities {
  const { jwksUrl, issuer, audience } = env.identity
  const isOwn = jwksUrl === null
  const rules: TokenRules = {
    algorithms: isOwn ? ['EdDSA'] : PROVIDER_ALGORITHMS,
    issuer,
    audience,
    types: isOwn ? OWN_TYPS : TYPS,
    toleranceSeconds: TOLERANCE_SECONDS,
    keyOf: isOwn ? ownKeys(keys) : providersKeys(jwksUrl),
  }
  const now = () => clock.now().catch(() => clock.known())
  const known = createBoundedCache<string, Known>(KNOWN_TOKENS_AT_LEAST)

  async function verify(token: string): Promise<Identity> {
    try {
      const claims = await claimsOf(token, await now(), rules)
      return claims ? toIdentity(claims) : BAD_TOKEN
    } catch (error) {
      if (error instanceof Fault) throw error
      return BAD_TOKEN
    }
  }

  return {
    identify(authorization) {
      if (authorization === undefined || authorization === '') return ANONYMOUS
      const before = known.get(authorization)
      if (before && before.until > performance.now() && !hasExpired(before.identity, clock))
        return before.identity
      const token = /^Bearer +([\w.~+/=-]+)$/i.exec(authorization)?.[1]
      if (token === undefined || token.length > LONGEST_TOKEN) return BAD_TOKEN
      return verify(token).then((identity) => {
        if (identity.account) known.set(authorization, { identity, until: performance.now() + KNOWN_MS })
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
  }
}

/** True where the token has ended by the database's clock. */
export function hasExpired({ endsAt }: Identity, clock: Clock): boolean {
  return endsAt !== null && endsAt.getTime() < clock.known().getTime()
}

function toIdentity({ sub, exp, email, email_verified, roles }: JWTPayload): Identity {
  if (typeof sub !== 'string' || !isAccountId(sub)) return BAD_TOKEN
  const given: unknown[] = Array.isArray(roles) ? roles : []
  return {
    account: {
      id: sub,
      email: typeof email === 'string' ? email : null,
      emailVerified: email_verified === true,
      roles: new Set(ROLES.filter((role) => given.includes(role))),
    },
    endsAt: new Date(((exp as number) + TOLERANCE_SECONDS) * 1_000),
    hasBadToken: false,
  }
}

/** True for an id that the database can store and a log can print. */
export function isAccountId(text: string): boolean {
  return /^[^\p{C}]+$/u.test(text) && text.length <= LONGEST_ACCOUNT
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

/** The provider's keys, fetched on demand and cached. Throws OVERLOADED where they cannot be fetched. */
function providersKeys(url: string): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(new URL(url), { timeoutDuration: 3_000 })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      if (TOKENS_FAULT.some((reason) => error instanceof reason)) throw error
      throw overloaded(2)
    }
  }
}

/** The errors of a token that names no key, several keys, or a key of another kind. */
const TOKENS_FAULT = [errors.JWKSNoMatchingKey, errors.JWKSMultipleMatchingKeys, errors.JOSENotSupported]
