import { hkdfSync, randomInt } from 'node:crypto'
import { type Challenge, createChallenge, type Solution, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Keys, SecretKey } from '../../keys.ts'
import type { Clock } from '../clock.ts'
import { accountDigest } from '../tokens/digests.ts'
import type { Verifier } from './verifier.ts'

/**
 * The work of a challenge: PBKDF2 with this many rounds, tried with each number from 0 up to a number drawn from `TRIES`.
 * The ends of that range bound how long an honest fan waits: about one second. A challenge by prefix alone (no number
 * drawn) would make one fan in a hundred wait five times the mean.
 *
 * Fewer rounds for each try would save little, because a large part of a try in a browser is the call itself. The server
 * makes one try for each challenge, and none to check an answer.
 */
const ROUNDS = 500
const TRIES = { least: 3_000, most: 6_000 } as const

/** Long enough for a phone that has a bad connection, or that the fan puts away for a moment. */
const SECONDS_TO_ANSWER = 300

/** In characters. An answer to a challenge of this server has about 1,000. */
const LONGEST_ANSWER = 2_000

interface Secrets {
  readonly kid: string
  /** Signs the challenge's parameters. */
  readonly parameters: string
  /** Signs the key that the solver has to find. With it the server checks an answer without doing the work again. */
  readonly solution: string
}

/**
 * Returns a verifier for ALTCHA's proof of work (version 2, PBKDF2). It calls no third party and stores nothing in the
 * browser; every ALTCHA solver can solve it. The signed parameters contain event, account and end. The secrets are
 * derived from the tokens' key ring: they rotate with that ring, and the keys file needs no ring of its own for them.
 */
export function createAltcha({ keys, clock }: { keys: Pick<Keys, 'tokens'>; clock: Clock }): Verifier {
  // After a rotation the ring has new key objects, so no entry goes stale.
  const derived = new WeakMap<SecretKey, Secrets>()

  function secretsOf(key: SecretKey): Secrets {
    let secrets = derived.get(key)
    if (!secrets) {
      secrets = { kid: key.kid, parameters: derive(key, 'parameters'), solution: derive(key, 'solution') }
      derived.set(key, secrets)
    }
    return secrets
  }

  return {
    async challenge({ eventId, accountId }) {
      const { kid, parameters, solution } = secretsOf(keys.tokens[0])
      const end = (await clock.now()).getTime() / 1_000 + SECONDS_TO_ANSWER
      const challenge = await createChallenge({
        algorithm: 'PBKDF2/SHA-256',
        cost: ROUNDS,
        counter: randomInt(TRIES.least, TRIES.most + 1),
        deriveKey,
        // Not as `expiresAt`: the library compares that with this machine's clock, and the end is the database's time.
        data: { kid, bound: boundTo(eventId, accountId), end: Math.ceil(end) },
        hmacSignatureSecret: parameters,
        hmacKeySignatureSecret: solution,
      })
      return { kind: 'altcha', ...challenge }
    },

    async verify(answer, { eventId, accountId }) {
      const read = readAnswer(answer)
      if (!read) return null
      const { challenge, solution } = read
      const { kid, bound, end } = challenge.parameters.data ?? {}
      const key = keys.tokens.find((candidate) => candidate.kid === kid)
      if (!key || bound !== boundTo(eventId, accountId) || typeof end !== 'number') return null
      const expiresAt = new Date(end * 1_000)
      if (expiresAt <= (await clock.now())) return null
      const secrets = secretsOf(key)
      // Two HMACs and no proof of work: one over the parameters, one over the key that the solver had to find.
      const { verified } = await verifySolution({
        challenge,
        solution,
        deriveKey,
        hmacSignatureSecret: secrets.parameters,
        hmacKeySignatureSecret: secrets.solution,
      })
      return verified ? { id: challenge.signature as string, expiresAt } : null
    },
  }
}

function derive({ secret }: SecretKey, purpose: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', `fairgate challenge ${purpose}`, 32)).toString(
    'base64url',
  )
}

function boundTo(eventId: string, accountId: string): string {
  return accountDigest(eventId, accountId).toString('base64url')
}

/** Decodes what ALTCHA's solvers send: base64 of JSON. Null for anything else. */
function readAnswer(answer: string): { challenge: Challenge; solution: Solution } | null {
  if (answer.length > LONGEST_ANSWER) return null
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(answer, 'base64').toString())
    const { parameters, signature } = challenge
    const isWellFormed =
      typeof parameters === 'object' &&
      typeof parameters?.data === 'object' &&
      // Without this signature the library would do the work again to check the answer.
      typeof parameters.keySignature === 'string' &&
      typeof signature === 'string' &&
      typeof solution === 'object'
    return isWellFormed ? { challenge: { parameters, signature }, solution } : null
  } catch {
    return null
  }
}
