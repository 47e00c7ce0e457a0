import type { Ticket } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { t } from '../i18n/texts.ts'
import { eventDate } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import { Guilloche } from './Guilloche.tsx'
import { QrCode } from './QrCode.tsx'

/** The tickets with the codes that the door scans. */
export function Tickets({ page }: { page: Page }) {
  const { purchase } = page
  const tickets = purchase.tickets.value
  const justBought = purchase.bought.value?.tickets.length ?? 0
  return (
    <div class="tickets">
      <h1 tabIndex={-1}>
        {justBought
          ? t('tickets.areYours', { count: justBought })
          : t('tickets.yourTickets', { count: tickets.length })}
      </h1>
      <p>
        {t('tickets.howToShow', {
          name: page.account.name.value ?? '',
          button: t('page.ticketCount', { count: tickets.length }),
        })}
      </p>
      <button type="button" class="primary print" onClick={() => print()}>
        {t('tickets.print')}
      </button>
      <ul>
        {tickets.map((ticket) => (
          <li key={ticket.id}>
            <Stub page={page} ticket={ticket} />
          </li>
        ))}
      </ul>
      <button type="button" class="quiet" onClick={() => page.showTickets(false)}>
        {t('tickets.backToEvent')}
      </button>
    </div>
  )
}

function Stub({ page, ticket }: { page: Page; ticket: Ticket }) {
  const event = page.event.value
  if (!event) return null
  const { seat, section } = ticket
  const level = event.sections
    .flatMap(({ priceLevels }) => priceLevels)
    .find(({ id }) => id === seat?.priceLevelId)
  return (
    <article class="stub">
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
            <div>
              <dt>{t('tickets.section')}</dt>
              <dd>{section.name}</dd>
            </div>
            {seat && (
              <>
                <div>
                  <dt>{t('tickets.row')}</dt>
                  <dd>{seat.row}</dd>
                </div>
                <div>
                  <dt>{t('tickets.seat')}</dt>
                  <dd>{seat.number}</dd>
                </div>
              </>
            )}
            {level && (
              <div>
                <dt>{t('tickets.category')}</dt>
                <dd>{level.name}</dd>
              </div>
            )}
          </dl>
        </div>
      </div>
      {ticket.barcode === null ? (
        <div class="code">
          <p>{t('tickets.codeComes')}</p>
        </div>
      ) : (
        <div class="code">
          <QrCode
            text={ticket.barcode}
            label={t('tickets.codeFor', { seat: seat ? seatName(seat) : section.name })}
          />
          <details>
            <summary>{t('tickets.codeAsText')}</summary>
            <code style={{ whiteSpace: 'pre-wrap' }}>{ticket.barcode}</code>
          </details>
        </div>
      )}
    </article>
  )
}
