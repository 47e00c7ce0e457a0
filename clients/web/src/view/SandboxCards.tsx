import { useSignal } from '@preact/signals'
import { buyTexts as say } from '../texts.buy.ts'
import type { ReadMethod } from './PaymentForm.tsx'

/** Cards of the sandbox. src/payments/sandbox.ts defines the behaviour of each one. */
const CARDS = [
  { token: 'pm_card_visa', name: 'Visa •••• 4242', says: 'The bank says yes' },
  { token: 'pm_needs_action', name: 'Visa •••• 3220', says: 'The bank asks you to confirm' },
  { token: 'pm_card_insufficient_funds', name: 'Visa •••• 9995', says: 'Declined: not enough money' },
  { token: 'pm_slow', name: 'Visa •••• 3000', says: 'Accepted, but the bank is slow' },
] as const

export function SandboxCards({ provides }: { provides(read: ReadMethod): void }) {
  const card = useSignal<string>(CARDS[0].token)
  provides(async () => ({ token: card.value, provider: 'sandbox' }))
  return (
    <fieldset>
      <legend>{say.payWithSandbox}</legend>
      <p class="faint">{say.sandboxHint}</p>
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
  )
}
