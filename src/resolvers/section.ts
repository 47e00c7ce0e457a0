import type { App } from '../app.ts'
import type { CatalogueEvent, CatalogueSection } from '../sale/catalogue/catalogue.ts'
import type { PriceLevelView } from '../sale/events/priceLevels.ts'
import { badInput } from '../sale/faults.ts'
import type { LayoutSeat, Point as PointRow } from '../sql/plans.ts'
import { builder } from './builder/builder.ts'
import { Money } from './builder/money.ts'
import { Node } from './builder/node.ts'
import { PLAN_COST } from './builder/planCost.ts'
import { Event } from './event.ts'

const SectionKind = builder.enumType('SectionKind', {
  description: 'Whether a section has seats.',
  values: ['SEATED', 'GENERAL_ADMISSION'] as const,
})

export const Point = builder.objectRef<PointRow>('Point').implement({
  description: 'A point of the seating plan, in plan units from the top left.',
  fields: (t) => ({ x: t.exposeFloat('x'), y: t.exposeFloat('y') }),
})

export const PriceLevel = builder.objectRef<PriceLevelView>('PriceLevel').implement({
  description: 'A price, and the seats or units that have it.',
  interfaces: [Node],
  fields: (t) => ({
    key: t.exposeString('key'),
    name: t.exposeString('name'),
    color: t.exposeString('color', { nullable: true }),
    total: t.field({
      type: Money,
      description: 'What a ticket costs, fee included: `price` + `fee`.',
      resolve: ({ price, fee, currency }) => ({ amount: price + fee, currency }),
    }),
    price: t.field({ type: Money, resolve: ({ price, currency }) => ({ amount: price, currency }) }),
    onSale: t.exposeBoolean('priced', {
      description: 'False: a category without a price. Its seats are not for sale.',
    }),
    fee: t.field({ type: Money, resolve: ({ fee, currency }) => ({ amount: fee, currency }) }),
  }),
})

export const Seat = builder.objectRef<LayoutSeat>('Seat').implement({
  description: 'A seat of the plan. Its status is in `SectionAvailability`.',
  interfaces: [Node],
  fields: (t) => ({
    key: t.exposeString('key', {
      description: "The seating plan's own id, unique within the event; arguments take either.",
    }),
    index: t.exposeInt('index'),
    row: t.exposeString('row'),
    number: t.exposeString('number'),
    x: t.exposeFloat('x', { description: 'Plan units, from the top left.' }),
    y: t.exposeFloat('y'),
    priceLevelId: t.exposeID('priceLevelId'),
    wheelchair: t.exposeBoolean('wheelchair'),
    companionOf: t.exposeID('companionOf', {
      nullable: true,
      description:
        'The wheelchair seat that this companion seat belongs to: it is sold only with that one. The wheelchair seat may be bought alone.',
    }),
    rowIndex: t.int({
      nullable: true,
      description:
        "The row in the plan's own list of the section's rows, from 0. Several of them may have one `row` text. This and the fields below are null for events of older versions, and absent from the JSON of `layoutUrl` where they are null, false or empty.",
      resolve: ({ rowIndex }) => rowIndex,
    }),
    run: t.int({
      nullable: true,
      description:
        'The row as it is sold: seats that stand along one line, straight or curved. A number within the event.',
      resolve: ({ run }) => run,
    }),
    runPosition: t.int({
      nullable: true,
      description:
        'From 1 along the run. Two seats of a run are side by side where their positions differ by one; an aisle skips a number.',
      resolve: ({ runPosition }) => runPosition,
    }),
    ring: t.boolean({
      description: 'The run closes: its last position is beside its first.',
      resolve: ({ ring }) => ring ?? false,
    }),
    across: t.id({
      nullable: true,
      description:
        'The seat on the other side of the table: best available seats a group across it where no side has room.',
      resolve: ({ across }) => across,
    }),
    rank: t.int({
      nullable: true,
      description: '1 is the best seat of the event.',
      resolve: ({ rank }) => rank,
    }),
    rowLabels: t.field({
      type: [Point],
      description:
        'Where to draw `row` beside this seat: at the ends of the rows whose label the plan shows.',
      resolve: ({ rowLabels }) => rowLabels ?? [],
    }),
    rowLabel: t.string({
      nullable: true,
      description: 'The plan\'s words for the row in a text, such as "Table 5"; null: "Row" and `row`.',
      resolve: ({ rowLabel }) => rowLabel,
    }),
    seatLabel: t.string({
      nullable: true,
      description: 'The plan\'s words for the seat in a text, such as "Chair 3"; null: "Seat" and `number`.',
      resolve: ({ seatLabel }) => seatLabel,
    }),
    radius: t.float({
      nullable: true,
      description: "Of the drawn circle, in plan units; null: the plan's usual 10.",
      resolve: ({ radius }) => radius,
    }),
  }),
})

