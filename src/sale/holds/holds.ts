import { liveValue } from '../../async/liveValue.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import * as sql from '../../sql/holds/index.ts'
import type { Admissions } from '../admission/admissions.ts'
import type { Account, Caller } from '../caller.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Clock } from '../clock.ts'
import { badInput } from '../faults.ts'
import { eventOf, isEventId } from '../ids.ts'
import { HoldInCheckout, HoldNotFound } from '../refusals.ts'
import type { Sales } from '../sales/sales.ts'
import { createAlternatives } from './alternatives.ts'
import { createHoldAttempts } from './holdAttempts.ts'
import { checkHoldInput, type HoldInput, type HoldSelection } from './holdInput.ts'
import { createHoldResults, type HoldRefusal } from './holdResult.ts'
import { type HoldView, toHoldView } from './holdView.ts'
import type { HoldOrigins } from './origins.ts'
import { createSoldOutCheck } from './soldOutCheck.ts'

export type { HoldRefusal } from './holdResult.ts'
export type { HoldItemView, HoldView } from './holdView.ts'

export interface Holds {
  /**
   * Holds all the seats or units that the input selects, or none. The same key and input return the same hold, as it
   * is now. Where the sale has a waiting room, the caller's admission token must be valid, and the admission's row
   * must still match it.
   *
   * A refusal as taken or as not enough is backed by a committed read.
   *
   * Throws BAD_USER_INPUT; IDEMPOTENCY_KEY_REUSED; REQUEST_IN_PROGRESS while another call of the account runs;
   * OVERLOADED where seats stay locked.
   */
  hold(caller: Caller & { account: Account }, input: HoldInput): Promise<HoldView | HoldRefusal>
  /**
   * Replaces a live hold by a new selection of the same event, in one step. Where the selection is refused, the old hold
   * stays with its seats. The new hold ends when the old one would have ended, and counts for the limits as any other.
   * HoldNotFound where the hold is over. Throws as `hold`.
   */
  exchange(
    caller: Caller & { account: Account },
    input: { holdId: string; idempotencyKey: string } & HoldSelection,
  ): Promise<HoldView | HoldRefusal | HoldNotFound | HoldInCheckout>
  /** Releases a hold, exactly once, and returns it; a hold that is over is returned as it is. */
  release(account: Pick<Account, 'id'>, holdId: string): Promise<HoldView | HoldNotFound | HoldInCheckout>
  /** The hold; null where there is none, or where it is another account's. */
  find(account: Account, holdId: string): Promise<HoldView | null>
  /** The holds that `find` returns, by id, in one round trip. */
  findMany(account: Account, holdIds: readonly string[]): Promise<Map<string, HoldView>>
  /** The holds with time left, the first to expire first. */
  active(account: Account, eventId?: string | null): Promise<HoldView[]>
  /** The hold now and after each change, until it is released or sold. Throws BAD_USER_INPUT where `find` returns null. */
  updates(account: Account, holdId: string): AsyncIterable<HoldView>
  /** Ends the holds of an event that have expired, and publishes their seats. Returns the number of holds. */
  sweep(eventId: string): Promise<number>
}

export interface HoldsDeps {
  db: Database
  catalogue: Catalogue
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
  sales: Pick<Sales, 'find'>
  admissions: Pick<Admissions, 'check'>
  origins: HoldOrigins
  clock: Pick<Clock, 'now'>
  hub: ChannelHub
  publish: Publish
}

const SWEEP_BATCH = 200
const BACKSTOP_MS = 30_000
const SHORTEST_WAIT_MS = 50
/** The clock of holds may be a second behind: prisma/functions/sale_clock.sql. */
const LATE_CLOCK_WAIT_MS = 250

