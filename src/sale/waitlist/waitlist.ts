import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { liveValue } from '../../async/liveValue.ts'
import type { Mailer } from '../../mail.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { Database } from '../../sql/database.ts'
import * as sql from '../../sql/waitlist.ts'
import type { Account } from '../caller.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { badInput, emailNotVerified } from '../faults.ts'
import { eventOf, isEventId, newId } from '../ids.ts'
import { AVAILABLE, HELD, type SeatChange, type SeatStatus } from '../map/seatStatus.ts'
import { NotSoldOut, SaleOver, TicketLimitReached } from '../refusals.ts'
import type { Sales } from '../sales/sales.ts'
import { offerMail } from './offerMail.ts'
import { createPositions, type Placed } from './positions.ts'
import { checkWaitlistInput, type WaitlistInput } from './waitlistInput.ts'

export interface WaitlistEntryView
  extends Readonly<Pick<sql.EntryRow, 'id' | 'eventId' | 'state' | 'quantity' | 'holdId'>> {
  /** Entries ahead that could take the same seats, plus one; null where it does not wait. */
  readonly position: number | null
}

/** Who waits for what comes back after sold-out. Another account's entry and no entry look the same. */
export interface Waitlist {
  /**
   * Joins at the end; an account that is on the list is told its entry, as it joined. Throws BAD_USER_INPUT, and
   * FORBIDDEN where the account's e-mail address is not verified.
   */
  join(
    account: Account,
    input: WaitlistInput,
  ): Promise<WaitlistEntryView | NotSoldOut | TicketLimitReached | SaleOver>
  /**
   * Leaves, which ends the offer too; an entry that is over, or whose offer is being paid for, is returned as it is.
   * Throws BAD_USER_INPUT for what is not the account's.
   */
  leave(account: Account, entryId: string): Promise<WaitlistEntryView>
  find(account: Account, entryId: string): Promise<WaitlistEntryView | null>
  /** Newest first, those that are over too; the last 100. */
  list(account: Account, eventId?: string | null): Promise<WaitlistEntryView[]>
  /** The entry now, then what changes, until it is over. Throws BAD_USER_INPUT where `find` says null. */
  updates(account: Account, entryId: string): AsyncIterableIterator<WaitlistEntryView>
  /**
   * Looks after an event's waitlist: the offer that is over, the next one, the sale's opening where nobody wants what
   * is back, and those who wait in vain when the sale is over. Driven by the database's state: safe to call at any time and from anywhere.
   */
  offer(eventId: string): Promise<void>
  /** Mails an offer, where it is still open and not mailed yet. A crash after the mail may send it twice. */
  mailOffer(entryId: string): Promise<void>
}

export interface WaitlistDeps {
  db: Database
  catalogue: Catalogue
  sales: Pick<Sales, 'find'>
  seatMap: { publish(eventId: string, changes: SeatChange[]): unknown }
  hub: ChannelHub
  publish: Publish
  mailer: Mailer
  publicUrl: string
  log: Logger
}

/** Nobody tells those who wait that others before them have left: their place is read again. */
const BACKSTOP_MS = 30_000
/** An offer's end is told, and its fan watches. */
const OFFERED_BACKSTOP_MS = 5_000
const MOST_LISTED = 100
/** Whoever locked a seat decides within milliseconds; the schedule comes by every 2 s. */
const MISSES = 5
/** When an order comes to its end that is paying: the settler looks every half minute. */
const SETTLED_WITHIN_SECONDS = 30

