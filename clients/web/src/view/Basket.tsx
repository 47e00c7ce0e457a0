import { formatMoney, sum } from '../../../sdk/index.ts'
import type { Page } from '../model/page.ts'
import { count, seatName } from '../words.ts'

/** What was picked, and the step from picking to holding. */
export function Basket({ page }: { page: Page }) {
  const { choice, purchase, sale, event } = page
  const chosen = choice.chosen.value
  const total = sum(chosen.map(({ level }) => level.total))
  const paused = sale.value?.state === 'PAUSED'
  const busy = purchase.state.value === 'holding'
  return (
    <aside class="sheet basket" aria-label="Your choice">
      <h2>Your choice</h2>
      {chosen.length === 0 ? (
        <p class="faint">
          Nothing yet. You can choose up to {count(sale.value?.ticketLimit ?? 0, 'seat')}; they are yours once
          you hold them.
        </p>
      ) : (
        <ul>
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
      {paused && <p>The sale is paused: seats can be looked at, and held when it goes on.</p>}
      {chosen.length > 0 && total && (
        <button
          type="button"
          class="primary"
          disabled={busy || paused}
          onClick={() => purchase.holdChoice(event.value?.id ?? '')}
        >
          {busy ? 'One moment…' : `Hold ${count(chosen.length, 'seat')} for ${formatMoney(total)}`}
        </button>
      )}
    </aside>
  )
}
