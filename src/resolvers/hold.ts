import type { App } from '../app.ts'
import type { CatalogueEvent } from '../sale/catalogue/catalogue.ts'
import { badInput } from '../sale/faults.ts'
import type { HoldSelection as RequestedSelection } from '../sale/holds/holdInput.ts'
import type { HoldItemView, HoldView } from '../sale/holds/holds.ts'
import { eventNamedBy } from '../sale/ids.ts'
import {
  AdmissionRequired,
  HoldInCheckout,
  HoldNotFound,
  NotEnoughAvailable,
  OrphanSeats,
  SaleNotOpen,
  SaleOver,
  SalePaused,
  SeatsInOwnHold,
  SeatsTaken,
  TicketLimitReached,
  TooManyHolds,
  WheelchairSeatRequired,
} from '../sale/refusals.ts'
import './builder/holdRefusals.ts'
import { builder } from './builder/builder.ts'
import { Money } from './builder/money.ts'
import { Node } from './builder/node.ts'
import { Refusal, typeOrRefusal } from './builder/refusal.ts'
import { Event } from './event.ts'
import { callerFor } from './request/context.ts'
import { loadersOf } from './request/requestLoaders.ts'
import { untilTokenExpires } from './request/tokenExpiry.ts'
import { PriceLevel, planOf, Seat, Section } from './section.ts'

const HoldState = builder.enumType('HoldState', {
  description: 'The state of a hold.',
  values: { ACTIVE: {}, EXPIRED: {}, RELEASED: {}, SOLD: { description: 'Sold: see `order`.' } },
})

interface HoldItemShape extends HoldItemView {
  readonly event: CatalogueEvent
  readonly currency: string
}

/** The complexity of a list that is as long as a ticket limit, usually four. */
export const PER_TICKET = { field: 1, multiplier: 4 }

export const HoldItem = builder.objectRef<HoldItemShape>('HoldItem').implement({
  description: 'A seat or a unit of a hold or an order, with its price.',
  fields: (t) => ({
    section: t.field({ type: Section, resolve: ({ event, seatNo }) => event.sectionOfSeat(seatNo) as never }),
    seat: t.field({
      type: Seat,
      nullable: true,
      description: 'Null for general admission.',
      resolve: ({ event, seatNo }) => event.seat(seatNo),
    }),
    priceLevel: t.field({
      type: PriceLevel,
      resolve: async ({ event, levelNo }, _args, { app }) =>
        (await app.events.priceLevels(event.id)).find(({ no }) => no === levelNo) as never,
    }),
    total: t.field({
      type: Money,
      resolve: ({ price, fee, currency }) => ({ amount: price + fee, currency }),
    }),
  }),
})

export const Hold = builder.objectRef<HoldView>('Hold').implement({
  description: 'Seats or units that an account has for a limited time, at a fixed price.',
  interfaces: [Node],
  fields: (t) => ({
    event: t.field({ type: Event, resolve: ({ eventId }, _args, { app }) => planOf(app, eventId) }),
    state: t.expose('state', { type: HoldState }),
    items: t.field({
      type: [HoldItem],
      complexity: PER_TICKET,
      resolve: (hold, _args, { app }) => itemsOf(app, hold),
    }),
    total: t.expose('amount', { type: Money, description: 'Locked when the hold was made.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description:
        "By the database's clock; the first checkout extends it once, by five minutes. A declined card takes that back, and leaves a minute for another card.",
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description:
        "The database's clock when this was read: count down from the difference, not from the device's clock.",
    }),
  }),
})

builder.objectType(SeatsInOwnHold, {
  name: 'SeatsInOwnHold',
  interfaces: [Refusal],
  description:
    'The named seats are free, but for some that a live hold of the caller has. `exchangeHold` replaces that hold by the selection.',
  fields: (t) => ({
    hold: t.field({
      type: Hold,
      description:
        'The hold to exchange. Where several holds have some of the seats, the one with most of them.',
      resolve: ({ holdId }, _args, context) => loadersOf(context).hold(holdId) as Promise<HoldView>,
    }),
    seats: t.idList({
      description: 'The named seats that `hold` has.',
      resolve: ({ seats }) => [...seats],
    }),
  }),
})

/** Why a selection is not held, by `hold` and by `exchangeHold` alike. */
const HOLD_REFUSALS = [
  SeatsTaken,
  SeatsInOwnHold,
  NotEnoughAvailable,
  OrphanSeats,
  WheelchairSeatRequired,
  TicketLimitReached,
  TooManyHolds,
  AdmissionRequired,
  SaleNotOpen,
  SalePaused,
  SaleOver,
]

const HoldResult = builder.unionType('HoldResult', {
  description: 'The hold, or the reason why nothing is held.',
  types: [Hold, ...HOLD_REFUSALS],
  resolveType: typeOrRefusal('Hold'),
})

const ReleaseHoldResult = builder.unionType('ReleaseHoldResult', {
  description: 'The released hold, or the reason why it stays.',
  types: [Hold, HoldNotFound, HoldInCheckout],
  resolveType: typeOrRefusal('Hold'),
})

