import type { ReconciliationView } from '../../sale/ops/reconciliation.ts'
import { builder } from '../builder/builder.ts'
import { Money } from '../builder/money.ts'
import { notFound } from '../request/notFound.ts'

const Finding = builder.objectRef<ReconciliationView['findings'][number]>('Finding').implement({
  description: 'A fault that a reconciliation found.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description:
        'SEAT_WITHOUT_TICKET, TICKET_WITHOUT_ORDER, CAPTURE_WITHOUT_ORDER, ORDER_STUCK, MAP_DIFFERS…',
    }),
    subject: t.exposeID('subject'),
    detail: t.exposeString('detail'),
  }),
})

const Reconciliation = builder.objectRef<ReconciliationView>('Reconciliation').implement({
  description: 'Every figure from one snapshot. `ok` where nothing is listed under `findings`.',
  fields: (t) => ({
    eventId: t.exposeID('eventId'),
    asOf: t.expose('asOf', { type: 'DateTime' }),
    ok: t.exposeBoolean('ok'),
    capacity: t.exposeInt('capacity'),
    available: t.exposeInt('available'),
    held: t.exposeInt('held'),
    sold: t.exposeInt('sold'),
    notForSale: t.exposeInt('notForSale'),
    tickets: t.exposeInt('tickets'),
    ordersConfirmed: t.exposeInt('ordersConfirmed'),
    ordersPaying: t.exposeInt('ordersPaying'),
    captured: t.expose('captured', { type: Money }),
    findings: t.expose('findings', { type: [Finding] }),
  }),
})

builder.queryField('reconciliation', (t) =>
  t.withAuth({ ops: true }).field({
    type: Reconciliation,
    description: 'Role ops. Proves, from the database and the payment provider, that the sale adds up.',
    args: { eventId: t.arg.id({ required: true }) },
    resolve: async (_root, { eventId }, { app }) => {
      if (!(await app.catalogue.event(eventId))) throw notFound('event', 'eventId')
      return app.reconciliation.of(eventId)
    },
  }),
)
