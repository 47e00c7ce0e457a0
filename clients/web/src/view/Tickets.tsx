import type { Ticket } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { count, eventDate, seatName } from '../texts.ts'
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
          ? justBought === 1
            ? 'The seat is yours'
            : `The ${justBought} seats are yours`
          : `Your ${count(tickets.length, 'ticket')}`}
      </h1>
      <p>
        Show the code at the door, on this screen or on paper. To find your tickets again, open this address
        in any browser, sign in as {page.account.name.value} and press “{count(tickets.length, 'ticket')}” at
        the top.
      </p>
      <button type="button" class="primary print" onClick={() => print()}>
        Print
      </button>
      <ul>
        {tickets.map((ticket) => (
          <li key={ticket.id}>
            <Stub page={page} ticket={ticket} />
          </li>
        ))}
      </ul>
      <button type="button" class="quiet" onClick={() => page.showTickets(false)}>
        Back to the event
      </button>
    </div>
  )
}

function Stub({ page, ticket }: { page: Page; ticket: Ticket }) {
  const event = page.event.value
  if (!event) return null
  const { date, time } = eventDate(event.startsAt, event.timeZone)
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
            {date}, {time}
            <br />
            {event.venue.name}
          </p>
          <dl>
            <div>
              <dt>Section</dt>
              <dd>{section.name}</dd>
            </div>
            {seat && (
              <>
                <div>
                  <dt>Row</dt>
                  <dd>{seat.row}</dd>
                </div>
                <div>
                  <dt>Seat</dt>
                  <dd>{seat.number}</dd>
                </div>
              </>
            )}
            {level && (
              <div>
                <dt>Category</dt>
                <dd>{level.name}</dd>
              </div>
            )}
          </dl>
        </div>
      </div>
      {ticket.barcode === null ? (
        <div class="code">
          <p>The code appears here as soon as your bank has completed the payment.</p>
        </div>
      ) : (
        <div class="code">
          <QrCode text={ticket.barcode} label={`Code for ${seat ? seatName(seat) : section.name}`} />
          <details>
            <summary>The code as text</summary>
            <code style={{ whiteSpace: 'pre-wrap' }}>{ticket.barcode}</code>
          </details>
        </div>
      )}
    </article>
  )
}
