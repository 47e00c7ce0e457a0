import { type BoundedCache, createBoundedCache } from '../../async/boundedCache.ts'
import type { Keys } from '../../keys.ts'
import { createMac } from './mac.ts'

/** A queue token's claims: the place, and what the place is bound to. The token does not expire; the place does. */
export interface QueueClaims {
  readonly eventId: string
  readonly accountId: string
  readonly device: Uint8Array<ArrayBuffer>
  /** The arrival index; 0 where the sale had no waiting room, so that there is no place. */
  readonly arrival: number
}

/** An admission token's claims. The row in the database decides whether the admission is still valid. */
export interface AdmissionClaims extends QueueClaims {
  readonly place: number
  readonly expiresAt: Date
}

export interface Tokens {
  signQueueToken(claims: QueueClaims): string
  /** Returns null for every token that this service did not sign, whatever is wrong with it. */
  verifyQueueToken(token: string): QueueClaims | null
  /** Returns a verified token unchanged; where its key no longer signs, a token with the same claims from the current key. */
  renewQueueToken(token: string, claims: QueueClaims): string
  signAdmissionToken(claims: AdmissionClaims): string
  /** Returns null for every token that this service did not sign or that has expired at `now`. */
  verifyAdmissionToken(token: string, now: Date): AdmissionClaims | null
}

const QUEUE = 'fairgate-queue+jwt'
const ADMISSION = 'fairgate-admission+jwt'

/** In characters. A token has about 300, but an account's name may be long. */
const LONGEST = 2_000

interface Payload {
  evt: string
  sub: string
  dev: string
  arr: number
  plc?: number
  /** In seconds since 1970. */
  exp?: number
}

interface Signer {
  /** The encoded header, and the dot after it. */
  readonly head: string
  readonly mac: (text: string) => string
}

/** A ring's signers. The first one signs; all of them verify. */
interface RingSigners {
  readonly ring: Keys['tokens']
  readonly queue: readonly [Signer, ...Signer[]]
  readonly admission: readonly [Signer, ...Signer[]]
  /**
   * Verified admission tokens. The admitted fans are few, and each reads the map often. A cache of all queue tokens cost
   * more than it saved.
   */
  readonly verified: BoundedCache<string, AdmissionClaims>
}

/** 10,000 at most, some 700 bytes each. */
const VERIFIED_AT_LEAST = 5_000

/**
 * Returns the signer and verifier of queue and admission tokens: JWTs with HMAC-SHA-256. The first key of the ring signs, and
 * all keys verify, so that keys can rotate during a sale. The same claims give the same token while the same key signs.
 *
 * The service accepts one form of JWT only: each key and kind of token has one header, and a token must start with exactly
 * those bytes. So the service parses nothing of a token before it has checked the signature.
 *
 * No library does that at this speed, and a token is verified at every poll (`bench/poll.ts`): jose uses another thread for
 * each HMAC; fast-jwt's key ring needs promises, and its clock is always this machine's.
 */
export function createTokens(keys: Pick<Keys, 'tokens'>): Tokens {
  let current = signersOf(keys.tokens)

  /** The signers of the ring as it is now. */
  function signers(): RingSigners {
    if (current.ring !== keys.tokens) current = signersOf(keys.tokens)
    return current
  }

  return {
    signQueueToken: (claims) => sign(signers().queue[0], payloadOf(claims)),
    verifyQueueToken(token) {
      const payload = verify(signers().queue, token)
      return payload && claimsOf(payload)
    },
    renewQueueToken(token, claims) {
      const [signer] = signers().queue
      return token.startsWith(signer.head) ? token : sign(signer, payloadOf(claims))
    },
    signAdmissionToken: ({ place, expiresAt, ...claims }) =>
      // Rounded up to whole seconds: the token never expires before the admission does.
      sign(signers().admission[0], {
        ...payloadOf(claims),
        plc: place,
        exp: Math.ceil(expiresAt.getTime() / 1_000),
      }),
    verifyAdmissionToken(token, now) {
      const { admission, verified } = signers()
      const before = verified.get(token)
      const claims = before ?? admissionOf(verify(admission, token))
      if (!claims || claims.expiresAt.getTime() <= now.getTime()) return null
      if (!before) verified.set(token, claims)
      return claims
    },
  }
}

/** The length of the longest header, in characters. The event is the first claim after it. */
const LONGEST_HEAD = 200
/** Base64 of `{"evt":"`, an event id of up to 36 characters, and more. */
const EVENT_CHARACTERS = 64
const EVENT_CLAIM = /^\{"evt":"(evt_[a-z0-9]{1,32})"/

/** Returns the event that a queue or admission token names; undefined for other texts. The token may be forged. */
export function eventNamedByToken(token: string): string | undefined {
  const from = token.startsWith('ey') ? token.indexOf('.') + 1 : 0
  if (from === 0 || from > LONGEST_HEAD) return undefined
  return EVENT_CLAIM.exec(
    Buffer.from(token.slice(from, from + EVENT_CHARACTERS), 'base64url').toString('latin1'),
  )?.[1]
}

function signersOf(ring: Keys['tokens']): RingSigners {
  const signers = (typ: string) => {
    const [first, ...others] = ring.map(({ kid, secret }) => ({
      head: `${encode({ alg: 'HS256', kid, typ })}.`,
      mac: createMac(secret, LONGEST),
    }))
    return [first as Signer, ...others] as const
  }
  return {
    ring,
    queue: signers(QUEUE),
    admission: signers(ADMISSION),
    verified: createBoundedCache(VERIFIED_AT_LEAST),
  }
}

function sign({ head, mac }: Signer, payload: Payload): string {
  const signed = head + encode(payload)
  return `${signed}.${mac(signed)}`
}

function verify(signers: readonly Signer[], token: string): Payload | null {
  if (token.length > LONGEST) return null
  const signer = signers.find(({ head }) => token.startsWith(head))
  const end = token.lastIndexOf('.')
  if (!signer || end < signer.head.length) return null
  if (!isSameText(token.slice(end + 1), signer.mac(token.slice(0, end)))) return null
  return JSON.parse(Buffer.from(token.slice(signer.head.length, end), 'base64url').toString()) as Payload
}

/**
 * Compares in constant time: it always reads every character, so that the time reveals nothing about the signature. It
 * compares text, because base64url ignores some bits: a token that differs only in those is another token. Node's
 * timingSafeEqual would need two Buffers, which took a third of the whole check.
 */
function isSameText(given: string, right: string): boolean {
  let differences = given.length ^ right.length
  for (let i = 0; i < right.length; i++) differences |= given.charCodeAt(i) ^ right.charCodeAt(i)
  return differences === 0
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

function payloadOf({ eventId, accountId, device, arrival }: QueueClaims): Payload {
  return { evt: eventId, sub: accountId, dev: Buffer.from(device).toString('base64url'), arr: arrival }
}

function claimsOf({ evt, sub, dev, arr }: Payload): QueueClaims {
  return { eventId: evt, accountId: sub, device: new Uint8Array(Buffer.from(dev, 'base64url')), arrival: arr }
}

function admissionOf(payload: Payload | null): AdmissionClaims | null {
  if (payload?.exp === undefined || payload.plc === undefined) return null
  return { ...claimsOf(payload), place: payload.plc, expiresAt: new Date(payload.exp * 1_000) }
}
