import type { Mail } from '../../mail.ts'
import type { OfferRow } from '../../sql/waitlist.ts'

/** The mail that offers a fan the seats that came back, with the time until which they are held for the fan. */
export function offerMail(to: string, offer: OfferRow, publicUrl: string): Mail {
  const { eventName, slug, seats, expiresAt, timeZone } = offer
  const tickets = seats === 1 ? '1 ticket' : `${seats} tickets`
  const until = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'short', timeZone })
  return {
    to,
    subject: `${tickets} for ${eventName}, held for you`,
    text: [
      `You are next on the waitlist: ${tickets} for ${eventName} came back, and ${seats === 1 ? 'is' : 'are'} held for you`,
      `until ${until.format(expiresAt)} (${timeZone}).`,
      '',
      `See and pay for ${seats === 1 ? 'it' : 'them'} here, signed in as you joined the waitlist:`,
      `${publicUrl}/e/${slug}`,
      '',
      'Tickets that you do not pay for by then are offered to the next fan on the waitlist, and your entry ends.',
    ].join('\n'),
  }
}
