import type { SharedJoinGuard } from '../../redis/joinGuard.ts'
import { tooManyJoins } from '../faults.ts'
import { besides, createCountMinSketch } from './countMinSketch.ts'
import type { Arrival, Counted } from './joinAttempt.ts'

/** Counts of the last minute, in this process. */
export interface Pace {
  /** Joins that the account has asked for, answered or not. */
  readonly callsOfAccount: number
  readonly accountsOfAddress: number
}

export interface Limits {
  /**
   * Counts an arrival. 0: it is within its limits; else seconds until it is again. Those who have their place already
   * are none of the limits' business, which whoever calls this must look at.
   *
   * Throws RATE_LIMITED at a pace that no place excuses.
   */
  take(arrival: Arrival): number | Promise<number>
  pace(arrival: Arrival): Pace
}

const WINDOW_MS = 60_000

/** Calls in a minute. A page that is reloaded as fast as it loads makes some thirty, and a few tabs may do so at once. */
const MOST_CALLS = 300

/**
 * In a minute, of one event.
 *
 * - account: joining again after a lost answer, a challenge or a lapsed turn takes two or three calls; and whoever is told to
 *   come back while the room's stores are away calls some fourteen times a minute, and is to be let in as soon as they are back.
 * - device: accounts on it. A family shares a tablet; a shop that signs its customers up sees one every few seconds.
 * - address: accounts from it. Hundreds of honest fans come from one address of a campus, a stadium or a carrier's NAT (RFC 6269,
 *   section 13.1, on limits by address), and they come together when the line opens. So this one bounds what one machine can do, and
 *   no more: with 600 accounts that were verified one by one it is not stopped, it is slowed.
 */
export const LIMITS = { account: 20, device: 10, address: 600 } as const

type Kind = keyof typeof LIMITS

/**
 * What each process lets through without asking the others: a burst of accounts that have nothing in common costs no
 * store anything. So processes together let through a quarter each beyond the limit, at most.
 */
const OWN_SHARE = 1 / 4

/**
 * Limits on joining, which hold in each process by themselves; near the limit all processes count together. The whole
 * door takes 5 to 9 µs of CPU a join. rate-limiter-flexible, measured beside it with its limiters in memory, took 11 to 15
 * for the three counts and 450 bytes a key without a bound; with its limiters in Redis every join would ask for three keys.
 */
export function createLimits(shared: Pick<SharedJoinGuard, 'count'>, now?: () => number): Limits {
  const minute = createCountMinSketch(WINDOW_MS, now)

  const freeOf = (kind: Kind) => Math.ceil(LIMITS[kind] * OWN_SHARE)

  /** Milliseconds to wait; 0 also while Redis is away, when this process's own limit is all there is. */
  function ask(eventId: string, kind: Kind, { digest }: Counted): Promise<number> {
    const limit = LIMITS[kind] - freeOf(kind)
    return shared
      .count(eventId, `${kind}:${Buffer.from(digest).toString('base64url')}`, limit, WINDOW_MS)
      .catch(() => 0)
  }

  return {
    take({ eventId, account, device, address }) {
      const calls = minute.add(account.key)
      if (calls > MOST_CALLS) throw tooManyJoins(minute.secondsUntilBelow(account.key, MOST_CALLS))
      if (calls > LIMITS.account) return minute.secondsUntilBelow(account.key, LIMITS.account)
      const asking = calls > freeOf('account') ? [ask(eventId, 'account', account)] : []
      // An account counts once at its device and its address: who asks again, answers a challenge or reloads the page
      // takes nothing from those who share them.
      const seen = besides(account.key)
      const isNew = minute.count(seen) < 1
      if (isNew) {
        const shares: [Kind, Counted][] = [['device', device]]
        if (address) shares.push(['address', address])
        for (const [kind, { key }] of shares)
          if (minute.count(key) + 1 > LIMITS[kind]) return minute.secondsUntilBelow(key, LIMITS[kind])
        for (const [kind, counted] of shares)
          if (minute.add(counted.key) > freeOf(kind)) asking.push(ask(eventId, kind, counted))
      }
      if (asking.length === 0) {
        if (isNew) minute.add(seen)
        return 0
      }
      return Promise.all(asking).then((waits) => {
        const wait = Math.max(...waits)
        if (wait === 0 && isNew) minute.add(seen)
        return Math.ceil(wait / 1_000)
      })
    },

    pace: ({ account, address }) => ({
      callsOfAccount: minute.count(account.key),
      accountsOfAddress: address ? minute.count(address.key) : 0,
    }),
  }
}
