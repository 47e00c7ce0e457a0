import type { EventPage, Sale } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Announcer } from './announcer.ts'
import type { Notices } from './notice.ts'
import { goneBetween } from './priceCounts.ts'

/** Announces the prices that have no tickets any more: a fan who waits for one must learn it at once. */
export function announceGone(
  event: EventPage,
  before: Sale,
  next: Sale,
  { announcer, notices }: { announcer: Announcer; notices: Notices },
): void {
  if (next.state === 'SOLD_OUT') return
  const texts = goneBetween(event, before, next).map(({ level, held }) =>
    t(held > 0 ? 'page.priceAllHeld' : 'page.priceGone', { price: formatter().money(level.total) }),
  )
  if (texts.length === 0) return
  announcer.say(texts.join(' '))
  notices.show({ tone: 'news', text: texts.join(' ') })
}
