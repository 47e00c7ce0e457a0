/** The account and event that a challenge is for. Its answer is valid for no other account and no other event. */
export interface ChallengeSubject {
  readonly eventId: string
  readonly accountId: string
}

export interface VerifiedAnswer {
  /** The same for every encoding of the same answer: an answer is good for one place. */
  readonly id: string
  /** From then on no answer to this challenge is valid, so the record that it was spent may expire too. */
  readonly expiresAt: Date
}

/**
 * A test that fans pass and that costs a script dearly: a proof of work, or a third party's judgement. `kind` in the
 * challenge says which solver the client needs.
 */
export interface Verifier {
  /** Returns what the solver needs. */
  challenge(subject: ChallengeSubject): Promise<{ readonly kind: string } & Readonly<Record<string, unknown>>>
  /** Returns null for every wrong answer, whatever is wrong with it. Throws where the verifier cannot decide now. */
  verify(answer: string, subject: ChallengeSubject): Promise<VerifiedAnswer | null>
}
