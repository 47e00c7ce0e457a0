/** Whom a challenge is for: its answer is good for nobody else, and nowhere else. */
export interface Bound {
  readonly eventId: string
  readonly accountId: string
}

export interface RightAnswer {
  /** The same for the same answer, whatever its spelling: it is good for one place. */
  readonly id: string
  /** From then on no answer to this challenge is right, so that nobody need remember that it was spent. */
  readonly expiresAt: Date
}

/**
 * Something that people pass and scripts find dear: a proof of work, or somebody else's judgement. `kind` in the
 * challenge tells a client which solver it needs.
 */
export interface Verifier {
  /** What the solver needs. */
  challenge(bound: Bound): Promise<{ readonly kind: string } & Readonly<Record<string, unknown>>>
  /** Null for every answer that is not right, whatever is wrong with it. Throws where it cannot be told now. */
  verify(answer: string, bound: Bound): Promise<RightAnswer | null>
}
