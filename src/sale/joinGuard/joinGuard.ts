import { hash } from 'node:crypto'
import type { SharedJoinGuard } from '../../redis/joinGuard.ts'
import type { Clock } from '../clock.ts'
import { tooManyJoins } from '../faults.ts'
import { ChallengeRequired } from '../refusals.ts'
import type { SaleView } from '../saleView.ts'
import { joinAttemptOf } from './joinAttempt.ts'
import { createLimits } from './joinLimits.ts'
import { createRecentVisitors, signalsOf } from './suspicion.ts'
import type { Bound, Verifier } from './verifier.ts'

/** Who wants to join. */
export interface Visitor {
  readonly accountId: string
  readonly accountDigest: Buffer
  readonly deviceId: string
  readonly deviceDigest: Uint8Array
  readonly address: string | null
  /** The answer to a challenge. */
  readonly answer: string | null
  /** Whether the account has a place that is not over. Asked for only where that decides. */
  hasPlace(): Promise<boolean>
}

/** Come in. */
export interface Entry {
  /** To be called once the place is journalled: the answer that let in, if one did, is spent. Throws nothing. */
  placeTaken(): Promise<void>
}

/** Stands before the line: how many may come at once, and who has to prove that no script does. */
export interface Door {
  /**
   * Whoever has a place already always may come in. An answer lets its account in until that has a place, so that
   * where no place was to be had nobody does the work again; one that is not right, for whatever reason, is answered
   * like none at all.
   *
   * Throws RATE_LIMITED; and where Redis is away while an answer is presented, what Redis throws: nobody joins then.
   */
  enter(sale: Pick<SaleView, 'eventId' | 'challenge'>, visitor: Visitor): Promise<ChallengeRequired | Entry>
}

export interface JoinGuardDeps {
  shared: SharedJoinGuard
  verifier: Verifier
  clock: Clock
}

export function createJoinGuard({ shared, verifier, clock }: JoinGuardDeps): Door {
  const limits = createLimits(shared)
  const acquaintance = createRecentVisitors()

  async function present(answer: string, bound: Bound, account: Buffer): Promise<Entry | null> {
    const right = await verifier.verify(answer, bound)
    if (!right) return null
    const { eventId } = bound
    const ms = right.expiresAt.getTime() - (await clock.now()).getTime()
    const digest = hash('sha256', right.id, 'base64url').slice(0, 22)
    const isGood = await shared.present(eventId, digest, account, Math.max(1, Math.ceil(ms)) + MARGIN_MS)
    if (!isGood) return null
    // Redis alone knows of it. Should that be lost before the answer runs out, then the same account may come with it again:
    // it finds the place that it has, and where it gave that up it is spared the work once more. Another account is not.
    return { placeTaken: () => shared.spend(eventId, digest).catch(() => {}) }
  }

  return {
    async enter({ eventId, challenge: mode }, visitor) {
      const { accountId, deviceId, answer } = visitor
      const arrival = joinAttemptOf(eventId, visitor.accountDigest, visitor.deviceDigest, visitor.address)
      const seconds = await limits.take(arrival)
      if (seconds > 0) {
        if (await visitor.hasPlace()) return FREE
        throw tooManyJoins(seconds)
      }
      if (mode === 'NEVER') return FREE
      const met = mode === 'SUSPICIOUS' ? acquaintance.meet(arrival) : null
      const bound = { eventId, accountId }
      const entry = answer ? await present(answer, bound, visitor.accountDigest) : null
      if (entry) return entry
      if (met && signalsOf({ ...met, ...limits.pace(arrival), deviceId }).length === 0) return FREE
      if (await visitor.hasPlace()) return FREE
      return new ChallengeRequired(await verifier.challenge(bound))
    },
  }
}

/** Without an answer. */
const FREE: Entry = { placeTaken: async () => {} }

/** Redis's clock and the database's need not run alike. */
const MARGIN_MS = 10_000
