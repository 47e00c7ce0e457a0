import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { liveValue } from '../../async/liveValue.ts'
import type { Mailer } from '../../mail.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database.ts'
import { keepLanguage, readLanguage } from '../../sql/mails.ts'
import * as sql from '../../sql/waitlist.ts'
import type { Account } from '../caller.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { badInput, emailNotVerified } from '../faults.ts'
import { eventOf, isEventId, newId } from '../ids.ts'
import { DEFAULT_LOCALE, localeOf } from '../languages.ts'
import { mailOf } from '../letters/letters.ts'
import { offerLetter } from '../letters/offerLetter.ts'
import { NotSoldOut, SaleOver, TicketLimitReached } from '../refusals.ts'
import type { Sales } from '../sales/sales.ts'
import { createPositions, type PositionedEntry } from './positions.ts'
import { checkWaitlistInput, type WaitlistInput } from './waitlistInput.ts'

export interface WaitlistEntryView
  extends Readonly<Pick<sql.EntryRow, 'id' | 'eventId' | 'state' | 'quantity' | 'holdId'>> {
  /** The number of entries ahead that could take the same seats, plus one; null unless the entry is WAITING. */
  readonly position: number | null
}

/**
 * The entries that wait for seats that come back after sold-out. Another account's entry looks like an entry that does
 * not exist.
 */
