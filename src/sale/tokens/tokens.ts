import { type BoundedCache, createBoundedCache } from '../../async/boundedCache.ts'
import type { Keys } from '../../keys.ts'
import { createMac } from './mac.ts'

/** What a queue token says: the place, and what it is bound to. It has no end; the place has. */
export interface QueueClaims {
  readonly eventId: string
  readonly accountId: string
  readonly device: Uint8Array<ArrayBuffer>
  /** The n-th to join; 0 where the sale had no waiting room and there is no place. */
  readonly arrival: number
}

/** What an admission token says. The row in the database has the last word. */
export interface AdmissionClaims extends QueueClaims {
  readonly place: number
  readonly expiresAt: Date
}

export interface Tokens {
  signQueueToken(claims: QueueClaims): string
  /** Null for every token that is not ours, whatever is wrong with it. */
  verifyQueueToken(token: string): QueueClaims | null
  /** A verified token as it is, or where its key signs no more, one of the key that does. */
  renewQueueToken(token: string, claims: QueueClaims): string
  signAdmissionToken(claims: AdmissionClaims): string
  /** Null for every token that is not ours or is over at `now`, whatever is wrong with it. */
  verifyAdmissionToken(token: string, now: Date): AdmissionClaims | null
}

const QUEUE = 'fairgate-queue+jwt'
const ADMISSION = 'fairgate-admission+jwt'

/** Ours have about 300 characters; an account's name may be long. */
const LONGEST = 2_000

interface Payload {
  evt: string
  sub: string
  dev: string
  arr: number
  plc?: number
  /** In seconds. */
  exp?: number
}

interface Signer {
  /** The header, encoded, and the dot after it. */
  readonly head: string
  readonly mac: (text: string) => string
}

/** What a ring signs and verifies with: the first signs. */
interface RingSigners {
  readonly ring: Keys['tokens']
  readonly queue: readonly [Signer, ...Signer[]]
  readonly admission: readonly [Signer, ...Signer[]]
  /**
   * Admissions that were found right. Those inside are few, and each looks at the map again and again; to remember the tokens of
   * all who wait cost more than it saved.
   */
  readonly checked: BoundedCache<string, AdmissionClaims>
}

/** Some 700 bytes each. */
const CHECKED = 10_000

/**
 * Queue and admission tokens: JWTs with HMAC-SHA-256. The first key of the ring signs, all of them verify, so that
 * keys rotate in the middle of a sale. The same claims give the same token as long as the key signs.
 *
 * Of a JWT's many forms there is one here: a key and a kind of token have one header, and a token has it byte for byte
 * or is not ours, so that nothing of what a stranger wrote is read before its signature is checked. That is why no
 * library does it: jose hops to a thread for HMAC (52 µs to sign, 59 to check), fast-jwt has neither a ring without
 * promises nor a clock that is not this machine's (10 and 11 µs); to check one here takes 4 to 6, once for every poll.
 */
export function createTokens(keys: Pick<Keys, 'tokens'>): Tokens {
  let known = signersOf(keys.tokens)

  /** The ring may be another one by now. */
  function signers(): RingSigners {
    if (known.ring !== keys.tokens) known = signersOf(keys.tokens)
    return known
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
      // Whole seconds, upward: the token never ends before the admission does.
      sign(signers().admission[0], {
        ...payloadOf(claims),
        plc: place,
        exp: Math.ceil(expiresAt.getTime() / 1_000),
      }),
    verifyAdmissionToken(token, now) {
      const { admission, checked } = signers()
      const before = checked.get(token)
      const claims = before ?? admissionOf(verify(admission, token))
      if (!claims || claims.expiresAt.getTime() <= now.getTime()) return null
      if (!before) checked.set(token, claims)
      return claims
    },
  }
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
    checked: createBoundedCache(CHECKED / 2),
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
 * As text: bits that decoding would drop make another token. It looks at every character, whichever differ, so that its time tells
 * nothing of them; Node's timingSafeEqual wants two Buffers, which took a third of the check.
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
