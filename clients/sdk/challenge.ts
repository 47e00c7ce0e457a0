import { type Challenge, solveChallenge, solveChallengeWorkers } from 'altcha-lib'
import { deriveKey } from 'altcha-lib/algorithms/web/pbkdf2'

/**
 * Returns the answer to the challenge of a `ChallengeRequired`; the next join sends it. Returns null if it cannot solve
 * the challenge: `kind` belongs to another verifier, or the platform lacks a needed API.
 */
export type Solve = (challenge: { kind?: string }, signal?: AbortSignal) => Promise<string | null>

/** More workers save a second at most and heat up a phone. */
const MOST_WORKERS = 4

/**
 * Solves ALTCHA's proof of work. It uses web workers where they exist, so that the page stays responsive; otherwise it
 * runs in this thread. Returns null without `crypto.subtle`, which browsers offer only in secure contexts.
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
