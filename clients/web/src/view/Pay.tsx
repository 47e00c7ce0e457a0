import { useEffect, useRef } from 'preact/hooks'
import type { Hold } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import { clockTime, duration, eventDate } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'
import { ConfirmButton } from './ConfirmButton.tsx'
import { pushEntry, useEntry } from './entries.ts'
import { Miniature } from './Miniature.tsx'
import { PaymentForm } from './PaymentForm.tsx'

/** The held seats with event, date and place in sight, and the payment for them. */
export function Pay({ page }: { page: Page }) {
  const { purchase, mayChoose } = page
  useEntry(page, 'pay')
  const hold = purchase.hold.value
  if (!hold) return null
  const held = { count: hold.items.length }
  const isSeated = hold.items.some(({ seat }) => seat)
  const isOffer = page.waitlist.entry.value?.state === 'OFFERED'
  function change() {
    const section = page.event.value?.sections.find(({ id }) => id === hold?.items[0]?.section.id)
    const hash =
      isSeated && page.sale.value?.seatPicking && section ? `#${encodeURIComponent(section.key)}` : ''
    pushEntry('changing', hash || location.pathname)
    void purchase.change()
  }
  return (
    <div class="pay">
      <div>
        <h1 tabIndex={-1}>{t(isSeated ? 'buy.heldForYou' : 'buy.unitsHeld', held)}</h1>
        {isOffer && <p>{t('buy.fromWaitlist')}</p>}
        <TimeToPay page={page} hold={hold} />
      </div>
      <section class="sheet summary">
        <EventFacts page={page} />
        <Miniature page={page} hold={hold} />
        <Items hold={hold} />
        {purchase.state.value !== 'paying' && (
          <div class="row">
            {mayChoose.value && (
              <button type="button" class="quiet" onClick={change}>
                {t('buy.changeSeats')}
              </button>
            )}
            <ConfirmButton
              label={t('buy.giveBack', held)}
              question={t('buy.giveBackQuestion', held)}
              stay={t('buy.keep', held)}
              go={t('buy.giveBackNow')}
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
  return (
    <p class="about">
      <strong>{name}</strong>
      <span>{eventDate(startsAt, timeZone)}</span>
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
          <strong>{formatter().money(total)}</strong>
        </li>
      ))}
      <li class="total">
        <span>{t('buy.total')}</span>
        <strong>{formatter().money(hold.total)}</strong>
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
