import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { sum } from '../../../sdk/index.ts'
import { seatName } from '../i18n/names.ts'
import { formatter, t } from '../i18n/texts.ts'
import { duration } from '../i18n/times.ts'
import type { Page } from '../model/page.ts'

/** On a phone, more lines than this would cover the seats. */
const FOLDED_FROM = 3

/** The chosen seats, and the button that holds them. */
export function Basket({ page }: { page: Page }) {
  const { choice, purchase, sale, event } = page
  const chosen = choice.chosen.value
  const total = sum(chosen.map(({ level }) => level.total))
  const paused = sale.value?.state === 'PAUSED'
  const unfolded = useSignal(false)
  const folds = chosen.length >= FOLDED_FROM
  const busy = purchase.state.value === 'holding'
  const changing = purchase.changing.value
  const basket = useRef<HTMLElement>(null)
  const putBack = useRef<number | null>(null)
  // The pressed button is gone with its seat: the focus moves to its neighbour, or to the basket.
  useLayoutEffect(() => {
    const index = putBack.current
    if (index === null) return
    putBack.current = null
    const buttons = basket.current?.querySelectorAll<HTMLElement>('li .quiet') ?? []
    ;(buttons[Math.min(index, buttons.length - 1)] ?? basket.current)?.focus()
  }, [chosen])
  return (
    <aside class="sheet basket" aria-label={t('buy.yourChoice')} ref={basket} tabIndex={-1}>
      <h2>{t('buy.yourChoice')}</h2>
      {chosen.length === 0 && (
        <p class="faint">{t('buy.nothingYet', { limit: sale.value?.ticketLimit ?? 0 })}</p>
      )}
      {folds && (
        <button
          type="button"
          class="fold"
          aria-expanded={unfolded.value}
          aria-controls="chosen"
          onClick={() => (unfolded.value = !unfolded.value)}
        >
          {t('buy.seatsChosen', { count: chosen.length })}
        </button>
      )}
      {chosen.length > 0 && (
        <ul id="chosen" class={folds && !unfolded.value ? 'folded' : ''}>
          {chosen.map(({ seat, section, level }, i) => (
            <li key={seat.id}>
              <span>
                {seatName(seat)} <span class="faint">{section.name}</span>
              </span>
              <strong>{formatter().money(level.total)}</strong>
              <button
                type="button"
                class="quiet"
                aria-label={t('buy.putBack', { seat: seatName(seat) })}
                onClick={() => {
                  putBack.current = i
                  choice.drop([seat.id])
                }}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {paused && <p>{t('buy.paused')}</p>}
      {chosen.length > 0 && total && (
        <button
          type="button"
          class="primary"
          disabled={busy || paused}
          onClick={() => purchase.holdChoice(event.value?.id ?? '')}
        >
          {busy
            ? t('page.oneMoment')
            : t(changing ? 'buy.exchange' : 'buy.reserve', {
                count: chosen.length,
                total: formatter().money(total),
              })}
        </button>
      )}
      {chosen.length > 0 && sale.value && !changing && (
        <p class="faint">
          {t('buy.keptFor', { count: chosen.length, time: duration(sale.value.holdSeconds) })}
        </p>
      )}
    </aside>
  )
}
