import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Hold } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, type TextKey, t } from '../i18n/texts.ts'
import { clockTime, duration } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import { ConfirmButton } from './ConfirmButton.tsx'

/** Cards of the sandbox. src/payments/sandbox.ts defines the behaviour of each one. */
const CARDS = [
  { token: 'pm_card_visa', name: 'Visa •••• 4242', says: 'buy.cardYes' },
  { token: 'pm_card_insufficient_funds', name: 'Visa •••• 9995', says: 'buy.cardNo' },
  { token: 'pm_slow', name: 'Visa •••• 3000', says: 'buy.cardSlow' },
] as const satisfies { token: string; name: string; says: TextKey }[]

/** The payment for the held seats. */
export function Pay({ page }: { page: Page }) {
  const { purchase } = page
  const hold = purchase.hold.value
  const card = useSignal<string>(CARDS[0].token)
  if (!hold) return null
  const state = purchase.state.value
  const paying = state === 'paying'
  const held = { count: hold.items.length }
  function submit(submitted: SubmitEvent) {
    submitted.preventDefault()
    void purchase.pay(card.value)
  }
  return (
    <div class="pay">
      <div>
        <h1 tabIndex={-1}>{t('buy.heldForYou', held)}</h1>
        <TimeToPay page={page} hold={hold} />
        <ul class="items">
          {hold.items.map(({ seat, section, priceLevel, total }) => (
            <li key={seat?.id}>
              <span>
                {section.name}
                {seat && <strong>{seatName(seat)}</strong>}
              </span>
              <span class="faint">{priceLevel.name}</span>
              <strong>{formatter().money(total)}</strong>
            </li>
          ))}
          <li class="total">
            <span>{t('buy.total')}</span>
            <strong>{formatter().money(hold.total)}</strong>
          </li>
        </ul>
      </div>
      <form class="sheet" onSubmit={submit} aria-busy={paying}>
        <fieldset disabled={paying}>
          <legend>{t('buy.sandboxCard')}</legend>
          <p class="faint">{t('buy.noRealCard')}</p>
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
                <span class="faint">{t(says)}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {paying ? (
          <p class="paying" role="status">
            <span class="spinner" /> {t('buy.paying')}
          </p>
        ) : (
          <>
            <button type="submit" class="primary" disabled={state !== 'idle'}>
              {t('buy.pay', { total: formatter().money(hold.total) })}
            </button>
            <ConfirmButton
              label={t('buy.giveBack', held)}
              question={t('buy.giveBackQuestion', held)}
              stay={t('buy.keep', held)}
              go={t('buy.giveBackNow')}
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
      announcer.interrupt(t('buy.timeLeftToPayNow', { time: duration(seconds) }))
  }, [seconds])
  return (
    <div class={seconds <= 60 ? 'timetopay hurry' : 'timetopay'}>
      <p role="timer" aria-label={t('buy.timeLeftToPay', { time: duration(seconds) })}>
        <b aria-hidden="true">{clockTime(seconds)}</b>
        <span aria-hidden="true">{t('buy.leftToPay')}</span>
      </p>
      <span class="gauge" style={{ '--share': Math.min(1, seconds / whole.current) }} />
      {seconds === 0 && <p>{t('buy.timeIsOver', { count: hold.items.length })}</p>}
    </div>
  )
}
