import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { formatMoney, sum } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { buyTexts as say } from '../texts.buy.ts'
import { count, duration, seatName } from '../texts.ts'

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
    <aside class="sheet basket" aria-label="Your choice" ref={basket} tabIndex={-1}>
      <h2>Your choice</h2>
      {chosen.length === 0 && (
        <p class="faint">
          Nothing yet. You can choose up to {count(sale.value?.ticketLimit ?? 0, 'seat')}, then reserve them
          while you pay.
        </p>
      )}
      {folds && (
        <button
          type="button"
          class="fold"
          aria-expanded={unfolded.value}
          aria-controls="chosen"
          onClick={() => (unfolded.value = !unfolded.value)}
        >
          {count(chosen.length, 'seat')} chosen
        </button>
      )}
      {chosen.length > 0 && (
        <ul id="chosen" class={folds && !unfolded.value ? 'folded' : ''}>
          {chosen.map(({ seat, section, level }, i) => (
            <li key={seat.id}>
              <span>
                {seatName(seat)} <span class="faint">{section.name}</span>
              </span>
              <strong>{formatMoney(level.total)}</strong>
              <button
                type="button"
                class="quiet"
                aria-label={`Put ${seatName(seat)} back`}
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
      {paused && <p>{say.paused}</p>}
      {chosen.length > 0 && total && (
        <button
          type="button"
          class="primary"
          disabled={busy || paused}
          onClick={() => purchase.holdChoice(event.value?.id ?? '')}
        >
          {busy
            ? say.oneMoment
            : purchase.changing.value
              ? say.exchange(chosen.length, formatMoney(total))
              : `Reserve ${count(chosen.length, 'seat')} · ${formatMoney(total)}`}
        </button>
      )}
      {chosen.length > 0 && sale.value && !purchase.changing.value && (
        <p class="faint">
          {chosen.length === 1 ? 'It is' : 'They are'} kept for you for {duration(sale.value.holdSeconds)}{' '}
          while you pay.
        </p>
      )}
    </aside>
  )
}
