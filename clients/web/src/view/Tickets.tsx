import type { OrderOfEvent } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import { pushEntry, useEntry } from './entries.ts'
import { TicketList } from './TicketList.tsx'

/** The tickets with the codes that the door scans. */
export function Tickets({ page }: { page: Page }) {
  const { purchase } = page
  useEntry(page, 'tickets')
  const event = page.event.value
  // The list has a later state than the answer to the payment: a refund may follow.
  const bought = purchase.bought.value
  const order = bought && purchase.orders.value.find(({ id }) => id === bought.id)
  const justBought = order?.tickets.filter(({ voided }) => !voided).length ?? 0
  const isSeated = order?.tickets.some(({ seat }) => seat)
  function backToEvent() {
    pushEntry(undefined)
    page.showTickets(false)
  }
  if (!event) return null
  const orders: OrderOfEvent[] = purchase.orders.value
    .filter(({ tickets }) => tickets.length > 0)
    .map((order) => ({ ...order, event }))
  const levels = new Map(
    event.sections.flatMap(({ priceLevels }) => priceLevels).map((one) => [one.id, one.name]),
  )
  return (
    <div class="tickets">
      <h1 tabIndex={-1}>
        {justBought
          ? t(isSeated ? 'tickets.areYours' : 'tickets.unitsAreYours', { count: justBought })
          : t('tickets.yourTickets', { count: purchase.tickets.value.length })}
      </h1>
      <p>{t('tickets.howToShow')}</p>
      <TicketList orders={orders} isAway={!page.online.value} levelName={(id) => levels.get(id)} />
      <div class="row">
        <button type="button" class="quiet" onClick={backToEvent}>
          {t('tickets.backToEvent')}
        </button>
        <a class="button quiet" href="/me">
          {t('page.myTickets')}
        </a>
      </div>
    </div>
  )
}
