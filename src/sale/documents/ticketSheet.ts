import type { CatalogueEvent } from '../catalogue/catalogue.ts'
import type { Locale } from '../languages.ts'
import { formatAmount, formatTime } from '../letters/amounts.ts'
import { venueOf } from '../letters/orderLetter.ts'
import { oneLine, type Say, textsOf } from '../letters/texts.ts'
import type { OrderView, TicketView } from '../orders/orders.ts'
import { FONT_FAMILIES } from './fonts.ts'

export interface BarcodedTicket {
  readonly ticket: TicketView
  readonly barcode: string
}

/** What `tickets.typ` sets: the words are those of the locale, and everything of one order is the same at every call. */
export interface TicketSheet {
  readonly title: string
  readonly language: string
  readonly direction: 'ltr' | 'rtl'
  readonly fonts: readonly string[]
  readonly labels: Readonly<
    Record<'date' | 'venue' | 'section' | 'price' | 'order' | 'ticket' | 'terms', string>
  >
  readonly event: string
  readonly performers: string
  readonly date: string
  readonly venue: string
  readonly order: string
  readonly terms: readonly string[]
  readonly tickets: readonly SheetTicket[]
}

interface SheetTicket {
  readonly id: string
  /** Such as "Ticket 1 of 2". */
  readonly number: string
  readonly section: string
  readonly place: readonly (readonly [string, string])[]
  readonly price: string
  /** What the QR code says, and the words for readers who do not see it. */
  readonly barcode: string
  readonly codeText: string
}

/** Returns the sheet of an order's tickets. */
export function ticketSheet(
  order: OrderView,
  event: CatalogueEvent,
  tickets: readonly BarcodedTicket[],
  locale: Locale,
): TicketSheet {
  const say = textsOf(locale)
  return {
    title: say('ticketsTitle', { event: oneLine(event.name) }),
    language: locale.language,
    direction: locale.direction,
    fonts: FONT_FAMILIES,
    labels: {
      date: say('date'),
      venue: say('venue'),
      section: say('section'),
      price: say('price'),
      order: say('order'),
      ticket: say('ticketNumber'),
      terms: say('terms'),
    },
    event: oneLine(event.name),
    performers: oneLine(event.performers.join(', ')),
    date: `${formatTime(event.startsAt, event.timeZone, locale.tag)} (${event.timeZone})`,
    venue: venueOf(event),
    order: order.id,
    terms: [say('term1'), say('term2'), say('term3')],
    tickets: tickets.map(({ ticket, barcode }, i) => ({
      id: ticket.id,
      number: say('ticketOf', { index: i + 1, count: tickets.length }),
      section: oneLine(event.sectionOfSeat(ticket.seatNo)?.name ?? ''),
      place: placeOf(event, ticket, say),
      price: priceOf(order, ticket, say, locale),
      barcode,
      codeText: say('code', { ticket: ticket.id }),
    })),
  }
}

/** Row and seat, or the words for general admission: label and value. */
export function placeOf(event: CatalogueEvent, { seatNo }: TicketView, say: Say): SheetTicket['place'] {
  const seat = event.seat(seatNo)
  if (!seat) return [[say('ticketNumber'), say('generalAdmission')]]
  return [
    [say('row'), oneLine(seat.rowLabel ?? seat.row)],
    [say('seat'), oneLine(seat.seatLabel ?? seat.number)],
  ]
}

function priceOf({ items, amount }: OrderView, ticket: TicketView, say: Say, { tag }: Locale): string {
  const item = items.find(({ seatNo }) => seatNo === ticket.seatNo)
  if (!item) throw new Error(`ticket ${ticket.id} has no item in its order`)
  const money = (sum: bigint) => formatAmount({ amount: sum, currency: amount.currency }, tag)
  const whole = money(item.price + item.fee)
  return item.fee === 0n ? whole : `${whole} (${say('fee', { fee: money(item.fee) })})`
}
