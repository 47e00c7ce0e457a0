/**
 * Returns the answer to the challenge of a `ChallengeRequired`; the next join sends it. Returns null if it cannot solve
 * the challenge: `kind` belongs to another verifier, or the platform lacks a needed API.
 */
export type Solve = (challenge: { kind?: string }, signal?: AbortSignal) => Promise<string | null>

/**
 * Solves ALTCHA's proof of work. It uses web workers where they exist, so that the page stays responsive; otherwise it
 * runs in this thread. Returns null without `crypto.subtle`, which browsers offer only in secure contexts. The code is loaded
 * for the first challenge: few sales have one.
 */
export const solveAltcha: Solve = async (challenge, signal) => {
  if (challenge.kind !== 'altcha' || !globalThis.crypto?.subtle) return null
  const { solveProofOfWork } = await import('./proofOfWork.ts')
  return solveProofOfWork(challenge, signal)
}
