import type { Sale } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { CHECKING, CHECKING_TAKES, count, eventDate, list, TURN_LAPSED, when } from '../texts.ts'
import { Countdown } from './Countdown.tsx'
import { Guilloche } from './Guilloche.tsx'
import { Prices } from './Prices.tsx'
import { SignIn } from './SignIn.tsx'
import { Waitlist } from './Waitlist.tsx'

/** The event, its prices and the state of its sale, for a fan who is not in the line or inside. */
export function EventView({ page }: { page: Page }) {
  const event = page.event.value
  const sale = page.sale.value
  if (!event || !sale) return null
  const { date, time } = eventDate(event.startsAt, event.timeZone)
  return (
    <>
      <section class="poster">
        <Guilloche text={event.slug} width={1200} height={420} />
        <div>
          {event.performers.length > 0 && <p class="performers">{list(event.performers)}</p>}
          <h1 tabIndex={-1}>{dashesKept(event.name)}</h1>
          <p class="facts">
            <span>
              {date}, {time}
            </span>
            <span>
              {event.venue.name}
              {event.venue.city && `, ${event.venue.city}`}
            </span>
          </p>
        </div>
      </section>
      <div class="event">
        <section class="sheet status" aria-label="The sale">
          <SaleStatus page={page} sale={sale} />
        </section>
        <Prices sections={event.sections} />
      </div>
    </>
  )
}

/** Keeps a dash on the line of the word before it. */
function dashesKept(name: string): string {
  return name.replace(/ (?=[-–—] )/g, '\u00a0')
}

function SaleStatus({ page, sale }: { page: Page; sale: Sale }) {
  const tickets = page.purchase.tickets.value.length
  const queueState = page.line.position.value?.state
  switch (sale.state) {
    case 'SCHEDULED':
      return (
        <>
          <Countdown page={page} to={sale.preQueueOpensAt} label="The line opens in" />
          <p>
            Tickets go on sale {when(sale.opensAt)}. Come back when the line opens to take your place in it.
          </p>
        </>
      )
    case 'PRE_QUEUE':
      return (
        <>
          <Countdown page={page} to={sale.opensAt} label="The sale opens in" />
          <p>The line can be joined now. You will see your place in it when the sale opens.</p>
          <JoinButton page={page} label="Join the line" />
        </>
      )
    case 'ON_SALE':
      return (
        <>
          <h2>On sale now</h2>
          {queueState === 'LAPSED' && (
            <p>
              <strong>{TURN_LAPSED.what}</strong> {TURN_LAPSED.next}
            </p>
          )}
          <Availability sale={sale} />
          {tickets >= sale.ticketLimit ? (
            <p>You have {count(tickets, 'ticket')}, as many as one account can have.</p>
          ) : (
            <JoinButton page={page} label={sale.waitingRoom ? 'Join the line' : 'Choose seats'} />
          )}
        </>
      )
    case 'PAUSED':
      return (
        <>
          <h2>The sale is paused</h2>
          <p>
            You do not need to do anything: this page continues by itself when the sale does. Places in the
            line are kept, and you can pay for held seats.
          </p>
          {sale.waitingRoom && <JoinButton page={page} label="Join the line" />}
        </>
      )
    case 'SOLD_OUT':
      return (
        <>
          <h2>Sold out</h2>
          <p>
            {tickets > 0
              ? `Every seat is sold, and ${tickets === 1 ? 'one of them is' : `${tickets} of them are`} yours.`
              : 'No seat is left: each was sold once. Thank you for waiting with us.'}
          </p>
          <Waitlist page={page} sale={sale} />
        </>
      )
    case 'ENDED':
      return (
        <>
          <h2>The sale has ended</h2>
          <p>Tickets for this event are no longer sold here.</p>
          {!page.account.name.value && <SignIn page={page} label="See my tickets" then={() => undefined} />}
        </>
      )
  }
}

function Availability({ sale }: { sale: Sale }) {
  const inLine = sale.waitingRoom?.waiting ?? 0
  return (
    <p>
      {sale.available > 0
        ? `${count(sale.available, 'seat is', 'seats are')} free.`
        : `No seat is free now. ${count(sale.held, 'seat is', 'seats are')} held but not paid, and may become free.`}
      {inLine > 0 && ` ${count(inLine, 'person waits', 'people wait')} in the line.`}
    </p>
  )
}

/** The button that joins the line, with the sign-in before it if needed. */
function JoinButton({ page, label }: { page: Page; label: string }) {
  const { account, line } = page
  const join = () => (page.sale.value?.waitingRoom ? line.join() : undefined)
  if (!account.name.value) return <SignIn page={page} label={label} then={join} />
  return (
    <>
      <button type="button" class="primary" disabled={line.busy.value} onClick={join}>
        {line.busy.value ? 'Joining…' : label}
      </button>
      {line.checking.value && (
        <p>
          <strong>{CHECKING}</strong> {CHECKING_TAKES}
        </p>
      )}
    </>
  )
}
