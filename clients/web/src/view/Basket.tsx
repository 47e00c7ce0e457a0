import { useSignal } from '@preact/signals'
import { formatMoney, sum } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
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
  return (
    <aside class="sheet basket" aria-label="Your choice">
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
          {chosen.map(({ seat, section, level }) => (
            <li key={seat.id}>
              <span>
                {seatName(seat)} <span class="faint">{section.name}</span>
              </span>
              <strong>{formatMoney(level.total)}</strong>
              <button
                type="button"
                class="quiet"
                aria-label={`Put ${seatName(seat)} back`}
                onClick={() => choice.drop([seat.id])}
              >
                ×
              </button>
            </li>
          ))}
        </ul>
      )}
      {paused && <p>The sale is paused. You can look at seats now and reserve them when it continues.</p>}
      {chosen.length > 0 && total && (
        <button
          type="button"
          class="primary"
          disabled={busy || paused}
          onClick={() => purchase.holdChoice(event.value?.id ?? '')}
        >
          {busy ? 'One moment…' : `Reserve ${count(chosen.length, 'seat')} · ${formatMoney(total)}`}
        </button>
      )}
      {chosen.length > 0 && sale.value && (
        <p class="faint">
          {chosen.length === 1 ? 'It is' : 'They are'} kept for you for {duration(sale.value.holdSeconds)}{' '}
          while you pay.
        </p>
      )}
    </aside>
  )
}
