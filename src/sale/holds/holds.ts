import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database.ts'
import * as sql from '../../sql/holds.ts'
import type { Account, Caller } from '../caller.ts'
import { changes } from '../changes.ts'
import type { Catalogue } from '../events/catalogue.ts'
import { badInput, idempotencyKeyReused, overloaded, requestInProgress } from '../faults.ts'
import { eventOf, isEventId, newId } from '../ids.ts'
import { AVAILABLE, HELD, type SeatChange, type SeatStatus } from '../map/seatStatus.ts'
import {
  AdmissionRequired,
  HoldInCheckout,
  HoldNotFound,
  SaleNotOpen,
  SaleOver,
  SalePaused,
  SeatsTaken,
  secondsUntil,
  TicketLimitReached,
  TooManyHolds,
} from '../refusals.ts'
import { checkHoldInput, type HoldInput, SEATS_PATH } from './holdInput.ts'
import { type HoldView, toHoldView } from './holdView.ts'

export type { HoldItemView, HoldView } from './holdView.ts'

export type HoldRefusal =
  | SeatsTaken
  | TicketLimitReached
  | TooManyHolds
  | AdmissionRequired
  | SaleNotOpen
  | SalePaused
  | SaleOver

export interface Holds {
  /**
   * Holds the named seats, all or none. The same key and input give the same hold, read afresh. `admission`
   * is the one whose token was checked; its row is read again where the sale has a waiting room.
   *
   * Throws BAD_USER_INPUT, IDEMPOTENCY_KEY_REUSED, REQUEST_IN_PROGRESS while another call of the account
   * runs on, OVERLOADED where seats stay locked.
   */
  hold(
    caller: Caller & { account: Account },
    admission: sql.ShownAdmission | null,
    input: HoldInput,
  ): Promise<HoldView | HoldRefusal>
  /** Ends a hold once; a hold that is over is returned as it is. */
  release(account: Account, holdId: string): Promise<HoldView | HoldNotFound | HoldInCheckout>
  /** Null for nobody's hold and for somebody else's. */
  find(account: Account, holdId: string): Promise<HoldView | null>
  /** Several at once, by id: what `find` says of each, in one round trip. */
  findMany(account: Account, holdIds: readonly string[]): Promise<Map<string, HoldView>>
  /** Those with time left, the first to run out first. */
  active(account: Account, eventId?: string | null): Promise<HoldView[]>
  /** The hold now, then what changes, until it is released or sold. Throws BAD_USER_INPUT where `find` says null. */
  updates(account: Account, holdId: string): AsyncIterable<HoldView>
  /** Tidies the holds of an event that ran out, and tells the map. Returns how many. */
  sweep(eventId: string): Promise<number>
}

export interface HoldsDeps {
  db: Database
  catalogue: Catalogue
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
  hub: ChannelHub
  publish: Publish
}

/** An account's other call is over within milliseconds: five times, 5–20 ms apart, then it is told to wait. */
const BUSY_RETRIES = 5
/** Whoever locked a seat decides within milliseconds. Some calls look again, then one waits for the lock. */
const MISSES_BEFORE_WAITING = 3
const MOST_MISSES = 6

const SWEEP_BATCH = 200
const BACKSTOP_MS = 30_000
const SHORTEST_WAIT_MS = 50

