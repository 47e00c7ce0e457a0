import { useSignal } from '@preact/signals'
import type { OrderOfEvent, Ticket } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import { eventDate } from '../i18n/times.ts'
import { calendarFile } from './calendar.ts'
import { DoorCode, placeOf } from './DoorCode.tsx'
import { Guilloche } from './Guilloche.tsx'
import { QrCode } from './QrCode.tsx'

interface TicketListProps {
  /** Of one event. */
  orders: readonly OrderOfEvent[]
  /** True while the service cannot be reached: its files cannot be loaded then. */
  isAway: boolean
  /** The name of a price level by its id, where the page knows it. */
  levelName?: (id: string) => string | undefined
}

/** The tickets of an event with their codes, the valid ones first. */
export function TicketList({ orders, isAway, levelName }: TicketListProps) {
  const shown = useSignal<number | null>(null)
  const [first] = orders
  if (!first) return null
  const all = orders.flatMap(({ tickets }) => tickets)
  const valid = all.filter(({ voided }) => !voided)
  const coded = valid.filter(({ barcode }) => barcode !== null)
  return (
    <>
      <Files orders={orders} hasCode={coded.length > 0} isAway={isAway} />
      <ul>
        {[...valid, ...all.filter(({ voided }) => voided)].map((ticket) => (
          <li key={ticket.id}>
            <Stub
              event={first.event}
              ticket={ticket}
              isAway={isAway}
              level={levelName?.(ticket.seat?.priceLevelId ?? '')}
              show={ticket.barcode === null ? undefined : () => (shown.value = coded.indexOf(ticket))}
            />
          </li>
        ))}
      </ul>
      {orders.map((order) => (
        <RefundState key={order.id} order={order} />
      ))}
      {shown.value !== null && (
        <DoorCode
          tickets={coded}
          index={shown.value}
          show={(index) => (shown.value = index)}
          close={() => (shown.value = null)}
        />
      )}
    </>
  )
}

/** What can be done with the tickets besides showing them. */
function Files({
  orders,
  hasCode,
  isAway,
}: Pick<TicketListProps, 'orders' | 'isAway'> & { hasCode: boolean }) {
  const [first] = orders
  if (!first || !hasCode) return null
  const { event } = first
  const valid = orders.flatMap(({ tickets }) => tickets).filter(({ voided }) => !voided)
  function addToCalendar() {
    const notes = valid.map((ticket) => `${ticket.section.name}, ${placeOf(ticket)}`).join('\n')
    const file = calendarFile(event, `${location.origin}/e/${encodeURIComponent(event.slug)}`, notes)
    const url = URL.createObjectURL(new Blob([file], { type: 'text/calendar;charset=utf-8' }))
    const link = Object.assign(document.createElement('a'), { href: url, download: `${event.slug}.ics` })
    link.click()
    setTimeout(() => URL.revokeObjectURL(url), 60_000)
  }
  return (
    <div class="row files">
      {orders.map(
        ({ id, pdfUrl }) =>
          pdfUrl &&
          !isAway && (
            <a key={id} class="button" href={pdfUrl} target="_blank" rel="noopener">
              {t('tickets.pdf')}
            </a>
          ),
      )}
      <button type="button" onClick={addToCalendar}>
        {t('tickets.calendar')}
      </button>
      <button type="button" class="print" onClick={() => print()}>
        {t('tickets.print')}
      </button>
    </div>
  )
}

function RefundState({ order: { payment, refunded } }: { order: OrderOfEvent }) {
  if (payment === 'REFUND_OWED') return <p class="notice news">{t('tickets.onItsWay')}</p>
  if (refunded.amount === 0) return null
  return <p class="notice news">{t('tickets.returned', { amount: formatter().money(refunded) })}</p>
}

interface StubProps {
  event: OrderOfEvent['event']
  ticket: Ticket
  isAway: boolean
  level?: string
  show?: () => void
}

function Stub({ event, ticket, isAway, level, show }: StubProps) {
  const { seat, section, barcode, voided, walletUrl } = ticket
  return (
    <article class={voided ? 'stub void' : 'stub'}>
      <div class="face">
        <Guilloche text={event.slug} width={600} height={260} />
        <div>
          <h2>{event.name}</h2>
          <p>
            {eventDate(event.startsAt, event.timeZone)}
            <br />
            {event.venue.name}
          </p>
          <dl>
            <Fact name={t('tickets.section')} value={section.name} />
            {seat && <Fact name={t('tickets.row')} value={seat.row} />}
            {seat && <Fact name={t('tickets.seat')} value={seat.number} />}
            {level && <Fact name={t('tickets.category')} value={level} />}
          </dl>
        </div>
      </div>
      <div class="code">
        {voided ? (
          <p>
            <strong>{t('tickets.void')}</strong>
            <br />
            {t('tickets.voidHint')}
          </p>
        ) : barcode === null ? (
          <p>{t('tickets.codeComes')}</p>
        ) : (
          <>
            <QrCode text={barcode} label={t('tickets.codeFor', { seat: placeOf(ticket) })} />
            <button type="button" class="primary show" onClick={show}>
              {t('tickets.showAtDoor')}
            </button>
            {walletUrl && !isAway && (
              <a class="button" href={walletUrl}>
                {t('tickets.wallet')}
              </a>
            )}
            <details>
              <summary>{t('tickets.codeAsText')}</summary>
              <code style={{ whiteSpace: 'pre-wrap' }}>{barcode}</code>
            </details>
          </>
        )}
      </div>
    </article>
  )
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
