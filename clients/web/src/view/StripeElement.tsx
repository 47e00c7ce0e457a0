import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Money } from '../../../sdk/index.ts'
import { t } from '../i18n/texts.ts'
import type { ReadMethod } from '../model/paymentMethod.ts'
import type { StripeForm } from '../payments/stripeForm.ts'

interface StripeElementProps {
  publishableKey: string
  total: Money
  provides(read: ReadMethod): void
}

/** Stripe's Payment Element: cards, and the wallets that the browser has. The card's number never reaches this page. */
export function StripeElement({ publishableKey, total, provides }: StripeElementProps) {
  const state = useSignal<'loading' | 'ready' | 'failed'>('loading')
  const fault = useSignal('')
  const place = useRef<HTMLDivElement>(null)
  const form = useRef<StripeForm | null>(null)

  async function load() {
    state.value = 'loading'
    try {
      const { createStripeForm } = await import('../payments/stripeForm.ts')
      form.current = await createStripeForm(publishableKey, total, place.current as HTMLElement)
      state.value = 'ready'
    } catch {
      state.value = 'failed'
    }
  }
  useEffect(() => {
    void load()
    return () => form.current?.remove()
  }, [publishableKey])

  provides(async () => {
    fault.value = ''
    if (!form.current) return null
    try {
      return { provider: 'stripe', token: await form.current.read() }
    } catch (error) {
      fault.value = error instanceof Error ? error.message : String(error)
      return null
    }
  })
  return (
    <>
      <h2>{t('buy.payTitle')}</h2>
      {state.value === 'loading' && (
        <p class="paying" role="status">
          <span class="spinner" /> {t('buy.loadingForm')}
        </p>
      )}
      {state.value === 'failed' && (
        <div role="alert">
          <p>{t('buy.formFailed')}</p>
          <button type="button" onClick={load}>
            {t('buy.loadFormAgain')}
          </button>
        </div>
      )}
      <div ref={place} class="element" />
      <p role="alert" class="fault">
        {fault.value}
      </p>
    </>
  )
}