export interface Waitlist {
  /**
   * Adds an entry at the end and returns it. An account that is on the list gets its entry as it joined. Throws
   * BAD_USER_INPUT, and FORBIDDEN where the account's e-mail address is not verified.
   *
   * @param language the tag of the language for the account's mails
   */
  join(
    account: Account,
    input: WaitlistInput,
    language?: string | null,
  ): Promise<WaitlistEntryView | NotSoldOut | TicketLimitReached | SaleOver>
  /**
   * Ends the entry and its offer, and returns it. An entry that is over, or whose offer is being paid for, is returned as
   * it is. Throws BAD_USER_INPUT where the entry is not the account's.
   */
  leave(account: Account, entryId: string): Promise<WaitlistEntryView>
  find(account: Account, entryId: string): Promise<WaitlistEntryView | null>
  /** The last 100 entries of the account, newest first, with those that are over. */
  list(account: Account, eventId?: string | null): Promise<WaitlistEntryView[]>
  /** The entry now and after each change, until it is over. Throws BAD_USER_INPUT where `find` returns null. */
  updates(account: Account, entryId: string): AsyncIterableIterator<WaitlistEntryView>
  /**
   * Moves an event's waitlist on: settles an offer that is over, makes the next offer, opens the sale where no entry wants
   * the seats that are back, and ends the waiting entries when the sale is over. The database's state drives it, so it is
   * safe to call at any time and from any process.
   */
  offer(eventId: string): Promise<void>
  /** Sends the mail of an offer that is open and not mailed yet. A crash after the mail may send it twice. */
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

/** No message is published when an entry ahead leaves, so the position is read again after this long. */
const BACKSTOP_MS = 30_000
/** The end of an offer is published, and its fan watches. */
const OFFERED_BACKSTOP_MS = 5_000
const MAX_LISTED = 100
/** The owner of a seat's lock decides within milliseconds; the scheduled job tries again every 2 s. */
const MAX_MISSES = 5
/** The time in which a PAYING order settles: the settler runs every half minute. */
const SETTLED_WITHIN_SECONDS = 30

export function createWaitlist(deps: WaitlistDeps): Waitlist {
  const { db, catalogue, sales, seatMap, hub, publish, mailer, publicUrl, log } = deps

  const positions = createPositions({ read: (eventId) => sql.readWaiting(db, eventId), catalogue })

  async function view(row: sql.EntryRow, positionOf: (entry: PositionedEntry) => Promise<number>) {
    const { id, eventId, state, quantity, holdId } = row
    return {
      id,
      eventId,
      state,
      quantity,
      position: state === 'WAITING' ? await positionOf(row) : null,
      holdId,
    }
  }

  async function find(account: Account, entryId: string, positionOf = positions.now) {
    const eventId = eventOf('wle', entryId)
    const row = eventId && (await sql.readEntry(db, account.id, eventId, entryId))
    return row ? view(row, positionOf) : null
  }

  async function findOwn(account: Account, entryId: string): Promise<WaitlistEntryView> {
    const entry = await find(account, entryId)
    if (!entry) throw new Error(`waitlist entry ${entryId} does not exist`)
    return entry
  }

  const publishEntry = (eventId: string, entryId: string) => publish(channels.waitlist(eventId, entryId), '')

  return {
    async join(account, input, language = null) {
      if (!account.emailVerified) throw emailNotVerified()
      const sale = await sales.find(input.eventId)
      const { event, ...wish } = checkWaitlistInput(
        sale && (await catalogue.event(input.eventId)),
        sale?.ticketLimit ?? 0,
        input,
      )
      if (language !== null) await keepLanguage(db, account.id, language)
      const answer = await sql.joinWaitlist(db, {
        ...wish,
        eventId: event.id,
        id: newId('wle', event.id),
        accountId: account.id,
        email: account.email,
      })
      if (answer.settled) publishEntry(event.id, answer.settled)
      switch (answer.outcome) {
        case 'joined':
        case 'known':
          if (answer.closed) publish(channels.sale(event.id), '')
          return findOwn(account, answer.entryId)
        case 'not_sold_out':
          // The database decides whether it is sold out. A count for each caller would make it scan every seat.
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
      if (answer.changes.length > 0) seatMap.publish(eventId, answer.changes)
      if (answer.holdId) publish(channels.hold(eventId, answer.holdId), '')
      // Also where the offer was over before: this call may be the first to find that out.
      if (answer.outcome === 'left' || answer.holdId) {
        publishEntry(eventId, entryId)
        publish(channels.outbox, '')
      }
      return findOwn(account, entryId)
    },

    find: (account, entryId) => find(account, entryId),

    async list(account, eventId = null) {
      if (eventId !== null && !isEventId(eventId)) return []
      const rows = await sql.listEntries(db, account.id, eventId, MAX_LISTED)
      return Promise.all(rows.map((row) => view(row, positions.now)))
    },

    updates(account, entryId) {
      let lastSent: WaitlistEntryView | undefined
      return liveValue<WaitlistEntryView>({
        listen(wake) {
          const eventId = eventOf('wle', entryId)
          return eventId ? hub.listen(channels.waitlist(eventId, entryId), wake) : () => {}
        },
        async read() {
          const now = await find(account, entryId, positions.recent)
          if (!now) throw badInput({ path: ['id'], message: 'is not a waitlist entry of this account' })
          if (lastSent?.state === now.state && lastSent.position === now.position) return undefined
          lastSent = now
          return now
        },
        isLast: ({ state }) => state !== 'WAITING' && state !== 'OFFERED',
        backstopMs: (entry) => (entry?.state === 'OFFERED' ? OFFERED_BACKSTOP_MS : BACKSTOP_MS),
      })
    },

    async offer(eventId) {
      let missed = 0
      while (missed < MAX_MISSES) {
        const answer = await sql.offerWaitlist(db, eventId, newId('hld', eventId))
        const { outcome, settled, ended, entryId, changes } = answer
        if (settled) publishEntry(eventId, settled)
        for (const id of ended ?? []) publishEntry(eventId, id)
        if (entryId) {
          seatMap.publish(eventId, changes)
          publishEntry(eventId, entryId)
          publish(channels.outbox, '')
        }
        if (outcome === 'offered' || outcome === 'opened') publish(channels.sale(eventId), '')
        if (outcome === 'passing') continue
        if (outcome !== 'missed') return
        missed++
        await sleep(5 + 15 * Math.random())
      }
      log.debug({ eventId }, 'seats that came back were locked: the next run offers them')
    },

    async mailOffer(entryId) {
      const eventId = eventOf('wle', entryId)
      if (!eventId) return
      const offer = await sql.readOffer(db, eventId, entryId)
      if (!offer?.email) return
      const tag = await readLanguage(db, offer.accountId)
      const locale = (tag !== null && localeOf(tag)) || DEFAULT_LOCALE
      await mailer.send(mailOf(offer.email, offerLetter(offer, locale, publicUrl), locale))
      await sql.markMailed(db, eventId, entryId)
    },
  }
}
