import { type Challenge, solveChallenge, solveChallengeWorkers } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'

/**
 * Finds the answer to the challenge of a `ChallengeRequired`, to be sent with the next join. Null where it cannot:
 * `kind` is another verifier's, or the platform lacks what the work needs.
 */
export type Solve = (challenge: { kind?: string }, signal?: AbortSignal) => Promise<string | null>

/** More would gain a second at most, and make a phone warm. */
const MOST_WORKERS = 4

/**
 * ALTCHA's proof of work: in web workers where there are any, so that a page stays as it is, else right here. Null
 * where a browser has no `crypto.subtle`, which it has in secure contexts only.
 */
export const solveAltcha: Solve = async (challenge, signal) => {
  if (challenge.kind !== 'altcha' || !globalThis.crypto?.subtle) return null
  const { parameters, signature } = challenge as Challenge & { kind: string }
  const controller = new AbortController()
  const stop = () => controller.abort()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const work = { challenge: { parameters, signature }, controller }
    const solution = await (typeof Worker === 'undefined'
      ? here(work)
      : inWorkers(work).catch(() => here(work)))
    signal?.throwIfAborted()
    return solution && btoa(JSON.stringify({ challenge: work.challenge, solution }))
  } finally {
    signal?.removeEventListener('abort', stop)
  }
}

interface Work {
  challenge: Challenge
  controller: AbortController
}

function here(work: Work) {
  return solveChallenge({ ...work, deriveKey })
}

function inWorkers(work: Work) {
  return solveChallengeWorkers({
    ...work,
    concurrency: Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 1),
    createWorker: () => new Worker(new URL('./challengeWorker.ts', import.meta.url), { type: 'module' }),
  })
}
