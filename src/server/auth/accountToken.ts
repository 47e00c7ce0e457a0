import { constants, KeyObject, verify } from 'node:crypto'
import type { CryptoKey, JWTHeaderParameters, JWTPayload, JWTVerifyGetKey } from 'jose'
import { Fault } from '../../sale/faults.ts'
import { isAccountId, valueAt } from './claims.ts'

/** The rules for a valid account token, besides its signature. */
export interface TokenRules {
  readonly algorithms: readonly string[]
  readonly issuer: string
  readonly audience: string
  /** The path of the claim that names the audience: see claims.ts. */
  readonly audienceClaim: string
  /** The accepted values of the header's `typ`, in lower case; undefined accepts a header without one. */
  readonly types: readonly (string | undefined)[]
  readonly toleranceSeconds: number
  /** Finds the key for the header's algorithm; throws where there is none. */
  readonly keyOf: JWTVerifyGetKey
}

/** Why a token is refused: a part of it, or the name of a claim. */
export type TokenFault = 'form' | 'key' | 'signature' | 'iss' | 'aud' | 'sub' | 'nbf' | 'exp'

export interface RefusedToken {
  readonly fault: TokenFault
  /** False: any caller may have written the token. */
  readonly isSigned: boolean
  /** The value of the claim, or the name of the key. */
  readonly value?: unknown
}

/**
 * Returns the claims of a JWT that is valid by these rules at `now`, or why it is not. Throws a Fault that `keyOf` throws, where all
 * else is right.
 *
 * jose finds and imports the keys. Node's synchronous `verify` checks the signature: jose uses Web Crypto, which moves the work to
 * another thread and takes twice as much processor time, half of it on the event loop.
 */
export async function readToken(
  token: string,
  now: Date,
  rules: TokenRules,
): Promise<{ claims: JWTPayload } | RefusedToken> {
  const [head = '', body = '', signature = '', ...more] = token.split('.')
  const header = decode(head) as JWTHeaderParameters | null
  const claims = decode(body)
  if (!header || !claims || more.length > 0 || !isHeaderValid(header, rules))
    return { fault: 'form', isSigned: false }
  const fault = faultOf(Math.floor(now.getTime() / 1_000), claims, rules)
  let isSigned: boolean
  try {
    const key = await rules.keyOf(header, { protected: head, payload: body, signature })
    isSigned = isSignatureValid(header.alg, key as CryptoKey, `${head}.${body}`, signature)
  } catch (error) {
    if (fault) return { ...fault, isSigned: false }
    if (error instanceof Fault) throw error
    return { fault: 'key', isSigned: false, value: header.kid }
  }
  if (fault) return { ...fault, isSigned }
  return isSigned ? { claims } : { fault: 'signature', isSigned }
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

function faultOf(
  now: number,
  claims: JWTPayload,
  rules: TokenRules,
): { fault: TokenFault; value?: unknown } | null {
  const { iss, sub, exp, nbf } = claims
  const { issuer, audience, toleranceSeconds } = rules
  const aud = valueAt(claims, rules.audienceClaim)
  const isForUs = Array.isArray(aud) ? aud.includes(audience) : aud === audience
  const hasBegun = nbf === undefined || (typeof nbf === 'number' && nbf <= now + toleranceSeconds)
  const hasNotEnded = typeof exp === 'number' && exp > now - toleranceSeconds
  if (iss !== issuer) return { fault: 'iss', value: iss }
  if (!isForUs) return { fault: 'aud', value: aud }
  if (typeof sub !== 'string' || !isAccountId(sub)) return { fault: 'sub' }
  if (!hasBegun) return { fault: 'nbf', value: nbf }
  return hasNotEnded ? null : { fault: 'exp', value: exp }
}
