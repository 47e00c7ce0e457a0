import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { liveValue } from '../../async/liveValue.ts'
import type { Mailer } from '../../mail.ts'
import type { ChannelHub } from '../../redis/channelHub.ts'
import { channels } from '../../redis/keys.ts'
import type { Publish } from '../../redis/publisher.ts'
import type { SeatChange } from '../../seatStatus.ts'
import type { Database } from '../../sql/database/database.ts'
import { keepLanguage, readLanguage } from '../../sql/mails.ts'
import * as sql from '../../sql/waitlist.ts'
import type { Account } from '../caller.ts'
import type { Catalogue } from '../catalogue/catalogue.ts'
import { badInput, emailNotVerified } from '../faults.ts'
import { eventOf, isEventId, newId, planId } from '../ids.ts'
import { DEFAULT_LOCALE, localeOf } from '../languages.ts'
import { mailOf } from '../letters/letters.ts'
import { offerLetter } from '../letters/offerLetter.ts'
import { AdmissionRequired, NotSoldOut, SaleOver, TicketLimitReached } from '../refusals.ts'
import type { Sales } from '../sales/sales.ts'
import { createComingBack } from './comingBack.ts'
import { createPositions, type Positions } from './positions.ts'
import { createPossibleWishes } from './possible.ts'
import { checkWaitlistInput, type WaitlistInput } from './waitlistInput.ts'

export interface WaitlistEntryView
  extends Readonly<
    Pick<
      sql.EntryRow,
      'id' | 'eventId' | 'no' | 'state' | 'quantity' | 'wishes' | 'wheelchairSeats' | 'holdId'
    >
  > {
  /** The number of entries ahead that could take the same seats, plus one; null unless the entry is WAITING. */
  readonly position: number | null
}

/** What speaks for and against an offer to an entry that waits. */
export interface Odds {
  readonly entriesAhead: number
  /** The tickets that these entries want. */
  readonly ticketsAhead: number
  /** See comingBack.ts; null: unknown. */
  readonly seatsThatMayComeBack: number | null
}

/**
 * The entries that wait for seats that come back after sold-out. Another account's entry looks like an entry that does
 * not exist.
 */
export interface Waitlist {
  /**
   * Adds an entry at the end and returns it. An account that is on the list gets its entry as it joined. NotSoldOut: an
   * ordinary hold of the wish could succeed, or the sale is not open yet. Throws BAD_USER_INPUT, also for a wish that can
   * never be met, and FORBIDDEN where the account's e-mail address is not verified.
   *
   * @param language the tag of the language for the account's mails
   */
  join(
    account: Account,
    input: WaitlistInput,
    language?: string | null,
  ): Promise<WaitlistEntryView | NotSoldOut | AdmissionRequired | TicketLimitReached | SaleOver>
  /**
   * Ends the entry and its offer, and returns it. An entry that is over, or whose offer is being paid for, is returned as
   * it is. Throws BAD_USER_INPUT where the entry is not the account's.
   */
  leave(account: Account, entryId: string): Promise<WaitlistEntryView>
  find(account: Account, entryId: string): Promise<WaitlistEntryView | null>
  /** Null unless the entry is WAITING. */
  odds(entry: WaitlistEntryView): Promise<Odds | null>
  /** The last 100 entries of the account, newest first, with those that are over. */
  list(account: Account, eventId?: string | null): Promise<WaitlistEntryView[]>
  /** The entry now and after each change, until it is over. Throws BAD_USER_INPUT where `find` returns null. */
  updates(account: Account, entryId: string): AsyncIterableIterator<WaitlistEntryView>
  /**
   * Moves an event's waitlist on: settles the offers that are over, offers the free seats to every entry that they fit, opens
   * the sale where they fit no other entry, and ends the waiting entries when the sale is over. The database's state drives
   * it, so it is safe to call at any time and from any process.
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
  const possibleWishes = createPossibleWishes(db)
  const comingBack = createComingBack(db)

  async function view(row: sql.EntryRow, aheadOf: Positions['now']): Promise<WaitlistEntryView> {
    return { ...row, position: row.state === 'WAITING' ? (await aheadOf(row)).entries + 1 : null }
  }

  async function find(account: Account, entryId: string, aheadOf = positions.now) {
    const eventId = eventOf('wle', entryId)
    const row = eventId && (await sql.readEntry(db, account.id, eventId, entryId))
    return row ? view(row, aheadOf) : null
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
      await possibleWishes.check(event.id, wish)
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
          // The database decides whether the wish can be held. A count for each caller would make it scan every seat.
          return new NotSoldOut(
            sale?.counts.available ?? 0,
            answer.wish === null
              ? null
              : {
                  wish: answer.wish,
                  quantity: answer.quantity,
                  together: answer.together,
                  areaId: answer.area === null ? null : planId('sec', event.id, answer.area),
                  seats: wish.wheelchairSeats > 0 ? answer.seatNos.map(event.seatId) : [],
                },
          )
        case 'admission_required':
          return new AdmissionRequired()
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

    async odds(entry) {
      if (entry.state !== 'WAITING') return null
      const [ahead, seatsThatMayComeBack] = await Promise.all([positions.recent(entry), comingBack.of(entry)])
      return { entriesAhead: ahead.entries, ticketsAhead: ahead.tickets, seatsThatMayComeBack }
    },

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
      for (;;) {
        const answer = await sql.offerWaitlist(db, eventId, newId('hld', eventId))
        const { outcome, settled, ended, entryId, changes } = answer
        for (const id of [...(settled ?? []), ...(ended ?? [])]) publishEntry(eventId, id)
        if (entryId) {
          seatMap.publish(eventId, changes)
          publishEntry(eventId, entryId)
          publish(channels.outbox, '')
        }
        if (outcome === 'closed' || outcome === 'opened') publish(channels.sale(eventId), '')
        if (outcome === 'passing' || outcome === 'offered') continue
        if (outcome !== 'missed') return
        if (++missed === MAX_MISSES) break
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
