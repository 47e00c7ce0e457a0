import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { formatMoney, type Hold } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { clockTime, count, seatName, spokenTime } from '../texts.ts'
import { ConfirmButton } from './ConfirmButton.tsx'

/** Cards of the sandbox. src/payments/sandbox.ts defines the behaviour of each one. */
const CARDS = [
  { token: 'pm_card_visa', name: 'Visa •••• 4242', says: 'The bank says yes' },
  { token: 'pm_card_insufficient_funds', name: 'Visa •••• 9995', says: 'Declined: not enough money' },
  { token: 'pm_slow', name: 'Visa •••• 3000', says: 'Accepted, but the bank is slow' },
] as const

/** The payment for the held seats. */
export function Pay({ page }: { page: Page }) {
  const { purchase } = page
  const hold = purchase.hold.value
  const card = useSignal<string>(CARDS[0].token)
  if (!hold) return null
  const state = purchase.state.value
  const paying = state === 'paying'
  const seats = hold.items.length === 1 ? 'seat' : 'seats'
  function submit(submitted: SubmitEvent) {
    submitted.preventDefault()
    void purchase.pay(card.value)
  }
  return (
    <div class="pay">
      <div>
        <h1 tabIndex={-1}>
          {hold.items.length === 1
            ? 'This seat is held for you'
            : `These ${hold.items.length} seats are held for you`}
        </h1>
        <TimeToPay page={page} hold={hold} />
        <ul class="items">
          {hold.items.map(({ seat, section, priceLevel, total }) => (
            <li key={seat?.id}>
              <span>
                {section.name}
                {seat && <strong>{seatName(seat)}</strong>}
              </span>
              <span class="faint">{priceLevel.name}</span>
              <strong>{formatMoney(total)}</strong>
            </li>
          ))}
          <li class="total">
            <span>Total, fees included</span>
            <strong>{formatMoney(hold.total)}</strong>
          </li>
        </ul>
      </div>
      <form class="sheet" onSubmit={submit} aria-busy={paying}>
        <fieldset disabled={paying}>
          <legend>Pay with a sandbox card</legend>
          <p class="faint">No real card is needed, and no money is charged.</p>
          {CARDS.map(({ token, name, says }) => (
            <label key={token} class="option">
              <input
                type="radio"
                name="card"
                value={token}
                checked={card.value === token}
                onChange={() => (card.value = token)}
              />
              <span>
                {name}
                <span class="faint">{says}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {paying ? (
          <p class="paying" role="status">
            <span class="spinner" /> The bank is processing your payment. Wait here, and do not pay again.
          </p>
        ) : (
          <>
            <button type="submit" class="primary" disabled={state !== 'idle'}>
              Pay {formatMoney(hold.total)}
            </button>
            <ConfirmButton
              label={`Give the ${seats} back`}
              question={`Give the ${seats} back? Other fans can buy ${hold.items.length === 1 ? 'it' : 'them'} then.`}
              stay={`Keep the ${seats}`}
              go="Give back"
              disabled={state !== 'idle'}
              run={purchase.release}
            />
          </>
        )}
      </form>
    </div>
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