const BestAvailableInput = builder.inputType('BestAvailableInput', {
  description: 'The server chooses the seats: the best free ones, side by side unless `together` is false.',
  fields: (t) => ({
    quantity: t.int({ required: true }),
    sectionId: t.id({ description: 'Null: anywhere.' }),
    priceLevelId: t.id(),
    together: t.boolean({
      defaultValue: true,
      description: 'True: side by side in one row, or nothing.',
    }),
  }),
})

const GeneralAdmissionInput = builder.inputType('GeneralAdmissionInput', {
  description: 'A number of units of a general-admission area.',
  fields: (t) => ({ sectionId: t.id({ required: true }), quantity: t.int({ required: true }) }),
})

const HoldSelection = builder.inputType('HoldSelection', {
  description: 'What to hold. Exactly one of the fields is set.',
  isOneOf: true,
  fields: (t) => ({
    seats: t.idList({
      description: 'Seat ids or keys, in any order; a seat named twice is BAD_USER_INPUT.',
    }),
    bestAvailable: t.field({ type: BestAvailableInput }),
    generalAdmission: t.field({ type: GeneralAdmissionInput }),
  }),
})

const HoldInput = builder.inputType('HoldInput', {
  description: 'What an account wants to hold.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    selection: t.field({ type: HoldSelection, required: true }),
    idempotencyKey: t.string({
      required: true,
      description:
        'The same key and input return the first answer; the same key with other input is an error.',
    }),
  }),
})

const ExchangeHoldResult = builder.unionType('ExchangeHoldResult', {
  description:
    'The new hold, or the reason why the old one stays. `HoldNotFound`: the old hold is over; `HoldInCheckout`: an order is paying for it.',
  types: [Hold, HoldNotFound, HoldInCheckout, ...HOLD_REFUSALS],
  resolveType: typeOrRefusal('Hold'),
})

const ExchangeHoldInput = builder.inputType('ExchangeHoldInput', {
  description: 'A live hold, and the selection that replaces it in one step.',
  fields: (t) => ({
    holdId: t.id({ required: true, description: 'A live hold of the caller.' }),
    selection: t.field({
      type: HoldSelection,
      required: true,
      description: 'Of the same event. It may contain seats of the old hold.',
    }),
    idempotencyKey: t.string({ required: true, description: 'As for `hold`.' }),
  }),
})

const ReleaseHoldInput = builder.inputType('ReleaseHoldInput', {
  description: 'The hold to release.',
  fields: (t) => ({ holdId: t.id({ required: true }) }),
})

builder.mutationFields((t) => ({
  hold: t.withAuth({ account: true }).field({
    type: HoldResult,
    description: 'All the seats or none, in one conditional statement.',
    args: { input: t.arg({ type: HoldInput, required: true }) },
    resolve: (_root, { input: { eventId, selection, idempotencyKey } }, context) => {
      const caller = {
        ...callerFor(context, eventId),
        account: context.account,
        address: context.addressOf(),
      }
      return context.app.holds.hold(caller, { eventId, idempotencyKey, ...toSelection(selection) })
    },
  }),
  exchangeHold: t.withAuth({ account: true }).field({
    type: ExchangeHoldResult,
    description:
      'Replaces a live hold by another selection in one step: all the new seats, or the old hold stays. The new hold ends when the old one would have ended.',
    args: { input: t.arg({ type: ExchangeHoldInput, required: true }) },
    resolve: (_root, { input: { holdId, selection, idempotencyKey } }, context) => {
      const caller = {
        ...callerFor(context, eventNamedBy(holdId) ?? ''),
        account: context.account,
        address: context.addressOf(),
      }
      return context.app.holds.exchange(caller, { holdId, idempotencyKey, ...toSelection(selection) })
    },
  }),
  releaseHold: t.withAuth({ account: true }).field({
    type: ReleaseHoldResult,
    description: 'Releasing twice returns the released hold.',
    args: { input: t.arg({ type: ReleaseHoldInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.holds.release(account, input.holdId),
  }),
}))

builder.queryField('hold', (t) =>
  t.withAuth({ account: true }).field({
    type: Hold,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => loadersOf(context).hold(id),
  }),
)

builder.subscriptionField('holdUpdated', (t) =>
  t.withAuth({ account: true }).field({
    type: Hold,
    description: 'Own holds only: extended, expired, released, sold.',
    args: { id: t.arg.id({ required: true }) },
    subscribe: (_root, { id }, context) =>
      untilTokenExpires(context, context.app.holds.updates(context.account, id)),
    resolve: (hold) => hold,
  }),
)

/** Converts the selection. Exactly one field is set: HoldSelection is @oneOf. */
function toSelection({
  seats,
  bestAvailable,
  generalAdmission,
}: typeof HoldSelection.$inferInput): RequestedSelection {
  if (seats) return { seats }
  if (bestAvailable) return { bestAvailable }
  if (generalAdmission) return { generalAdmission }
  throw badInput({ path: ['input', 'selection'], message: 'must have exactly one field set' })
}

/** Returns the items of a hold or an order, each with its event: the items' numbers refer to the event's plan. */
export async function itemsOf(
  app: App,
  { eventId, items, amount }: Pick<HoldView, 'eventId' | 'items' | 'amount'>,
): Promise<HoldItemShape[]> {
  const event = await planOf(app, eventId)
  return items.map((item) => ({ ...item, event, currency: amount.currency }))
}