/** About the seats of a whole hall. The process serves no other request while it writes them. */
const SEATS_OF_ONE_DOCUMENT = 2_500

/** Seats by execution of a document. Each execution, and each value of a subscription, has its own variables object. */
const seatsServed = new WeakMap<object, number>()

function countSeats(execution: object, seats: number): void {
  const total = (seatsServed.get(execution) ?? 0) + seats
  seatsServed.set(execution, total)
  if (total > SEATS_OF_ONE_DOCUMENT)
    throw badInput({
      path: ['layout'],
      message: `at most ${SEATS_OF_ONE_DOCUMENT} seats are served in one document: read each section's from its layoutUrl`,
    })
}

export const Section = builder.objectRef<CatalogueSection>('Section').implement({
  description: 'A part of the hall: a block of seats, or a general-admission area.',
  interfaces: [Node],
  fields: (t) => ({
    key: t.exposeString('key', {
      description: "The seating plan's own name for it, unique within the event; arguments take either.",
    }),
    name: t.exposeString('name'),
    kind: t.expose('kind', { type: SectionKind }),
    capacity: t.exposeInt('capacity'),
    priceLevels: t.field({
      type: [PriceLevel],
      resolve: async ({ eventId, levelNos }, _args, { app }) =>
        (await app.events.priceLevels(eventId)).filter(({ no }) => levelNos.includes(no)),
    }),
    outline: t.expose('outline', {
      type: [Point],
      description:
        'Where to draw it, in plan units: for a seated section a polygon through the centres of its outer seats, or the two ends of seats on one line. Empty for an area of general admission whose organizer gives none.',
    }),
    wheelchairSeats: t.exposeInt('wheelchairSeats', { description: 'The number of spaces for wheelchairs.' }),
    layout: t.field({
      type: [Seat],
      description: 'Every seat of a seated section, in index order. Empty for general admission.',
      resolve({ layout }, _args, _context, { variableValues }) {
        countSeats(variableValues, layout.length)
        return layout
      },
    }),
    layoutUrl: t.string({
      description:
        'The same as JSON at an address that never changes its content: for a CDN. Optional fields are absent where they are null, false or empty.',
      resolve: ({ eventId, no, layoutHash }, _args, { app }) =>
        `${app.env.publicUrl}/events/${eventId}/layouts/${no}-${layoutHash}.json`,
    }),
  }),
})

builder.objectFields(Event, (t) => ({
  sections: t.field({
    type: [Section],
    complexity: PLAN_COST,
    resolve: async ({ id }, _args, { app }) => [...(await planOf(app, id)).sections],
  }),
  section: t.field({
    type: Section,
    nullable: true,
    description: 'By id or by key.',
    args: { id: t.arg.id({ required: true }) },
    complexity: PLAN_COST,
    resolve: async (event, { id }, { app }) => (await planOf(app, event.id)).section(id),
  }),
}))

/** Returns an event with its plan. Lists of events are read without plans, which take megabytes. */
export async function planOf({ catalogue }: App, eventId: string): Promise<CatalogueEvent> {
  const event = await catalogue.event(eventId)
  if (!event) throw new Error(`event ${eventId} is gone`)
  return event
}
