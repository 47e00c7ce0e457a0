import type { SharedJoinGuard } from '../../redis/joinGuard.ts'
import { tooManyJoins } from '../faults.ts'
import { createCountMinSketch, independentKey } from './countMinSketch.ts'
import type { JoinAttempt, JoinSource } from './joinAttempt.ts'

/** Counts of the last minute, in this process. */
export interface MinuteCounts {
  /** Join calls of the account, whatever the server replied to them. */
  readonly callsOfAccount: number
  readonly accountsOfAddress: number
}

export interface JoinLimits {
  /**
   * Counts an attempt. Returns 0 where it is within the limits, else the seconds until the next attempt may be. The limits
   * do not apply to an account that has its place already: the caller has to check that.
   *
   * Throws RATE_LIMITED where the account calls so often that not even a place excuses it.
   */
  count(attempt: JoinAttempt): number | Promise<number>
  countsOf(attempt: JoinAttempt): MinuteCounts
}

const WINDOW_MS = 60_000

/** Calls in a minute. A page that reloads as fast as it can makes some thirty, and a fan may have several such tabs. */
const MOST_CALLS = 300

/**
 * In a minute, for one event.
 *
 * - account: calls. A fan who joins again after a lost reply, a challenge or a lapsed turn makes two or three calls. A client
 *   that retries while the room's stores are away makes some fourteen, and must succeed as soon as the stores are back.
 * - device: accounts on it. A family shares a tablet; a shop that signs up its customers has a new account every few seconds.
 * - address: accounts from it. Hundreds of honest fans share the address of a campus, a stadium or a carrier's NAT (RFC 6269,
 *   section 13.1, on limits by address), and they join together when the line opens. So this limit only bounds what one
 *   machine can do. It slows an attacker with 600 verified accounts; it does not stop them.
 */
export const LIMITS = { account: 20, device: 10, address: 600 } as const

type Kind = keyof typeof LIMITS

/**
 * The share of a limit that each process permits without Redis, so that a burst of unrelated accounts costs no store a
 * command. In return, all processes together may exceed a limit by at most a quarter of it for each process.
 */
const OWN_SHARE = 1 / 4

/**
 * Returns limits on joining. Each process counts by itself; near a limit all processes count together in Redis.
 *
 * rate-limiter-flexible was measured beside this guard: with its limiters in memory it took more processor time for the three
 * counts, and memory without a bound; with its limiters in Redis every join would need three keys.
 */
export function createJoinLimits(shared: Pick<SharedJoinGuard, 'countJoin'>, now?: () => number): JoinLimits {
  const minute = createCountMinSketch(WINDOW_MS, now)

  const ownLimit = (kind: Kind) => Math.ceil(LIMITS[kind] * OWN_SHARE)

  /** Milliseconds to wait. 0 while Redis is away: then only this process's own limit applies. */
  function countTogether(eventId: string, kind: Kind, { digest }: JoinSource): Promise<number> {
    const limit = LIMITS[kind] - ownLimit(kind)
    return shared
      .countJoin(eventId, `${kind}:${Buffer.from(digest).toString('base64url')}`, limit, WINDOW_MS)
      .catch(() => 0)
  }

  return {
    count({ eventId, account, device, address }) {
      const calls = minute.add(account.key)
      if (calls > MOST_CALLS) throw tooManyJoins(minute.secondsUntilBelow(account.key, MOST_CALLS))
      if (calls > LIMITS.account) return minute.secondsUntilBelow(account.key, LIMITS.account)
      const sharedWaits = calls > ownLimit('account') ? [countTogether(eventId, 'account', account)] : []
      // An account counts once at its device and at its address: a retry, an answer to a challenge or a reload uses up
      // nothing of what other accounts share with it.
      const seen = independentKey(account.key)
      const isNew = minute.count(seen) < 1
      if (isNew) {
        const sources: [Kind, JoinSource][] = [['device', device]]
        if (address) sources.push(['address', address])
        for (const [kind, { key }] of sources)
          if (minute.count(key) + 1 > LIMITS[kind]) return minute.secondsUntilBelow(key, LIMITS[kind])
        for (const [kind, source] of sources)
          if (minute.add(source.key) > ownLimit(kind)) sharedWaits.push(countTogether(eventId, kind, source))
      }
      if (sharedWaits.length === 0) {
        if (isNew) minute.add(seen)
        return 0
      }
      return Promise.all(sharedWaits).then((waits) => {
        const wait = Math.max(...waits)
        if (wait === 0 && isNew) minute.add(seen)
        return Math.ceil(wait / 1_000)
      })
    },

    countsOf: ({ account, address }) => ({
      callsOfAccount: minute.count(account.key),
      accountsOfAddress: address ? minute.count(address.key) : 0,
    }),
  }
}
