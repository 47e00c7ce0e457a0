import type { EventRefundView } from '../../sale/orders/eventRefunds.ts'
import { builder } from '../builder/builder.ts'
import { Money } from '../builder/money.ts'
import { Event } from '../event.ts'
import { planOf } from '../section.ts'

const EventRefund = builder.objectRef<EventRefundView>('EventRefund').implement({
  description: 'The refund of all orders of an event that is called off.',
  fields: (t) => ({
    event: t.field({ type: Event, resolve: ({ eventId }, _args, { app }) => planOf(app, eventId) }),
    reason: t.exposeString('reason'),
    perSecond: t.exposeInt('perSecond', { description: 'Orders refunded in a second.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When no order was left; money may still be `owed`.',
    }),
    refunded: t.exposeInt('refunded', { description: 'Orders that it has refunded.' }),
    left: t.exposeInt('left', { description: 'Orders that are confirmed or paying.' }),
    owed: t.expose('owed', {
      type: Money,
      description: 'Of all refunds of the event that the payment provider has not reported done.',
    }),
    returned: t.expose('returned', {
      type: Money,
      description: 'Of all refunds of the event that the payment provider has reported done.',
    }),
    refused: t.exposeInt('refused', {
      description: 'Refunds that the payment provider refused for good: each one is a dead letter for ops.',
    }),
  }),
})

const RefundEventInput = builder.inputType('RefundEventInput', {
  description: 'The event to call off, and the rate of its refunds.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    reason: t.string({ required: true }),
    perSecond: t.int({ defaultValue: 10, description: 'Orders refunded in a second.' }),
  }),
})

builder.mutationField('refundEvent', (t) =>
  t.withAuth({ ops: true }).field({
    type: EventRefund,
    description:
      'Role ops. Calls the event off: ends its sale, and refunds every order, also those confirmed later. A second call changes the rate and goes on.',
    args: { input: t.arg({ type: RefundEventInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.eventRefunds.start(account, input),
  }),
)

builder.queryField('eventRefund', (t) =>
  t.withAuth({ ops: true }).field({
    type: EventRefund,
    nullable: true,
    description: 'Role ops. Null where the event was not called off.',
    args: { eventId: t.arg.id({ required: true }) },
    resolve: (_root, { eventId }, { app }) => app.eventRefunds.progress(eventId),
  }),
)
