import { createHash } from 'node:crypto'
import { createBoundedCache } from '../../async/boundedCache.ts'
import { createSingleFlights } from '../../async/singleFlight.ts'
import type { MailAttachment } from '../../mail.ts'
import type { Database } from '../../sql/database/database.ts'
import { readHolder, readHolderOfTicket } from '../../sql/documents.ts'
import type { Account } from '../caller.ts'
import type { Catalogue, CatalogueEvent } from '../catalogue/catalogue.ts'
import { eventOf } from '../ids.ts'
import { DEFAULT_LOCALE, type Locale, localeOf } from '../languages.ts'
import { hasValidTickets, type Orders, type OrderView, type TicketView } from '../orders/orders.ts'
import type { Tickets } from '../orders/tickets.ts'
import type { DocumentMaker, DocumentMakerOptions, DocumentWork } from './documentMaker.ts'
import type { Links } from './links.ts'
import { passSheet } from './passSheet.ts'
import { type BarcodedTicket, ticketSheet } from './ticketSheet.ts'
import type { WalletCertificates } from './wallet.ts'

/** The tickets of an order as files. */
export interface Documents {
  /** The address of an order's tickets as PDF, signed, for one to two hours; null while none of them has a barcode. */
  pdfUrl(order: OrderView): Promise<string | null>
  /** The address of a ticket's pass for Apple Wallet, as `pdfUrl`; null also where no certificates are configured. */
  passUrl(order: OrderView, ticket: TicketView): Promise<string | null>
  /** The tickets as an attachment of a mail; null while none of them has a barcode. */
  attachment(order: OrderView, event: CatalogueEvent, locale: Locale): Promise<MailAttachment | null>
  /**
   * The PDF file behind a link. `bad link`: the query is not signed for this order, or has expired. Null: the order has no valid
   * ticket any more.
   */
  openPdf(orderId: string, query: URLSearchParams): Promise<OpenedLink>
  /** The pass behind a link, as `openPdf`. */
  openPass(ticketId: string, query: URLSearchParams): Promise<OpenedLink>
  close(): void
}

/** Makes the file, or returns the one that is kept. Throws OVERLOADED where too many files are waiting. */
export type MakeFile = () => Promise<Buffer>
export type OpenedLink = MakeFile | 'bad link' | null

export interface DocumentsDeps {
  db: Database
  catalogue: Catalogue
  orders: Pick<Orders, 'find' | 'findByTicket'>
  tickets: Tickets
  links: Links
  maker: DocumentMaker
  /** For files of more than 100 tickets: see LARGE_FILES. */
  largeMaker: DocumentMaker
  /** Null: there are no passes. */
  wallet: WalletCertificates | null
  publicUrl: string
}

/** Tickets of a large file. One account may buy up to 1,000 at once. */
const LARGE_FROM = 101
/**
 * Large files have a thread of their own, so that they delay no file of another fan. One of 1,000 tickets takes seven seconds and some
 * 370 MB, which the thread gives back at once.
 */
export const LARGE_FILES: DocumentMakerOptions = { mostWaiting: 3, patienceMs: 60_000, idleMs: 1_000 }

/** Files that a process keeps, for fans who open the same link again: a file of two tickets has some 60 KB. */
const KEPT_FILES = 32
/** Larger ones are made again. */
const LARGEST_KEPT = 1_024 * 1_024

export function createDocuments({
  db,
  catalogue,
  orders,
  tickets,
  links,
  maker,
  largeMaker,
  wallet,
  publicUrl,
}: DocumentsDeps): Documents {
  const kept = createBoundedCache<string, Buffer>(KEPT_FILES)
  const making = createSingleFlights<Buffer>()

  async function barcoded(order: OrderView): Promise<BarcodedTicket[]> {
    const valid = validTickets(order)
    const barcodes = await Promise.all(valid.map((ticket) => tickets.barcode(ticket, order)))
    return valid.flatMap((ticket, i) => {
      const barcode = barcodes[i] ?? null
      return barcode === null ? [] : [{ ticket, barcode }]
    })
  }

  async function pdf(order: OrderView, event: CatalogueEvent, locale: Locale): Promise<MakeFile | null> {
    const withBarcodes = await barcoded(order)
    if (withBarcodes.length === 0) return null
    const sheet = ticketSheet(order, event, withBarcodes, locale)
    return () => makeOnce(sheet, { kind: 'tickets', sheet })
  }

  /** A link may be opened any number of times, and each file takes the thread for tens of milliseconds. */
  async function makeOnce(content: object, work: DocumentWork): Promise<Buffer> {
    const digest = createHash('sha256')
      .update(`${work.kind} ${JSON.stringify(content)}`)
      .digest('base64url')
    const known = kept.get(digest)
    if (known) return known
    const isLarge = work.kind === 'tickets' && work.sheet.tickets.length >= LARGE_FROM
    const made = await making.run(digest, () => (isLarge ? largeMaker : maker).make(work))
    if (made.length <= LARGEST_KEPT) kept.set(digest, made)
    return made
  }

  return {
    async pdfUrl(order) {
      if (validTickets(order).length === 0) return null
      const query = await links.sign('tickets.pdf', order.id)
      return `${publicUrl}/orders/${order.id}/tickets.pdf?${query}`
    },

    async passUrl(order, ticket) {
      if (!wallet || !validTickets(order).some(({ id }) => id === ticket.id)) return null
      return `${publicUrl}/tickets/${ticket.id}/pass.pkpass?${await links.sign('pass.pkpass', ticket.id)}`
    },

    async attachment(order, event, locale) {
      const make = await pdf(order, event, locale)
      return make && { filename: 'tickets.pdf', contentType: 'application/pdf', content: await make() }
    },

    async openPdf(orderId, query) {
      const eventId = eventOf('ord', orderId)
      if (!eventId || !(await links.verify('tickets.pdf', orderId, query))) return 'bad link'
      const holder = await readHolder(db, eventId, orderId)
      const order = holder && (await orders.find(accountOf(holder), orderId))
      const event = order && (await catalogue.event(eventId))
      if (!event) return null
      return pdf(order, event, localeOfHolder(holder))
    },

    async openPass(ticketId, query) {
      const eventId = eventOf('tkt', ticketId)
      if (!wallet || !eventId || !(await links.verify('pass.pkpass', ticketId, query))) return 'bad link'
      const holder = await readHolderOfTicket(db, eventId, ticketId)
      const order = holder && (await orders.findByTicket(accountOf(holder), ticketId))
      const event = order && (await catalogue.event(eventId))
      const found = order && (await barcoded(order)).find(({ ticket }) => ticket.id === ticketId)
      if (!event || !found) return null
      const pass = passSheet(found, event, localeOfHolder(holder))
      return () => makeOnce(pass, { kind: 'pass', pass, certificates: wallet })
    },

    close() {
      maker.close()
      largeMaker.close()
    },
  }
}

function validTickets(order: OrderView): OrderView['tickets'] {
  return hasValidTickets(order) ? order.tickets.filter(({ voided }) => !voided) : []
}

function localeOfHolder({ locale }: { locale: string | null }): Locale {
  return (locale !== null && localeOf(locale)) || DEFAULT_LOCALE
}

/** The link stands for the order's account. */
function accountOf({ accountId }: { accountId: string }): Account {
  return { id: accountId, email: null, emailVerified: false, roles: new Set() }
}
