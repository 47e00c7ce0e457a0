import { type Mail, type MailAttachment, type Mailer, MailRefused } from '../../mail.ts'
import type { Database } from '../../sql/database/database.ts'
import { emitDueMails, endMail, giveMailBack, type MailKey, type MailRow, takeMail } from '../../sql/mails.ts'
import type { Account } from '../caller.ts'
import type { Catalogue, CatalogueEvent } from '../catalogue/catalogue.ts'
import { eventOf } from '../ids.ts'
import { DEFAULT_LOCALE, type Locale, localeOf } from '../languages.ts'
import type { Orders, OrderView } from '../orders/orders.ts'
import { type Letter, letterHtml, letterText } from './letter.ts'
import { orderLetter } from './orderLetter.ts'

/** The mails about orders. Every change of an order writes them in its own commit: see prisma/functions/write_mails.sql. */
export interface Letters {
  /**
   * Sends a mail that has not ended. `taken`: another run is sending it; come back later. A mail whose order has changed since, so
   * that it is no longer true, ends unsent.
   *
   * A mail is sent twice only where its process dies, or loses the database, between the server's answer and the note of it. Both
   * have one Message-ID. Throws MailRefused where no attempt can succeed, and what the mailer throws: then try again.
   */
  send(key: MailKey): Promise<'ended' | 'taken'>
  /** Hands the mails that are due to the outbox, also those whose job Redis has lost. Returns how many. */
  emitDue(): Promise<number>
}

export interface LettersDeps {
  db: Database
  catalogue: Catalogue
  orders: Pick<Orders, 'find'>
  mailer: Mailer
  publicUrl: string
  /** Returns the tickets of an order as a file; null while none of them has a barcode. */
  attach(order: OrderView, event: CatalogueEvent, locale: Locale): Promise<MailAttachment | null>
}

const BATCH = 500

export function createLetters({ db, catalogue, orders, mailer, publicUrl, attach }: LettersDeps): Letters {
  async function toMail(eventId: string, key: MailKey, row: MailRow): Promise<Mail | null> {
    const { orderId, kind } = key
    const event = await catalogue.event(eventId)
    const order = await orders.find(accountOf(row), orderId)
    if (!event || !order) throw new Error(`order ${orderId} has a mail and does not exist`)
    if (kind === 'CONFIRMED' && order.state !== 'CONFIRMED') return null
    // The money is back already: the mail of REFUNDED says so.
    if (kind === 'REFUND_OWED' && order.payment !== 'REFUND_OWED') return null
    const locale = (row.locale !== null && localeOf(row.locale)) || DEFAULT_LOCALE
    const file = kind === 'CONFIRMED' ? await attach(order, event, locale) : null
    const refund = row.amount === null ? null : { amount: row.amount, currency: order.amount.currency }
    const hasTickets = file !== null
    const letter = orderLetter({ kind, order, event, locale, refund, hasTickets, publicUrl })
    return {
      ...mailOf(row.email, letter, locale),
      id: [orderId, kind.toLowerCase(), key.occasion].filter((part) => part !== '').join('.'),
      attachments: file ? [file] : [],
    }
  }

  return {
    async send(key) {
      const eventId = eventOf('ord', key.orderId)
      if (!eventId) return 'ended'
      const row = await takeMail(db, eventId, key)
      if (typeof row === 'string') return row
      let mail: Mail | null
      try {
        mail = await toMail(eventId, key, row)
        if (mail) await mailer.send(mail)
      } catch (error) {
        if (error instanceof MailRefused) await endMail(db, eventId, key, 'REFUSED')
        else await giveMailBack(db, eventId, key)
        throw error
      }
      // Where this fails, the mail stays taken for a minute, and is then sent again.
      await endMail(db, eventId, key, mail ? 'SENT' : 'OVERTAKEN')
      return 'ended'
    },

    async emitDue() {
      // All of them: a queue serves the events in rotation, and the mails of one event do not delay another event's here.
      let total = 0
      let emitted: number
      do {
        emitted = await emitDueMails(db, BATCH)
        total += emitted
      } while (emitted === BATCH)
      return total
    },
  }
}

/** The worker acts for the order's account. */
function accountOf({ accountId, email }: MailRow): Account {
  return { id: accountId, email, emailVerified: false, roles: new Set() }
}

/** Returns a letter as a mail, in both forms. */
export function mailOf(to: string, letter: Letter, locale: Locale): Mail {
  return {
    to,
    subject: letter.subject,
    text: letterText(letter),
    html: letterHtml(letter, locale),
    language: locale.tag,
  }
}
