import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Hold } from '../../../sdk/index.ts'
import { formatter, t } from '../i18n/texts.ts'
import type { Page } from '../model/page.ts'
import type { PaymentMethod, ReadMethod } from '../model/paymentMethod.ts'
import { SandboxCards } from './SandboxCards.tsx'
import { StripeElement } from './StripeElement.tsx'

/** The payment with the provider that takes new orders now. While the bank decides, its place shows what happens. */
export function PaymentForm({ page, hold }: { page: Page; hold: Hold }) {
  const { purchase } = page
  const reading = useSignal(false)
  const method = useRef<ReadMethod>(async () => null)
  const paying = purchase.state.value === 'paying'
  const status = useRef<HTMLDivElement>(null)
  const submit = useRef<HTMLButtonElement>(null)
  const was = useRef(paying)
  // The pressed button goes while the bank decides, and comes back after a refusal: the focus follows.
  useLayoutEffect(() => {
    if (was.current !== paying) (paying ? status.current : submit.current)?.focus()
    was.current = paying
  }, [paying])

  async function pay(submitted: SubmitEvent) {
    submitted.preventDefault()
    if (reading.value) return
    reading.value = true
    const entered = await method.current().finally(() => {
      reading.value = false
    })
    if (entered) await purchase.pay(entered)
  }

  const isFree = hold.total.amount === 0
  return (
    <form class="sheet method" onSubmit={pay} aria-busy={paying || reading.value}>
      {/* The form keeps what the fan has entered for the next attempt. */}
      <div hidden={paying}>
        <Method hold={hold} provides={(read) => (method.current = read)} />
      </div>
      {paying ? (
        <div class="waits" ref={status} tabIndex={-1} role="status">
          <Waiting page={page} />
        </div>
      ) : (
        <button
          ref={submit}
          type="submit"
          class="primary"
          aria-disabled={purchase.state.value !== 'idle' || reading.value}
        >
          {isFree ? t('buy.getTickets') : t('buy.pay', { total: formatter().money(hold.total) })}
        </button>
      )}
    </form>
  )
}

function Waiting({ page: { purchase } }: { page: Page }) {
  const url = purchase.action.value
  if (!url) {
    return (
      <p class="paying">
        <span class="spinner" /> {t('buy.paying')}
      </p>
    )
  }
  return (
    <>
      <h2>{t('buy.actionTitle')}</h2>
      <p>{t('buy.actionText')}</p>
      <a class="button primary" href={url}>
        {t('buy.actionGo')}
      </a>
      <button type="button" onClick={purchase.payAnotherWay}>
        {t('buy.actionOther')}
      </button>
    </>
  )
}

function Method({ hold, provides }: { hold: Hold; provides(read: ReadMethod): void }) {
  const { provider, publishableKey } = hold.payments
  if (hold.total.amount === 0) {
    return <Plain title={t('buy.freeOfCharge')} method={{ token: 'free', provider }} provides={provides} />
  }
  if (provider === 'sandbox') return <SandboxCards provides={provides} />
  if (provider === 'stripe' && publishableKey)
    return <StripeElement publishableKey={publishableKey} total={hold.total} provides={provides} />
  return (
    <Plain title={t('buy.payThere')} method={{ token: 'page', provider }} provides={provides}>
      <p class="faint">{t('buy.payThereHint')}</p>
    </Plain>
  )
}

/** Nothing to enter here. */
function Plain(props: {
  title: string
  method: PaymentMethod
  provides(read: ReadMethod): void
  children?: ComponentChildren
}) {
  props.provides(async () => props.method)
  return (
    <>
      <h2>{props.title}</h2>
      {props.children}
    </>
  )
}
