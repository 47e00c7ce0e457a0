import { hkdfSync, randomInt } from 'node:crypto'
import { type Challenge, createChallenge, type Solution, verifySolution } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2'
import type { Keys, SecretKey } from '../../keys.ts'
import type { Clock } from '../clock.ts'
import { accountDigest } from '../tokens/digests.ts'
import type { Verifier } from './verifier.ts'

/**
 * How much work it is: PBKDF2 with so many rounds, tried from 0 up to a number drawn from this range. Its ends bound
 * what an honest fan waits; a prefix alone (no number drawn) would let one in a hundred wait for five times the mean.
 *
 * One try took 0.21 ms in Chromium and 0.14 ms in Node on one core of an AMD EPYC with other work beside it: 0.6 to 1.3 s
 * for one worker, and about as long for four workers on cores a quarter as fast. Fewer rounds would gain little: of a try
 * in Chromium 0.085 ms is the call itself. The server makes one try for each challenge, and none to check an answer.
 */
const ROUNDS = 500
const TRIES = { least: 3_000, most: 6_000 } as const

/** For a phone with a bad connection that was put away for a moment. */
const SECONDS_TO_ANSWER = 300

/** Ours have about 1,000 characters. */
const LONGEST_ANSWER = 2_000

interface Secrets {
  readonly kid: string
  /** For the challenge's parameters. */
  readonly parameters: string
  /** For the key that its solver finds: an answer is checked without doing the work again. */
  readonly solution: string
}

/**
 * ALTCHA's proof of work (version 2, PBKDF2): nobody else is asked, nothing is stored in the browser, and every ALTCHA
 * solver solves it. Event, account and end stand in the signed parameters. The secrets are derived from the ring of the
 * tokens' keys, so they rotate with it, and a keys' file needs no ring more.
 */
export function createAltcha({ keys, clock }: { keys: Pick<Keys, 'tokens'>; clock: Clock }): Verifier {
  // A ring that has changed is another object.
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
        // Not as `expiresAt`, which the library holds against the machine's own clock.
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
      // Two HMACs and no work: the first over the parameters, the second over the key that was to be found.
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

function derive({ secret }: SecretKey, what: string): string {
  return Buffer.from(hkdfSync('sha256', secret, '', `fairgate challenge ${what}`, 32)).toString('base64url')
}

function boundTo(eventId: string, accountId: string): string {
  return accountDigest(eventId, accountId).toString('base64url')
}

/** What ALTCHA's solvers send: base64 of JSON. Null for anything else. */
function readAnswer(answer: string): { challenge: Challenge; solution: Solution } | null {
  if (answer.length > LONGEST_ANSWER) return null
  try {
    const { challenge, solution } = JSON.parse(Buffer.from(answer, 'base64').toString())
    const { parameters, signature } = challenge
    const isOurs =
      typeof parameters === 'object' &&
      typeof parameters?.data === 'object' &&
      // Without it the library would do the work again, to see whether the answer is right.
      typeof parameters.keySignature === 'string' &&
      typeof signature === 'string' &&
      typeof solution === 'object'
    return isOurs ? { challenge: { parameters, signature }, solution } : null
  } catch {
    return null
  }
}
