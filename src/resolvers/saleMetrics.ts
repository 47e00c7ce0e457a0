import { notImplemented } from '../sale/faults.ts'
import { builder } from './builder.ts'

interface SaleMetricsShape {
  readonly asOf: Date
  readonly admissionsPerSecond: number
  readonly holdsPerSecond: number
  readonly holdsRefusedPerSecond: number
  readonly checkoutsPerSecond: number
  readonly waiting: number
  readonly inside: number
  readonly available: number
  readonly held: number
  readonly sold: number
  readonly checkoutP99Ms: number | null
  readonly rate: number
  readonly rateCeiling: number
  readonly rateReason: string
}

const SaleMetrics = builder.objectRef<SaleMetricsShape>('SaleMetrics').implement({
  description: 'One second of a sale, for the panel that ops watch.',
  fields: (t) => ({
    asOf: t.expose('asOf', { type: 'DateTime' }),
    admissionsPerSecond: t.exposeFloat('admissionsPerSecond'),
    holdsPerSecond: t.exposeFloat('holdsPerSecond'),
    holdsRefusedPerSecond: t.exposeFloat('holdsRefusedPerSecond'),
    checkoutsPerSecond: t.exposeFloat('checkoutsPerSecond'),
    waiting: t.exposeInt('waiting'),
    inside: t.exposeInt('inside'),
    available: t.exposeInt('available'),
    held: t.exposeInt('held'),
    sold: t.exposeInt('sold'),
    checkoutP99Ms: t.exposeFloat('checkoutP99Ms', { nullable: true }),
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
    description: 'Role ops.',
    args: { eventId: t.arg.id({ required: true }) },
    subscribe: (): AsyncIterable<SaleMetricsShape> => {
      throw notImplemented('The metrics of a sale')
    },
    resolve: (metrics) => metrics,
  }),
)
