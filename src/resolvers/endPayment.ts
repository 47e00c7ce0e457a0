import type { EndedPayment } from '../sale/orders/endPayment.ts'
import { builder } from './builder/builder.ts'
import { OrderState, PaymentState } from './order.ts'

const EndPaymentInput = builder.inputType('EndPaymentInput', {
  description: 'The order whose payment ends. The audit trail keeps the reason.',
  fields: (t) => ({
    orderId: t.id({ required: true }),
    reason: t.string({ required: true }),
  }),
})

const EndPaymentPayload = builder.objectRef<EndedPayment>('EndPaymentPayload').implement({
  description: 'The order after the payment provider has answered.',
  fields: (t) => ({
    orderId: t.exposeID('orderId'),
    state: t.expose('state', {
      type: OrderState,
      description: 'CONFIRMED where the provider reported that the money is taken.',
    }),
    payment: t.expose('payment', { type: PaymentState }),
  }),
})

builder.mutationField('endPayment', (t) =>
  t.withAuth({ ops: true }).field({
    type: EndPaymentPayload,
    description:
      'Role ops. Cancels the payment of an order that is PAYING at its provider, and then frees its seats. Kept in the audit trail, with the reason.',
    args: { input: t.arg({ type: EndPaymentInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.checkout.endPayment(account, input),
  }),
)
