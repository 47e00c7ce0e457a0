import type { OrderOfEvent } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import { timeOfDay } from '../i18n/times.ts'
import { TicketList } from './TicketList.tsx'

/** How long an event still counts as coming after it has begun. */
const LASTS_MS = 12 * 3_600_000

export interface OrdersByEventProps {
  orders: readonly OrderOfEvent[]
  /** When this device kept the orders; null: they come from the service. */
  keptAt: number | null
}

/** Tickets of several events: coming ones first, the soonest first; then past ones. */
export function OrdersByEvent({ orders, keptAt }: OrdersByEventProps) {
  const events = [...Map.groupBy(orders, ({ event }) => event.id).values()].sort(
    ([a], [b]) => startOf(a) - startOf(b),
  )
  const isPast = ([order]: OrderOfEvent[]) => startOf(order) + LASTS_MS < Date.now()
  const coming = events.filter((of) => !isPast(of))
  const past = events.filter(isPast).reverse()
  return (
    <>
      {keptAt !== null && (
        <p class="notice news">{t('tickets.keptAt', { time: timeOfDay(new Date(keptAt).toISOString()) })}</p>
      )}
      <p>{t(orders.length === 0 ? 'tickets.noTickets' : 'tickets.howToShow')}</p>
      {coming.map((of) => (
        <OneEvent key={of[0]?.event.id} orders={of} isAway={keptAt !== null} />
      ))}
      {past.length > 0 && (
        <details class="past">
          <summary>{t('tickets.pastEvents')}</summary>
          {past.map((of) => (
            <OneEvent key={of[0]?.event.id} orders={of} isAway={keptAt !== null} />
          ))}
        </details>
      )}
    </>
  )
}

function OneEvent({ orders, isAway }: { orders: readonly OrderOfEvent[]; isAway: boolean }) {
  const [first] = orders
  if (!first) return null
  return (
    <section class="one" aria-label={first.event.name}>
      <TicketList orders={orders} isAway={isAway} />
      <a class="button quiet" href={`/e/${encodeURIComponent(first.event.slug)}`}>
        {t('tickets.openEvent')}
      </a>
    </section>
  )
}

function startOf(order: OrderOfEvent | undefined): number {
  return Date.parse(order?.event.startsAt ?? '')
}
