import { hash } from 'node:crypto'
import type { SharedDoor } from '../../../redis/door.ts'
import type { Clock } from '../../clock.ts'
import { tooManyJoins } from '../../faults.ts'
import { ChallengeRequired } from '../../refusals.ts'
import type { SaleView } from '../../sales.ts'
import type { Bound, Verifier } from '../challenge/verifier.ts'
import { arrivalOf } from './arrival.ts'
import { createLimits } from './limits.ts'
import { createAcquaintance, signalsOf } from './suspicion.ts'

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

/** Stands before the line: how many may come at once, and who has to prove that no script does. */
export interface Door {
  /**
   * Null: come in. Whoever has a place already always may. An answer lets in once, whoever else sends it at the same
   * time; one that is not right, for whatever reason, is answered like none at all.
   *
   * Throws RATE_LIMITED; and where Redis is away while an answer is to be spent, what Redis throws: nobody joins then.
   */
  enter(sale: Pick<SaleView, 'eventId' | 'challenge'>, visitor: Visitor): Promise<ChallengeRequired | null>
}

export interface DoorDeps {
  shared: SharedDoor
  verifier: Verifier
  clock: Clock
}

export function createDoor({ shared, verifier, clock }: DoorDeps): Door {
  const limits = createLimits(shared)
  const acquaintance = createAcquaintance()

  /** True for one call only. */
  async function redeem(answer: string, bound: Bound): Promise<boolean> {
    const right = await verifier.verify(answer, bound)
    if (!right) return false
    const ms = right.expiresAt.getTime() - (await clock.now()).getTime()
    const digest = hash('sha256', right.id, 'base64url').slice(0, 22)
    return shared.spend(bound.eventId, digest, Math.max(1, Math.ceil(ms)) + MARGIN_MS)
  }

  return {
    async enter({ eventId, challenge: mode }, visitor) {
      const { accountId, deviceId, answer } = visitor
      const arrival = arrivalOf(eventId, visitor.accountDigest, visitor.deviceDigest, visitor.address)
      const seconds = await limits.take(arrival)
      if (seconds > 0) {
        if (await visitor.hasPlace()) return null
        throw tooManyJoins(seconds)
      }
      if (mode === 'NEVER') return null
      const met = mode === 'SUSPICIOUS' ? acquaintance.meet(arrival) : null
      const bound = { eventId, accountId }
      if (answer && (await redeem(answer, bound))) return null
      if (met && signalsOf({ ...met, ...limits.pace(arrival), deviceId }).length === 0) return null
      if (await visitor.hasPlace()) return null
      return new ChallengeRequired(await verifier.challenge(bound))
    },
  }
}

/** Redis's clock and the database's need not run alike. */
const MARGIN_MS = 10_000
