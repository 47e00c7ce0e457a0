import { hash } from 'node:crypto'
import type { SharedJoinGuard } from '../../redis/joinGuard.ts'
import type { Clock } from '../clock.ts'
import { tooManyJoins } from '../faults.ts'
import { ChallengeRequired } from '../refusals.ts'
import type { SaleView } from '../saleView.ts'
import { joinAttemptOf } from './joinAttempt.ts'
import { createJoinLimits } from './joinLimits.ts'
import { createRecentVisitors, signalsOf } from './suspicion.ts'
import type { ChallengeSubject, Verifier } from './verifier.ts'

export interface JoinRequest {
  readonly accountId: string
  readonly accountDigest: Buffer
  readonly deviceId: string
  readonly deviceDigest: Uint8Array
  readonly address: string | null
  /** The answer to a challenge. */
  readonly answer: string | null
  /** True where the account has a place that is not over. Called only where that decides. */
  hasPlace(): Promise<boolean>
}

/** The guard lets the account join. */
export interface JoinPermission {
  /** Spends the answer that the account joined with, if any. Call it once the place is journalled. Never throws. */
  placeTaken(): Promise<void>
}

/** Stands before the line: limits how often fans join, and requires a challenge's answer where a script may be joining. */
export interface JoinGuard {
  /**
   * Returns the permission to join, or the challenge that the client has to answer first.
   *
   * An account that has a place is always permitted. An answer permits its account until the account has its place: where
   * no place could be taken, the fan does not do the work again. A wrong answer, whatever is wrong with it, counts as none.
   *
   * Throws RATE_LIMITED. While Redis is away, throws Redis's error if the request has an answer: no fan joins then.
   */
  check(
    sale: Pick<SaleView, 'eventId' | 'challenge'>,
    request: JoinRequest,
  ): Promise<ChallengeRequired | JoinPermission>
}

export interface JoinGuardDeps {
  shared: SharedJoinGuard
  verifier: Verifier
  clock: Clock
}

export function createJoinGuard({ shared, verifier, clock }: JoinGuardDeps): JoinGuard {
  const limits = createJoinLimits(shared)
  const recentVisitors = createRecentVisitors()

  /** Null where the answer is wrong, spent, or claimed by another account. */
  async function redeem(
    answer: string,
    subject: ChallengeSubject,
    account: Buffer,
  ): Promise<JoinPermission | null> {
    const verified = await verifier.verify(answer, subject)
    if (!verified) return null
    const { eventId } = subject
    const ms = verified.expiresAt.getTime() - (await clock.now()).getTime()
    const digest = hash('sha256', verified.id, 'base64url').slice(0, 22)
    const claimed = await shared.claimAnswer(
      eventId,
      digest,
      account,
      Math.max(1, Math.ceil(ms)) + CLOCK_MARGIN_MS,
    )
    if (!claimed) return null
    // The claim is stored in Redis only. If Redis loses it before the answer expires, the same account may use the answer
    // again: it gets the place that it has, or, if it has left the line, skips the work once. Another account cannot use it.
    return { placeTaken: () => shared.spendAnswer(eventId, digest).catch(() => {}) }
  }

  return {
    async check({ eventId, challenge: mode }, request) {
      const { accountId, deviceId, answer } = request
      const attempt = joinAttemptOf(eventId, request.accountDigest, request.deviceDigest, request.address)
      const seconds = await limits.count(attempt)
      if (seconds > 0) {
        if (await request.hasPlace()) return WITHOUT_ANSWER
        throw tooManyJoins(seconds)
      }
      if (mode === 'NEVER') return WITHOUT_ANSWER
      const visits = mode === 'SUSPICIOUS' ? recentVisitors.record(attempt) : null
      const subject = { eventId, accountId }
      const permission = answer ? await redeem(answer, subject, request.accountDigest) : null
      if (permission) return permission
      if (visits && signalsOf({ ...visits, ...limits.countsOf(attempt), deviceId }).length === 0)
        return WITHOUT_ANSWER
      if (await request.hasPlace()) return WITHOUT_ANSWER
      return new ChallengeRequired(await verifier.challenge(subject))
    },
  }
}

/** There is no answer to spend. */
const WITHOUT_ANSWER: JoinPermission = { placeTaken: async () => {} }

/** The clocks of Redis and of the database may differ. */
const CLOCK_MARGIN_MS = 10_000
