import type { CatalogueEvent } from '../catalogue/catalogue.ts'
import type { Locale } from '../languages.ts'
import { formatTime } from '../letters/amounts.ts'
import { venueOf } from '../letters/orderLetter.ts'
import { oneLine, textsOf } from '../letters/texts.ts'
import type { PassSheet } from './pass.ts'
import { type BarcodedTicket, placeOf } from './ticketSheet.ts'

/** Returns the pass of one ticket, in the words of the locale. */
export function passSheet(
  { ticket, barcode }: BarcodedTicket,
  event: CatalogueEvent,
  locale: Locale,
): PassSheet {
  const say = textsOf(locale)
  const { latitude, longitude } = event
  return {
    ticketId: ticket.id,
    orderId: ticket.orderId,
    organization: venueOf(event),
    event: oneLine(event.name),
    startsAt: event.startsAt.toISOString(),
    place: latitude === null || longitude === null ? null : { latitude, longitude },
    barcode,
    primary: [say('event'), oneLine(event.name)],
    secondary: [
      [say('date'), `${formatTime(event.startsAt, event.timeZone, locale.tag)} (${event.timeZone})`],
      [say('venue'), venueOf(event)],
    ],
    auxiliary: [
      [say('section'), oneLine(event.sectionOfSeat(ticket.seatNo)?.name ?? '')],
      ...placeOf(event, ticket, say),
    ],
    back: [
      [say('order'), ticket.orderId],
      [say('ticketNumber'), ticket.id],
      [say('terms'), [say('term1'), say('term2'), say('term3')].join('\n')],
    ],
  }
}
