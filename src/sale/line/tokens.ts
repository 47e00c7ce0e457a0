import { type JWTPayload, jwtVerify, SignJWT } from 'jose'
import type { Keys } from '../../keys.ts'

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
  signQueueToken(claims: QueueClaims): Promise<string>
  /** Null for every token that is not ours, whatever is wrong with it. */
  verifyQueueToken(token: string): Promise<QueueClaims | null>
  signAdmissionToken(claims: AdmissionClaims): Promise<string>
  /** Null for every token that is not ours or is over at `now`, whatever is wrong with it. */
  verifyAdmissionToken(token: string, now: Date): Promise<AdmissionClaims | null>
}

const QUEUE = 'fairgate-queue+jwt'
const ADMISSION = 'fairgate-admission+jwt'

/** Ours have about 300 characters; an account's name may be long. */
const LONGEST = 2_000

interface Payload extends JWTPayload {
  evt: string
  sub: string
  dev: string
  arr: number
  plc?: number
}

/**
 * Queue and admission tokens: JWTs with HMAC-SHA-256. The first key of the ring signs, all of them verify, so that
 * keys rotate in the middle of a sale. The same claims give the same token as long as the key signs.
 */
export function createTokens({ tokens: ring }: Pick<Keys, 'tokens'>): Tokens {
  // Imported once: jose would import the bytes anew for every token.
  const imported = new Map(
    ring.map(({ kid, secret }) => [
      kid,
      crypto.subtle.importKey('raw', new Uint8Array(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
        'sign',
        'verify',
      ]),
    ]),
  )
  const [{ kid: signer }] = ring

  async function sign(typ: string, payload: Payload): Promise<string> {
    const key = (await imported.get(signer)) as CryptoKey
    return new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid: signer, typ }).sign(key)
  }

  async function verify(typ: string, token: string, currentDate?: Date): Promise<Payload | null> {
    if (token.length > LONGEST) return null
    try {
      const { payload } = await jwtVerify<Payload>(
        token,
        async ({ kid }) => {
          const key = imported.get(kid ?? '')
          if (!key) throw new Error('no such key')
          return key
        },
        { algorithms: ['HS256'], typ, currentDate, requiredClaims: currentDate ? ['exp'] : [] },
      )
      return payload
    } catch {
      return null
    }
  }

  return {
    signQueueToken: (claims) => sign(QUEUE, payloadOf(claims)),
    async verifyQueueToken(token) {
      const payload = await verify(QUEUE, token)
      return payload && claimsOf(payload)
    },
    signAdmissionToken: ({ place, expiresAt, ...claims }) =>
      // Whole seconds, upward: the token never ends before the admission does.
      sign(ADMISSION, { ...payloadOf(claims), plc: place, exp: Math.ceil(expiresAt.getTime() / 1_000) }),
    async verifyAdmissionToken(token, now) {
      const payload = await verify(ADMISSION, token, now)
      if (!payload) return null
      return {
        ...claimsOf(payload),
        place: payload.plc as number,
        expiresAt: new Date((payload.exp as number) * 1_000),
      }
    },
  }
}

function payloadOf({ eventId, accountId, device, arrival }: QueueClaims): Payload {
  return { evt: eventId, sub: accountId, dev: Buffer.from(device).toString('base64url'), arr: arrival }
}

function claimsOf({ evt, sub, dev, arr }: Payload): QueueClaims {
  return { eventId: evt, accountId: sub, device: new Uint8Array(Buffer.from(dev, 'base64url')), arrival: arr }
}