export function createHolds(deps: HoldsDeps): Holds {
  const { db, catalogue, seatMap, sales, admissions, origins, clock, hub, publish } = deps
  const isSoldOut = createSoldOutCheck(db, sales)
  const attempts = createHoldAttempts(db, isSoldOut)
  const results = createHoldResults(createAlternatives(db), isSoldOut)

  function publishSeats(eventId: string, changes: SeatChange[]) {
    if (changes.length > 0) seatMap.publish(eventId, changes)
  }

  async function find(account: Account, holdId: string) {
    const eventId = eventOf('hld', holdId)
    const row = eventId && (await sql.readHold(db, eventId, holdId))
    return row && row.accountId === account.id ? toHoldView(eventId, row) : null
  }

  return {
    async hold(caller, input) {
      const { account } = caller
      // Until the database's clock has been read once, the check would go by this machine's own.
      await clock.now()
      const admission = admissions.check(caller, input.eventId)
      const { event, selection, idempotencyKey } = checkHoldInput(await catalogue.event(input.eventId), input)
      const answer = await attempts.attempt(selection, {
        eventId: event.id,
        accountId: account.id,
        idempotencyKey,
        admission,
        origin: origins.of(event.id, caller),
      })
      if (answer.outcome === 'held') publishSeats(event.id, answer.changes)
      return results.toResult(event, selection, answer)
    },

    async exchange(caller, { holdId, ...input }) {
      const eventId = eventOf('hld', holdId)
      const event = eventId ? await catalogue.event(eventId) : null
      if (!event) return new HoldNotFound()
      await clock.now()
      const admission = admissions.check(caller, event.id)
      const { selection, idempotencyKey } = checkHoldInput(event, { ...input, eventId: event.id })
      const { answer, freed } = await attempts.exchange(holdId, selection, {
        eventId: event.id,
        accountId: caller.account.id,
        idempotencyKey,
        admission,
        origin: origins.of(event.id, caller),
      })
      if (answer.outcome === 'hold_not_found') return new HoldNotFound()
      if (answer.outcome === 'in_checkout') return new HoldInCheckout(2)
      if (answer.outcome === 'held') {
        publishSeats(event.id, [...freed, ...answer.changes])
        publish(channels.hold(event.id, holdId), '')
      }
      return results.toResult(event, selection, answer)
    },

    async release(account, holdId) {
      const eventId = eventOf('hld', holdId)
      if (!eventId) return new HoldNotFound()
      const row = await sql.releaseHold(db, eventId, holdId, account.id)
      if (row.outcome === 'not_found') return new HoldNotFound()
      if (row.outcome === 'in_checkout') return new HoldInCheckout(2)
      publishSeats(eventId, row.changes)
      if (row.outcome === 'released') publish(channels.hold(eventId, holdId), '')
      return toHoldView(eventId, row)
    },

    find,

    async findMany(account, holdIds) {
      const ids = [...new Set(holdIds)].filter((id) => eventOf('hld', id) !== undefined)
      if (ids.length === 0) return new Map()
      const rows = await sql.readHolds(
        db,
        ids.map((id) => eventOf('hld', id) as string),
        ids,
      )
      return new Map(
        rows
          .filter((row) => row.accountId === account.id)
          .map((row) => [row.holdId, toHoldView(row.eventId, row)]),
      )
    },

    async active(account, eventId = null) {
      if (eventId !== null && !isEventId(eventId)) return []
      const rows = await sql.readActiveHolds(db, account.id, eventId)
      return rows.map((row) => toHoldView(row.eventId, row))
    },

    updates(account, holdId) {
      let lastSent: HoldView | undefined
      let lastRead: HoldView | undefined

      /** Reads again when the hold expires: no message is published at that moment. */
      function untilExpiry(): number {
        if (lastRead?.state !== 'ACTIVE') return BACKSTOP_MS
        const left = lastRead.expiresAt.getTime() - lastRead.asOf.getTime()
        if (left <= 0) return LATE_CLOCK_WAIT_MS
        return Math.min(Math.max(left + 1, SHORTEST_WAIT_MS), BACKSTOP_MS)
      }

      return liveValue<HoldView>({
        listen: (wake) => {
          const eventId = eventOf('hld', holdId)
          return eventId ? hub.listen(channels.hold(eventId, holdId), wake) : () => {}
        },
        async read() {
          const now = await find(account, holdId)
          if (!now) throw badInput({ path: ['id'], message: 'There is no such hold of this account.' })
          lastRead = now
          if (lastSent && !differs(lastSent, now)) return undefined
          lastSent = now
          return now
        },
        isLast: ({ state }) => state === 'RELEASED' || state === 'SOLD',
        backstopMs: untilExpiry,
      })
    },

    async sweep(eventId) {
      let total = 0
      for (;;) {
        const expired = await sql.expireHolds(db, eventId, SWEEP_BATCH)
        total += expired.length
        publishSeats(
          eventId,
          expired.flatMap(({ changes }) => changes),
        )
        for (const { holdId } of expired) publish(channels.hold(eventId, holdId), '')
        if (expired.length < SWEEP_BATCH) return total
      }
    },
  }
}

function differs(a: HoldView, b: HoldView): boolean {
  return a.state !== b.state || a.orderId !== b.orderId || a.expiresAt.getTime() !== b.expiresAt.getTime()
}
