import { liveValue } from '../../async/liveValue.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database.ts'
import * as sql from '../../sql/holds.ts'
import type { Account, Caller } from '../caller.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { badInput, idempotencyKeyReused } from '../faults.ts'
import { eventOf, isEventId } from '../ids.ts'
import { AVAILABLE, HELD, type SeatChange, type SeatStatus } from '../map/seatStatus.ts'
import {
  AdmissionRequired,
  HoldInCheckout,
  HoldNotFound,
  NotEnoughAvailable,
  OrphanSeats,
  SaleNotOpen,
  SaleOver,
  SalePaused,
  SeatsTaken,
  secondsUntil,
  TicketLimitReached,
  TooManyHolds,
  WheelchairSeatRequired,
} from '../refusals.ts'
import type { Sales } from '../sales/sales.ts'
import { createAlternatives } from './alternatives.ts'
import { createHoldAttempts } from './holdAttempts.ts'
import { checkHoldInput, type HoldInput, SEATS_PATH } from './holdInput.ts'
import { type HoldView, toHoldView } from './holdView.ts'
import { createSoldOut } from './soldOut.ts'

export type { HoldItemView, HoldView } from './holdView.ts'

export type HoldRefusal =
  | SeatsTaken
  | NotEnoughAvailable
  | OrphanSeats
  | WheelchairSeatRequired
  | TicketLimitReached
  | TooManyHolds
  | AdmissionRequired
  | SaleNotOpen
  | SalePaused
  | SaleOver

export interface Holds {
  /**
   * Holds what the input selects, all or none. The same key and input give the same hold, read afresh. `admission`
   * is the one whose token was checked; its row is read again where the sale has a waiting room.
   *
   * What is refused as taken, or as not enough, a committed read shows so.
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
  sales: Pick<Sales, 'find'>
  hub: ChannelHub
  publish: Publish
}

const SWEEP_BATCH = 200
const BACKSTOP_MS = 30_000
const SHORTEST_WAIT_MS = 50

export function createHolds(deps: HoldsDeps): Holds {
  const { db, catalogue, seatMap, sales, hub, publish } = deps
  const isSoldOut = createSoldOut(db, sales)
  const take = createHoldAttempts(db, isSoldOut)
  const alternatives = createAlternatives(db)

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
      const { event, selection, idempotencyKey } = checkHoldInput(await catalogue.event(input.eventId), input)
      const answer = await take(selection, {
        eventId: event.id,
        accountId: account.id,
        idempotencyKey,
        admission,
      })
      switch (answer.outcome) {
        case 'held':
          tellMap(event.id, answer.seat_nos, HELD, answer.revisions)
          return toHoldView(event.id, answer)
        case 'known':
          return toHoldView(event.id, answer)
        case 'taken': {
          if (await isSoldOut(event.id)) return new SaleOver('SOLD_OUT')
          const blocks = selection.kind === 'seats' ? await alternatives.near(event, selection.seatNos) : []
          return new SeatsTaken(
            answer.taken.map(event.seatId),
            blocks.map((block) => block.map(event.seatId)),
            secondsUntil(answer.retry_at, answer.as_of),
          )
        }
        case 'not_enough':
          if (await isSoldOut(event.id)) return new SaleOver('SOLD_OUT')
          return new NotEnoughAvailable(answer.available, jitteredWait())
        case 'orphans':
          return new OrphanSeats(answer.stranded.map(event.seatId))
        case 'wheelchair_required':
          return new WheelchairSeatRequired(answer.wheelchair_seats.map(event.seatId))
        case 'ticket_limit':
          return new TicketLimitReached(
            answer.ticket_limit,
            answer.used,
            secondsUntil(answer.retry_at, answer.as_of),
          )
        case 'too_many_holds':
          return new TooManyHolds(secondsUntil(answer.retry_at, answer.as_of))
        case 'not_open':
          return new SaleNotOpen(answer.retry_at, secondsUntil(answer.retry_at, answer.as_of))
        case 'paused':
          return new SalePaused(jitteredWait())
        case 'sold_out':
          return new SaleOver('SOLD_OUT')
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

      return liveValue<HoldView>({
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

function differs(a: HoldView, b: HoldView): boolean {
  return a.state !== b.state || a.orderId !== b.orderId || a.expiresAt.getTime() !== b.expiresAt.getTime()
}

/** Nobody knows when a pause ends, or something comes back; those who were refused together come back apart. */
function jitteredWait(): number {
  return 5 + Math.floor(6 * Math.random())
}
