import { planId } from '../sale/ids.ts'
import type { SaleView } from '../sale/saleView.ts'
import { builder } from './builder/builder.ts'
import { Node } from './builder/node.ts'
import { PLAN_COST } from './builder/planCost.ts'
import { Event } from './event.ts'
import { PaymentSettings } from './paymentSettings.ts'
import { broadcasts } from './request/broadcast.ts'
import { notFound } from './request/notFound.ts'

export const SaleState = builder.enumType('SaleState', {
  description: 'The state of a sale.',
  values: {
    SCHEDULED: {},
    PRE_QUEUE: { description: 'The line may be joined; places are drawn at `opensAt`.' },
    ON_SALE: {},
    PAUSED: {},
    SOLD_OUT: {},
    ENDED: {},
  },
})

const SectionCount = builder.objectRef<{ sectionId: string; available: number }>('SectionCount').implement({
  description: 'The free seats or units of a section.',
  fields: (t) => ({
    sectionId: t.exposeID('sectionId'),
    available: t.exposeInt('available'),
  }),
})

const PriceCount = builder
  .objectRef<{ priceLevelId: string; available: number | null; held: number | null }>('PriceCount')
  .implement({
    description: 'What is left of a price level, in all sections together.',
    fields: (t) => ({
      priceLevelId: t.exposeID('priceLevelId'),
      available: t.exposeInt('available', {
        nullable: true,
        description: 'Null while the map is away, and for an area of general admission with several prices.',
      }),
      held: t.exposeInt('held', {
        nullable: true,
        description: 'Seats and places in holds, which may still come back. Null like `available`.',
      }),
    }),
  })

export const Sale = builder.objectRef<SaleView>('Sale').implement({
  description: 'The sale of an event: its settings, its state, and what is left.',
  interfaces: [Node],
  fields: (t) => ({
    eventId: t.exposeID('eventId', {
      description: 'The event whose sale it is; the id of `Sale` is another one.',
    }),
    state: t.expose('state', { type: SaleState }),
    preQueueOpensAt: t.expose('preQueueOpensAt', { type: 'DateTime' }),
    opensAt: t.expose('opensAt', { type: 'DateTime' }),
    endsAt: t.expose('endsAt', { type: 'DateTime', nullable: true }),
    ticketLimit: t.exposeInt('ticketLimit', {
      description: 'Tickets that one account may hold and own for this event, together.',
    }),
    holdSeconds: t.exposeInt('holdSeconds', { description: 'How long a hold lasts at least.' }),
    seatPicking: t.exposeBoolean('seatPicking', {
      description: 'False: sections and quantities only, for the hottest sales.',
    }),
    available: t.int({
      description: 'Seats and places that nobody holds or owns, as of `asOf`.',
      resolve: ({ counts }) => counts.available,
    }),
    held: t.int({
      description: 'Seats and places in holds that may still come back.',
      resolve: ({ counts }) => counts.held,
    }),
    sections: t.field({
      type: [SectionCount],
      resolve: ({ eventId, counts }) =>
        counts.sections.map(({ sectionNo, available }) => ({
          sectionId: planId('sec', eventId, sectionNo),
          available,
        })),
    }),
    prices: t.field({
      type: [PriceCount],
      description: 'By price level, in the order of the plan.',
      complexity: PLAN_COST,
      resolve: async ({ eventId, counts }, _args, { app }) => {
        const [event, levels] = await Promise.all([app.catalogue.event(eventId), counts.readLevels()])
        const ids = new Set(
          event?.sections.flatMap(({ levelNos }) => levelNos.map((no) => planId('lvl', eventId, no))),
        )
        return [...ids].map((priceLevelId) => ({
          priceLevelId,
          available: levels?.get(priceLevelId)?.available ?? null,
          held: levels?.get(priceLevelId)?.held ?? null,
        }))
      },
    }),
    asOf: t.field({ type: 'DateTime', resolve: ({ counts }) => counts.asOf }),
    payments: t.field({
      type: PaymentSettings,
      resolve: (_sale, _args, { app }) => app.payments.forNewOrders(),
    }),
  }),
})

builder.objectField(Event, 'sale', (t) =>
  t.field({
    type: Sale,
    resolve: async ({ id }, _args, { app }) => {
      const sale = await app.sales.find(id)
      if (!sale) throw new Error(`event ${id} has no sale`)
      return sale
    },
  }),
)

builder.subscriptionField('saleUpdated', (t) =>
  t.field({
    type: Sale,
    description: 'State, counts by section, the waiting room: what everybody sees.',
    args: { eventId: t.arg.id({ required: true }) },
    ...broadcasts<{ eventId: string }, SaleView>({
      async admit({ eventId }, { app }) {
        if (!(await app.sales.find(eventId))) throw notFound('event', 'eventId')
        return null
      },
      updates: async ({ eventId }, { sales }) => sales.updates(eventId),
      whole: async (last, { eventId }, { sales }) => (await sales.find(eventId)) ?? last,
    }),
    resolve: (sale) => sale,
  }),
)
