import type { SaleMetricsView } from '../../sale/ops/saleMetrics.ts'
import { builder } from '../builder/builder.ts'
import { until } from '../request/broadcast.ts'
import { notFound } from '../request/notFound.ts'
import { watchTokenExpiry } from '../request/tokenExpiry.ts'

const SaleMetrics = builder.objectRef<SaleMetricsView>('SaleMetrics').implement({
  description: 'One second of a sale, for the panel that ops watch.',
  fields: (t) => ({
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description:
        'As old as the oldest of the figures: while a store is away it stands still, and they with it.',
    }),
    admissionsPerSecond: t.exposeFloat('admissionsPerSecond', {
      description: 'Places called; like all figures a second, over the last ten.',
    }),
    holdsPerSecond: t.exposeFloat('holdsPerSecond'),
    holdsRefusedPerSecond: t.exposeFloat('holdsRefusedPerSecond'),
    checkoutsPerSecond: t.exposeFloat('checkoutsPerSecond', { description: 'Answered, bought or not.' }),
    waiting: t.exposeInt('waiting'),
    inside: t.exposeInt('inside', { description: 'Admissions alive; 0 where the waiting room is off.' }),
    available: t.exposeInt('available'),
    held: t.exposeInt('held'),
    sold: t.exposeInt('sold'),
    checkoutP99Ms: t.exposeFloat('checkoutP99Ms', {
      nullable: true,
      description: 'Over the last ten seconds, to 5 percent. Null where nobody paid, or Redis is away.',
    }),
    rate: t.exposeFloat('rate', {
      description: 'What the pacer allows now, what ops allow at most, and why the first is lower.',
    }),
    rateCeiling: t.exposeFloat('rateCeiling'),
    rateReason: t.exposeString('rateReason'),
  }),
})

builder.subscriptionField('saleMetrics', (t) =>
  t.withAuth({ ops: true }).field({
    type: SaleMetrics,
    description: 'Role ops. Once a second, until the token ends.',
    args: { eventId: t.arg.id({ required: true }) },
    subscribe: async (_root, { eventId }, context) => {
      const { sales, saleMetrics } = context.app
      if (!(await sales.find(eventId))) throw notFound('event', 'eventId')
      return until(watchTokenExpiry(context), saleMetrics.updates(eventId))
    },
    resolve: (metrics) => metrics,
  }),
)
