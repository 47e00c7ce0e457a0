import { builder } from '../builder/builder.ts'
import { Order } from '../order.ts'

const RefundOrderInput = builder.inputType('RefundOrderInput', {
  description: 'The order or the tickets to refund. The audit trail keeps the reason.',
  fields: (t) => ({
    orderId: t.id({ required: true }),
    ticketIds: t.idList({ description: 'Null: all that is left.' }),
    reason: t.string({ required: true }),
    idempotencyKey: t.string({ required: true }),
  }),
})

builder.mutationField('refundOrder', (t) =>
  t.withAuth({ ops: true }).field({
    type: Order,
    description: 'Role ops. The whole order, or some of its tickets; their seats go back on sale.',
    args: { input: t.arg({ type: RefundOrderInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.orderRefunds.refundOrder(account, input),
  }),
)
