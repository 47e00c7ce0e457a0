import type { OfferRow } from '../../sql/waitlist.ts'
import type { Locale } from '../languages.ts'
import { formatTime } from './amounts.ts'
import type { Letter } from './letter.ts'
import { oneLine, textsOf } from './texts.ts'

/** The letter that offers a fan the seats that came back, with the time until which they are held for the fan. */
export function offerLetter(offer: OfferRow, locale: Locale, publicUrl: string): Letter {
  const { eventName, slug, seats: count, expiresAt, timeZone } = offer
  const say = textsOf(locale)
  const event = oneLine(eventName)
  const until = formatTime(expiresAt, timeZone, locale.tag)
  return {
    subject: say('offerSubject', { event, count }),
    heading: say('offerHeading'),
    paragraphs: [say('offerText', { event, count, until, timeZone }), say('offerHow')],
    facts: [],
    button: { label: say('seeOffer'), url: `${publicUrl}/e/${slug}` },
    closing: [say('offerEnd')],
    footer: say('footer'),
  }
}