export function createWaitlist(deps: WaitlistDeps): Waitlist {
  const { db, catalogue, sales, seatMap, hub, publish, mailer, publicUrl, log } = deps

  const positions = createPositions({ read: (eventId) => sql.readWaiting(db, eventId), catalogue })

  async function view(row: sql.EntryRow, place: (entry: Placed) => Promise<number>) {
    const { id, eventId, state, quantity, holdId } = row
    return { id, eventId, state, quantity, position: state === 'WAITING' ? await place(row) : null, holdId }
  }

  async function find(account: Account, entryId: string, place = positions.now) {
    const eventId = eventOf('wle', entryId)
    const row = eventId && (await sql.readEntry(db, account.id, eventId, entryId))
    return row ? view(row, place) : null
  }

  async function known(account: Account, entryId: string): Promise<WaitlistEntryView> {
    const entry = await find(account, entryId)
    if (!entry) throw new Error(`the waitlist has lost ${entryId}`)
    return entry
  }

  function tellMap(eventId: string, seatNos: number[], status: SeatStatus, revisions: number[] | null) {
    seatMap.publish(
      eventId,
      seatNos.map((seatNo, i) => ({ seatNo, status, revision: revisions?.[i] as number })),
    )
  }

  const tellEntry = (eventId: string, entryId: string) => publish(channels.waitlist(eventId, entryId), '')

  return {
    async join(account, input) {
      if (!account.emailVerified) throw emailNotVerified()
      const sale = await sales.find(input.eventId)
      const { event, ...wish } = checkWaitlistInput(
        sale && (await catalogue.event(input.eventId)),
        sale?.ticketLimit ?? 0,
        input,
      )
      const answer = await sql.joinWaitlist(db, {
        ...wish,
        eventId: event.id,
        id: newId('wle', event.id),
        accountId: account.id,
        email: account.email,
      })
      if (answer.settled) tellEntry(event.id, answer.settled)
      switch (answer.outcome) {
        case 'joined':
        case 'known':
          if (answer.closed) publish(channels.sale(event.id), '')
          return known(account, answer.entryId)
        case 'not_sold_out':
          // Whether it is sold out, the database says; to count for everybody who asks would have it look at every seat.
          return new NotSoldOut(sale?.counts.available ?? 0)
        case 'ticket_limit': {
          const retryAfterSeconds = answer.held > 0 ? SETTLED_WITHIN_SECONDS : null
          return new TicketLimitReached(answer.ticketLimit, answer.used, retryAfterSeconds)
        }
        case 'ended':
          return new SaleOver('ENDED')
        case 'no_sale':
          throw new Error(`event ${event.id} has a plan and no sale`)
      }
    },

    async leave(account, entryId) {
      const eventId = eventOf('wle', entryId)
      const answer = eventId && (await sql.leaveWaitlist(db, eventId, entryId, account.id))
      if (!answer || answer.outcome === 'not_found') {
        throw badInput({ path: ['input', 'id'], message: 'is not a waitlist entry of this account' })
      }
      if (answer.freed) tellMap(eventId, answer.freed, AVAILABLE, answer.revisions)
      if (answer.holdId) publish(channels.hold(eventId, answer.holdId), '')
      // Also where the offer was over before: this call may have been the first to see it.
      if (answer.outcome === 'left' || answer.holdId) {
        tellEntry(eventId, entryId)
        publish(channels.outbox, '')
      }
      return known(account, entryId)
    },

    find: (account, entryId) => find(account, entryId),

    async list(account, eventId = null) {
      if (eventId !== null && !isEventId(eventId)) return []
      const rows = await sql.listEntries(db, account.id, eventId, MOST_LISTED)
      return Promise.all(rows.map((row) => view(row, positions.now)))
    },

    updates(account, entryId) {
      let told: WaitlistEntryView | undefined
      return liveValue<WaitlistEntryView>({
        listen(wake) {
          const eventId = eventOf('wle', entryId)
          return eventId ? hub.listen(channels.waitlist(eventId, entryId), wake) : () => {}
        },
        async read() {
          const now = await find(account, entryId, positions.recent)
          if (!now) throw badInput({ path: ['id'], message: 'is not a waitlist entry of this account' })
          if (told?.state === now.state && told.position === now.position) return undefined
          told = now
          return now
        },
        isLast: ({ state }) => state !== 'WAITING' && state !== 'OFFERED',
        backstopMs: (entry) => (entry?.state === 'OFFERED' ? OFFERED_BACKSTOP_MS : BACKSTOP_MS),
      })
    },

    async offer(eventId) {
      let missed = 0
      while (missed < MISSES) {
        const answer = await sql.offerWaitlist(db, eventId, newId('hld', eventId))
        const { outcome, settled, ended, entryId, seatNos, revisions } = answer
        if (settled) tellEntry(eventId, settled)
        for (const id of ended ?? []) tellEntry(eventId, id)
        if (entryId && seatNos) {
          tellMap(eventId, seatNos, HELD, revisions)
          tellEntry(eventId, entryId)
          publish(channels.outbox, '')
        }
        if (outcome === 'offered' || outcome === 'opened') publish(channels.sale(eventId), '')
        if (outcome === 'passing') continue
        if (outcome !== 'missed') return
        missed++
        await sleep(5 + 15 * Math.random())
      }
      log.debug({ eventId }, 'seats that came back were locked: offered the next time')
    },

    async mailOffer(entryId) {
      const eventId = eventOf('wle', entryId)
      if (!eventId) return
      const offer = await sql.readOffer(db, eventId, entryId)
      if (!offer?.email) return
      await mailer.send(offerMail(offer.email, offer, publicUrl))
      await sql.markMailed(db, eventId, entryId)
    },
  }
}
