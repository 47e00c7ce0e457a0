import { signal } from '@preact/signals'
import { expect, test, vi } from 'vitest'
import { createPayment } from '../../../clients/web/src/model/payment.ts'
import type { PurchaseState } from '../../../clients/web/src/model/purchaseState.ts'

/** A payment that the bank never answers. */
function paying() {
  vi.stubGlobal('document', { documentElement: { lang: 'en' } })
  const state = signal<PurchaseState>('idle')
  const settled = vi.fn()
  const checkout = { pay: () => new Promise(() => {}), settled, watch: () => () => {} }
  const payment = createPayment({
    fairgate: { checkout } as never,
    hold: () => ({ id: 'hld_1' }) as never,
    dropHold() {},
    state,
    left: { read: () => null, write() {} },
    notices: { clear() {}, show() {} } as never,
    announcer: { clear() {} } as never,
  })
  void payment.pay({ token: 'tok', provider: 'sandbox' })
  return { payment, state, settled }
}

test('what another tab does leaves the payment of this one under way', () => {
  const { payment, state, settled } = paying()
  payment.resume([{ id: 'ord_1', state: 'PAYING', hold: { id: 'hld_1' } } as never])
  expect(settled).not.toHaveBeenCalled()
  expect(state.value).toBe('paying')
})

test('after the account has changed during a payment, the page takes orders again', () => {
  const { payment, state } = paying()
  payment.drop()
  expect(state.value).toBe('idle')
})
