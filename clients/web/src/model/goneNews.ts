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
  const gone = goneBetween(event, before, next)
  if (gone.length === 0) return
  const text = () =>
    gone
      .map(({ level, held }) =>
        t(held > 0 ? 'page.priceAllHeld' : 'page.priceGone', { price: formatter().money(level.total) }),
      )
      .join(' ')
  announcer.say(text())
  notices.show({ tone: 'news', text })
}
