import type { MaybePromise } from '../../../async/maybePromise.ts'
import { Fault } from '../../../sale/faults.ts'
import type { Class, Limits } from '../../graphql/priority.ts'
import { createFairShare } from './fairShare.ts'

/** The classes whose operations wait for a payment provider or for locks of rows. A fan has one or two of them under way. */
const SHARED: readonly Class[] = ['checkout', 'holds']
/** The most slots of a class that one account has at once. */
const MOST = 8

/**
 * Bounds the slots of a class that the operations of one account have at once. As the slots fill up, the share of one account
 * shrinks: see fairShare.ts.
 */
export interface AccountShares {
  /** Runs work that has a slot of the class. Throws RATE_LIMITED where the account has too many already. */
  run<T>(inClass: Class, accountId: string | null, work: () => MaybePromise<T>): MaybePromise<T>
}

export function createAccountShares(
  limits: Readonly<Record<Class, Pick<Limits, 'running'>>>,
  onRefused: () => void,
): AccountShares {
  const shares = new Map(
    SHARED.map((of) => [of, createFairShare({ perClient: MOST, inAll: limits[of].running })]),
  )

  return {
    run(inClass, accountId, work) {
      const share = shares.get(inClass)
      if (!share || accountId === null) return work()
      if (share.refusalOf(accountId) === 'client') {
        onRefused()
        throw new Fault('RATE_LIMITED', 'Too many requests of this account are under way.', {
          retryAfterSeconds: 1,
        })
      }
      share.enter(accountId)
      const leave = () => share.leave(accountId)
      try {
        const done = work()
        if (done instanceof Promise) return done.finally(leave)
        leave()
        return done
      } catch (error) {
        leave()
        throw error
      }
    },
  }
}