export function createHolds({ db, catalogue, seatMap, hub, publish }: HoldsDeps): Holds {
  async function holdSeats(input: Omit<sql.HoldSeatsInput, 'holdId' | 'wait'>): Promise<HoldVerdict> {
    let busy = 0
    let missed = 0
    for (;;) {
      const row = await sql.holdSeats(db, {
        ...input,
        holdId: newId('hld', input.eventId),
        wait: missed >= MISSES_BEFORE_WAITING,
      })
      if (row.outcome === 'busy') {
        if (++busy > BUSY_RETRIES) throw requestInProgress()
      } else if (row.outcome === 'locked' || row.outcome === 'missed') {
        if (row.outcome === 'locked' || ++missed === MOST_MISSES) throw overloaded(1)
      } else {
        return row
      }
      await sleep(5 + 15 * Math.random())
    }
  }

  function tellMap(
    eventId: string,
    seatNos: number[] | null,
    status: SeatStatus,
    revisions: number[] | null,
  ) {
    if (!seatNos || !revisions) return
    seatMap.publish(
      eventId,
      seatNos.map((seatNo, i) => ({ seatNo, status, revision: revisions[i] as number })),
    )
  }

  async function find(account: Account, holdId: string) {
    const eventId = eventOf('hld', holdId)
    const row = eventId && (await sql.readHold(db, eventId, holdId))
    return row && row.account_id === account.id ? toHoldView(eventId, row) : null
  }

  return {
    async hold({ account }, admission, input) {
      const { event, seatNos } = checkHoldInput(await catalogue.event(input.eventId), input)
      const row = await holdSeats({
        eventId: event.id,
        accountId: account.id,
        idempotencyKey: input.idempotencyKey,
        inputHash: createHash('sha256').update(`seats ${seatNos}`).digest('base64url'),
        seatNos,
        admission,
      })
      switch (row.outcome) {
        case 'held':
          tellMap(event.id, row.seat_nos, HELD, row.revisions)
          return toHoldView(event.id, row)
        case 'known':
          return toHoldView(event.id, row)
        case 'taken':
          return new SeatsTaken(row.taken.map(event.seatId), [], secondsUntil(row.retry_at, row.as_of))
        case 'ticket_limit':
          return new TicketLimitReached(row.ticket_limit, row.used, secondsUntil(row.retry_at, row.as_of))
        case 'too_many_holds':
          return new TooManyHolds(secondsUntil(row.retry_at, row.as_of))
        case 'not_open':
          return new SaleNotOpen(row.retry_at, secondsUntil(row.retry_at, row.as_of))
        case 'paused':
          return new SalePaused(jitteredPause())
        case 'ended':
          return new SaleOver('ENDED')
        case 'admission_required':
          return new AdmissionRequired()
        case 'key_reused':
          throw idempotencyKeyReused()
        case 'no_seat_picking':
          throw badInput({
            path: [...SEATS_PATH],
            message: 'This sale takes sections and quantities only, no named seats.',
          })
        case 'no_sale':
          throw new Error(`event ${input.eventId} has a plan and no sale`)
      }
    },

    async release(account, holdId) {
      const eventId = eventOf('hld', holdId)
      if (!eventId) return new HoldNotFound()
      const row = await sql.releaseHold(db, eventId, holdId, account.id)
      if (row.outcome === 'not_found') return new HoldNotFound()
      if (row.outcome === 'in_checkout') return new HoldInCheckout(2)
      tellMap(eventId, row.freed, AVAILABLE, row.revisions)
      if (row.outcome === 'released') publish(channels.hold(eventId, holdId), '')
      return toHoldView(eventId, row)
    },

    find,

    async findMany(account, holdIds) {
      const ids = [...new Set(holdIds)].filter((id) => eventOf('hld', id) !== undefined)
      const rows = await sql.readHolds(
        db,
        ids.map((id) => eventOf('hld', id) as string),
        ids,
      )
      return new Map(
        rows
          .filter((row) => row.account_id === account.id)
          .map((row) => [row.hold_id, toHoldView(row.event_id, row)]),
      )
    },

    async active(account, eventId = null) {
      if (eventId !== null && !isEventId(eventId)) return []
      const rows = await sql.readActiveHolds(db, account.id, eventId)
      return rows.map((row) => toHoldView(row.event_id, row))
    },

    updates(account, holdId) {
      let told: HoldView | undefined
      let known: HoldView | undefined

      /** On time when it runs out: nobody tells of that but the clock. */
      function untilItRunsOut(): number {
        if (known?.state !== 'ACTIVE') return BACKSTOP_MS
        const left = known.expiresAt.getTime() - known.asOf.getTime()
        return Math.min(Math.max(left + 1, SHORTEST_WAIT_MS), BACKSTOP_MS)
      }

      return changes<HoldView>({
        listen: (wake) => {
          const eventId = eventOf('hld', holdId)
          return eventId ? hub.listen(channels.hold(eventId, holdId), wake) : () => {}
        },
        async read() {
          const now = await find(account, holdId)
          if (!now) throw badInput({ path: ['id'], message: 'There is no such hold of this account.' })
          known = now
          if (told && !differs(told, now)) return undefined
          told = now
          return now
        },
        isLast: ({ state }) => state === 'RELEASED' || state === 'SOLD',
        backstopMs: untilItRunsOut,
      })
    },

    async sweep(eventId) {
      let total = 0
      for (;;) {
        const expired = await sql.expireHolds(db, eventId, SWEEP_BATCH)
        total += expired.length
        tellMap(
          eventId,
          expired.flatMap(({ freed }) => freed ?? []),
          AVAILABLE,
          expired.flatMap(({ revisions }) => revisions ?? []),
        )
        for (const { hold_id } of expired) publish(channels.hold(eventId, hold_id), '')
        if (expired.length < SWEEP_BATCH) return total
      }
    },
  }
}

type HoldVerdict = Exclude<sql.HoldSeatsRow, { outcome: 'busy' | 'missed' | 'locked' }>

function differs(a: HoldView, b: HoldView): boolean {
  return a.state !== b.state || a.orderId !== b.orderId || a.expiresAt.getTime() !== b.expiresAt.getTime()
}

/** Nobody knows when a pause ends; those who were paused together come back apart. */
function jitteredPause(): number {
  return 5 + Math.floor(6 * Math.random())
}
