import { useEffect, useRef } from 'preact/hooks'
import { formatMoney, type Hold } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { buyTexts as say } from '../texts.buy.ts'
import { clockTime, count, eventDate, seatName, spokenTime } from '../texts.ts'
import { ConfirmButton } from './ConfirmButton.tsx'
import { Miniature } from './Miniature.tsx'
import { PaymentForm } from './PaymentForm.tsx'

/** The held seats with event, date and place in sight, and the payment for them. */
export function Pay({ page }: { page: Page }) {
  const { purchase } = page
  const hold = purchase.hold.value
  if (!hold) return null
  const seats = hold.items.length === 1 ? 'seat' : 'seats'
  const isSeated = hold.items.some(({ seat }) => seat)
  function change() {
    const section = page.event.value?.sections.find(({ id }) => id === hold?.items[0]?.section.id)
    const hash =
      isSeated && page.sale.value?.seatPicking && section ? `#${encodeURIComponent(section.key)}` : ''
    history.pushState(null, '', hash || location.pathname)
    void purchase.change()
  }
  return (
    <div class="pay">
      <div>
        <h1 tabIndex={-1}>{isSeated ? say.held(hold.items.length) : say.heldUnits(hold.items.length)}</h1>
        <TimeToPay page={page} hold={hold} />
      </div>
      <section class="sheet summary">
        <EventFacts page={page} />
        <Miniature page={page} hold={hold} />
        <Items hold={hold} />
        {purchase.state.value !== 'paying' && (
          <div class="row">
            <button type="button" class="quiet" onClick={change}>
              {say.changeSeats}
            </button>
            <ConfirmButton
              label={`Give the ${seats} back`}
              question={`Give the ${seats} back? Other fans can buy ${hold.items.length === 1 ? 'it' : 'them'} then.`}
              stay={`Keep the ${seats}`}
              go="Give back"
              disabled={purchase.state.value !== 'idle'}
              run={purchase.release}
            />
          </div>
        )}
      </section>
      <PaymentForm page={page} hold={hold} />
    </div>
  )
}

function EventFacts({ page: { event } }: { page: Page }) {
  if (!event.value) return null
  const { name, startsAt, timeZone, venue } = event.value
  const { date, time } = eventDate(startsAt, timeZone)
  return (
    <p class="event">
      <strong>{name}</strong>
      <span>
        {date}, {time}
      </span>
      <span>
        {venue.name}
        {venue.city && `, ${venue.city}`}
      </span>
    </p>
  )
}

function Items({ hold }: { hold: Hold }) {
  return (
    <ul class="items">
      {hold.items.map(({ seat, section, priceLevel, total }, i) => (
        <li key={seat?.id ?? i}>
          <span>
            {section.name}
            {seat && <strong>{seatName(seat)}</strong>}
          </span>
          {priceLevel.name !== section.name && <span class="faint">{priceLevel.name}</span>}
          <strong>{formatMoney(total)}</strong>
        </li>
      ))}
      <li class="total">
        <span>{say.total}</span>
        <strong>{formatMoney(hold.total)}</strong>
      </li>
    </ul>
  )
}

function TimeToPay({ page, hold }: { page: Page; hold: Hold }) {
  const seconds = page.time.secondsUntil(hold.expiresAt)
  // The gauge is relative to the longest time so far, but for the time that an order has while it is paid.
  const whole = useRef(page.sale.value?.holdSeconds ?? 0)
  if (hold.order === null) whole.current = Math.max(whole.current, seconds)
  const { announcer } = page
  useEffect(() => {
    if (seconds === 120 || seconds === 60 || seconds === 20)
      announcer.interrupt(`${spokenTime(seconds)} left to pay.`)
  }, [seconds])
  return (
    <div class={seconds <= 60 ? 'timetopay hurry' : 'timetopay'}>
      <p role="timer" aria-label={`${spokenTime(seconds)} left to pay`}>
        <b aria-hidden="true">{clockTime(seconds)}</b>
        <span aria-hidden="true">left to pay</span>
      </p>
      <span class="gauge" style={{ '--share': Math.min(1, seconds / whole.current) }} />
      {seconds === 0 && (
        <p>
          The time is over. You can still pay if no other fan has taken the {count(hold.items.length, 'seat')}
          .
        </p>
      )}
    </div>
  )
}
