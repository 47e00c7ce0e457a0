import { constants, KeyObject, verify } from 'node:crypto'
import type { CryptoKey, JWTHeaderParameters, JWTPayload, JWTVerifyGetKey } from 'jose'

/** The rules for a valid account token, besides its signature. */
export interface TokenRules {
  readonly algorithms: readonly string[]
  readonly issuer: string
  readonly audience: string
  /** The accepted values of the header's `typ`, in lower case; undefined accepts a header without one. */
  readonly types: readonly (string | undefined)[]
  readonly toleranceSeconds: number
  /** Finds the key for the header's algorithm; throws where there is none. */
  readonly keyOf: JWTVerifyGetKey
}

/**
 * Returns the claims of a JWT that is valid by these rules at `now`; null for any other. Throws what `keyOf` throws, and where the
 * key does not fit the algorithm.
 *
 * jose finds and imports the keys. Node's synchronous `verify` checks the signature: jose uses Web Crypto, which moves the work to
 * another thread and takes twice as much processor time, half of it on the event loop.
 */
export async function claimsOf(token: string, now: Date, rules: TokenRules): Promise<JWTPayload | null> {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  const header = decode(head) as JWTHeaderParameters | null
  if (!header || more.length > 0 || !isHeaderValid(header, rules)) return null
  const key = await rules.keyOf(header, { protected: head, payload: body, signature })
  if (!isSignatureValid(header.alg, key as CryptoKey, `${head}.${body}`, signature)) return null
  const claims = decode(body)
  return claims && areClaimsValid(Math.floor(now.getTime() / 1_000), claims, rules) ? claims : null
}

/** Null for a part that is no JSON object in base64url. */
function decode(part: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** `crit` names extensions that must be understood (RFC 7515, 4.1.11). We understand none. */
function isHeaderValid(header: JWTHeaderParameters, { algorithms, types }: TokenRules): boolean {
  const { alg, typ, crit } = header as Record<string, unknown>
  const isTypeValid = typ === undefined || typeof typ === 'string'
  return (
    crit === undefined &&
    typeof alg === 'string' &&
    algorithms.includes(alg) &&
    isTypeValid &&
    types.includes(typ?.toLowerCase())
  )
}

/** Bits (RFC 7518, section 3.3). */
const SHORTEST_RSA = 2_048

/** jose bound the key to the header's algorithm, so the signature is checked by no other algorithm. */
function isSignatureValid(alg: string, key: CryptoKey, signed: string, signature: string): boolean {
  const { modulusLength = SHORTEST_RSA } = key.algorithm as { modulusLength?: number }
  if (modulusLength < SHORTEST_RSA) return false
  const family = alg.slice(0, 2)
  const hash = family === 'Ed' ? null : `sha${alg.slice(2)}`
  const parameters = PARAMETERS[family]
  const object = keyObjectOf(key)
  // Node is slower to read a key from an object, so the object is made only where it is needed.
  const by = parameters ? { key: object, ...parameters } : object
  return verify(hash, Buffer.from(signed), by, Buffer.from(signature, 'base64url'))
}

/** For the families whose parameters differ from Node's defaults. */
const PARAMETERS: Readonly<Record<string, object>> = {
  PS: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
  ES: { dsaEncoding: 'ieee-p1363' },
}

const keyObjects = new WeakMap<CryptoKey, KeyObject>()

function keyObjectOf(key: CryptoKey): KeyObject {
  const known = keyObjects.get(key)
  if (known) return known
  const made = KeyObject.from(key)
  keyObjects.set(key, made)
  return made
}

function areClaimsValid(now: number, claims: JWTPayload, rules: TokenRules): boolean {
  const { iss, aud, sub, exp, nbf } = claims
  const { issuer, audience, toleranceSeconds } = rules
  const isForUs = Array.isArray(aud) ? aud.includes(audience) : aud === audience
  const hasBegun = nbf === undefined || (typeof nbf === 'number' && nbf <= now + toleranceSeconds)
  const hasNotEnded = typeof exp === 'number' && exp > now - toleranceSeconds
  return iss === issuer && isForUs && sub !== undefined && hasBegun && hasNotEnded
}
