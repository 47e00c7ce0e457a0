import { useSignal } from '@preact/signals'
import { t } from '../i18n/texts.ts'
import type { ReadMethod } from '../model/paymentMethod.ts'

/** Cards of the sandbox. src/payments/sandbox.ts defines the behaviour of each one. */
const CARDS = [
  { token: 'pm_card_visa', name: 'Visa •••• 4242', says: 'buy.cardYes' },
  { token: 'pm_needs_action', name: 'Visa •••• 3220', says: 'buy.cardAsks' },
  { token: 'pm_card_insufficient_funds', name: 'Visa •••• 9995', says: 'buy.cardNo' },
  { token: 'pm_slow', name: 'Visa •••• 3000', says: 'buy.cardSlow' },
] as const

export function SandboxCards({ provides }: { provides(read: ReadMethod): void }) {
  const card = useSignal<string>(CARDS[0].token)
  provides(async () => ({ token: card.value, provider: 'sandbox' }))
  return (
    <fieldset>
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
  )
}
