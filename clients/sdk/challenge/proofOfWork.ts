import { type Challenge, solveChallenge, solveChallengeWorkers } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'

/** More workers save a second at most and heat up a phone. */
const MOST_WORKERS = 4

/** Returns the answer to a challenge of ALTCHA; null if there is none. */
export async function solveProofOfWork(given: object, signal?: AbortSignal): Promise<string | null> {
  const { parameters, signature } = given as Challenge
  const controller = new AbortController()
  const stop = () => controller.abort()
  signal?.addEventListener('abort', stop, { once: true })
  try {
    const work = { challenge: { parameters, signature }, controller }
    const solution = await (typeof Worker === 'undefined'
      ? inThisThread(work)
      : inWorkers(work).catch(() => inThisThread(work)))
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

function inThisThread(work: Work) {
  return solveChallenge({ ...work, deriveKey })
}

function inWorkers(work: Work) {
  return solveChallengeWorkers({
    ...work,
    concurrency: Math.min(MOST_WORKERS, navigator.hardwareConcurrency || 1),
    createWorker: () => new Worker(new URL('./challengeWorker.ts', import.meta.url), { type: 'module' }),
  })
}
