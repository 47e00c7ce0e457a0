import type { Money } from '../../money.ts'
import type { MailKind } from '../../sql/mails.ts'
import type { LayoutSeat } from '../../sql/plans.ts'
import type { CatalogueEvent } from '../catalogue/catalogue.ts'
import type { Locale } from '../languages.ts'
import type { OrderView } from '../orders/orders.ts'
import { formatAmount, formatTime } from './amounts.ts'
import type { Letter } from './letter.ts'
import { isolated, oneLine, type Say, textsOf } from './texts.ts'

export interface OrderLetterInput {
  kind: MailKind
  order: OrderView
  event: CatalogueEvent
  locale: Locale
  /** Of REFUND_OWED and REFUNDED: what this refund returns. */
  refund: Money | null
  /** Of CONFIRMED: the mail has the tickets. */
  hasTickets: boolean
  publicUrl: string
}

/** The letter to a fan about a change of an order. */
export function orderLetter(input: OrderLetterInput): Letter {
  const { order, event, locale, publicUrl } = input
  const say = textsOf(locale)
  return {
    ...contentOf(input, say),
    facts: [
      [say('event'), isolated(oneLine(event.name), locale)],
      ...(event.performers.length > 0
        ? [[say('performers'), isolated(oneLine(event.performers.join(', ')), locale)] as const]
        : []),
      [say('date'), `${formatTime(event.startsAt, event.timeZone, locale.tag)} (${event.timeZone})`],
      [say('venue'), isolated(venueOf(event), locale)],
      ...placesOf(input, say).map((place) => [say('ticketNumber'), place] as const),
      [say('total'), formatAmount(order.amount, locale.tag)],
      [say('order'), isolated(order.id, locale)],
    ],
    button: { label: say('seeOrder'), url: orderUrl(publicUrl, event, order.id) },
    footer: say('footer'),
  }
}

/** The address of an order: the page of the event, which shows the order to its account. */
function orderUrl(publicUrl: string, { slug }: CatalogueEvent, orderId: string): string {
  return `${publicUrl}/e/${slug}?order=${encodeURIComponent(orderId)}`
}

export function venueOf({ venueName, venueCity }: CatalogueEvent): string {
  return oneLine([venueName, venueCity].filter((part) => part).join(', '))
}

type Content = Pick<Letter, 'subject' | 'heading' | 'paragraphs' | 'closing'>

function contentOf({ kind, order, event, locale, refund, hasTickets }: OrderLetterInput, say: Say): Content {
  const name = oneLine(event.name)
  const total = formatAmount(order.amount, locale.tag)
  const count = order.tickets.filter(({ voided }) => !voided).length
  switch (kind) {
    case 'CONFIRMED':
      return {
        subject: say('confirmedSubject', { event: name, count }),
        heading: say('confirmedHeading'),
        paragraphs: [say(hasTickets ? 'confirmedText' : 'confirmedTextLink', { count })],
        closing: [say('term2')],
      }
    case 'CANCELLED':
      return {
        subject: say('cancelledSubject', { event: name }),
        heading: say('cancelledHeading'),
        paragraphs: [
          say('cancelledText'),
          ...(order.amount.amount === 0n ? [] : [say('moneyBack', { total })]),
        ],
        closing: [],
      }
    case 'SEATS_GONE':
      return {
        subject: say('seatsGoneSubject', { event: name }),
        heading: say('seatsGoneHeading'),
        paragraphs: [say('seatsGoneText'), say('moneyBack', { total })],
        closing: [],
      }
    case 'REFUND_OWED': {
      const { currency } = order.amount
      const amount = formatAmount(refund ?? { amount: order.amount.amount, currency }, locale.tag)
      const isWhole = order.tickets.every(({ voided }) => voided)
      return {
        subject: say('refundOwedSubject', { amount, event: name }),
        heading: say('refundOwedHeading', { amount }),
        paragraphs: [say(isWhole ? 'refundOwedWhole' : 'refundOwedPart')],
        closing: [say('refundOwedNext')],
      }
    }
    case 'REFUNDED': {
      const { currency } = order.amount
      const amount = formatAmount(refund ?? { amount: order.refunded, currency }, locale.tag)
      const isWhole = order.refunded >= order.amount.amount || order.tickets.every(({ voided }) => voided)
      const refunded = formatAmount({ amount: order.refunded, currency }, locale.tag)
      return {
        subject: say('refundedSubject', { amount, event: name }),
        heading: say('refundedHeading', { amount }),
        paragraphs: [isWhole ? say('refundedWhole') : say('refundedPart', { refunded, total })],
        closing: [say('refundedWait')],
      }
    }
  }
}

/** The places of the tickets that are valid; of an order without valid tickets, those that it was for. */
function placesOf({ order: { tickets, items }, event }: OrderLetterInput, say: Say): string[] {
  const valid = tickets.filter(({ voided }) => !voided)
  return (valid.length > 0 ? valid : items).map(({ seatNo }) => {
    const seat = event.seat(seatNo)
    const section = oneLine(event.sectionOfSeat(seatNo)?.name ?? '')
    return seat ? seatInWords(section, seat, say) : say('placedFreely', { section })
  })
}

/** A seat in words: the plan's own, such as "Tent · Table 5, Chair 3", or those of the language for a row and a seat. */
export function seatInWords(
  section: string,
  { row, number, rowLabel, seatLabel }: Pick<LayoutSeat, 'row' | 'number' | 'rowLabel' | 'seatLabel'>,
  say: Say,
): string {
  return rowLabel === undefined && seatLabel === undefined
    ? say('placed', { section, row: oneLine(row), seat: oneLine(number) })
    : `${section} · ${oneLine(rowLabel ?? row)}, ${oneLine(seatLabel ?? number)}`
}
