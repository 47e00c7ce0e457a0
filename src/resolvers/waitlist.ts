import { preferredTag } from '../sale/languages.ts'
import {
  AdmissionRequired,
  type HoldableWish,
  NotSoldOut,
  SaleOver,
  TicketLimitReached,
} from '../sale/refusals.ts'
import type { Odds, WaitlistEntryView } from '../sale/waitlist/waitlist.ts'
import { builder } from './builder/builder.ts'
import { Node } from './builder/node.ts'
import { Refusal, typeOrRefusal } from './builder/refusal.ts'
import { Event } from './event.ts'
import { Hold } from './hold.ts'
import { loadersOf } from './request/requestLoaders.ts'
import { untilTokenExpires } from './request/tokenExpiry.ts'
import { planOf } from './section.ts'

const WaitlistState = builder.enumType('WaitlistState', {
  description: 'The state of an entry.',
  values: {
    WAITING: {},
    OFFERED: { description: 'A hold was made for this entry: see `hold`.' },
    FULFILLED: {},
    LAPSED: {},
    LEFT: {},
  },
})

const WaitlistOdds = builder.objectRef<Odds>('WaitlistOdds').implement({
  description: 'What speaks for and against an offer. Show these numbers, and promise nothing by them.',
  fields: (t) => ({
    entriesAhead: t.exposeInt('entriesAhead', {
      description: 'Entries ahead that could take the same seats.',
    }),
    ticketsAhead: t.exposeInt('ticketsAhead', { description: 'The tickets that these entries want.' }),
    seatsThatMayComeBack: t.exposeInt('seatsThatMayComeBack', {
      nullable: true,
      description:
        'The held seats that this entry could take, times the share of the event’s holds that ended unpaid. Cancelled orders come on top. Null: unknown, since too few holds have ended.',
    }),
  }),
})

export const WaitlistEntry = builder.objectRef<WaitlistEntryView>('WaitlistEntry').implement({
  description: 'What a fan waits for after it was sold out.',
  interfaces: [Node],
  fields: (t) => ({
    event: t.field({ type: Event, resolve: ({ eventId }, _args, { app }) => planOf(app, eventId) }),
    state: t.expose('state', { type: WaitlistState }),
    quantity: t.exposeInt('quantity'),
    position: t.exposeInt('position', {
      nullable: true,
      description: 'Entries ahead that could take the same seats, plus one.',
    }),
    odds: t.field({
      type: WaitlistOdds,
      nullable: true,
      description: 'Null unless WAITING.',
      resolve: (entry, _args, { app }) => app.waitlist.odds(entry),
    }),
    hold: t.field({
      type: Hold,
      nullable: true,
      description: 'The offer: a hold of its own, with its own clock.',
      resolve: ({ holdId }, _args, context) => (holdId === null ? null : loadersOf(context).hold(holdId)),
    }),
  }),
})

const HoldableWishType = builder.objectRef<HoldableWish>('HoldableWish').implement({
  description: 'The hold that can succeed: send it with these values.',
  fields: (t) => ({
    wish: t.exposeInt('wish', {
      description:
        'Whose section and price level: 0 for `sectionId` and `priceLevelId`, n for the nth of `orElse`. Hold with `bestAvailable`, unless `areaId` or `seats` say otherwise.',
    }),
    quantity: t.exposeInt('quantity', {
      description: 'Fewer than the fan wants only with `acceptFewer`.',
    }),
    together: t.exposeBoolean('together', {
      description: 'The `together` of the hold: false where no such block side by side is free.',
    }),
    areaId: t.exposeID('areaId', {
      nullable: true,
      description: 'The general-admission area to hold in.',
    }),
    seats: t.exposeIDList('seats', {
      description:
        'Wheelchair seats and their companion seats that fit: hold them by name. Empty for other wishes.',
    }),
  }),
})

builder.objectType(NotSoldOut, {
  name: 'NotSoldOut',
  interfaces: [Refusal],
  description: 'The wish can be held now; or the sale is not open yet.',
  fields: (t) => ({
    available: t.exposeInt('available', { description: 'Free seats of the whole event.' }),
    holdable: t.expose('holdable', {
      type: HoldableWishType,
      nullable: true,
      description: 'Null where the sale is not open yet.',
    }),
  }),
})

const JoinWaitlistResult = builder.unionType('JoinWaitlistResult', {
  description: 'Joining twice returns the entry.',
  types: [WaitlistEntry, NotSoldOut, AdmissionRequired, TicketLimitReached, SaleOver],
  resolveType: typeOrRefusal('WaitlistEntry'),
})

const WaitlistAlternativeInput = builder.inputType('WaitlistAlternativeInput', {
  description: 'A section, a price level or both. Null: any.',
  fields: (t) => ({ sectionId: t.id(), priceLevelId: t.id() }),
})

const JoinWaitlistInput = builder.inputType('JoinWaitlistInput', {
  description: 'What a fan waits for once it cannot be held.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    quantity: t.int({ required: true }),
    sectionId: t.id(),
    priceLevelId: t.id(),
    orElse: t.field({
      type: [WaitlistAlternativeInput],
      description:
        'What the fan takes where nothing comes back in the section and at the price level above, in order. Up to 9.',
    }),
    together: t.boolean({
      description:
        'Only seats side by side in one row. Default: side by side where such a block comes back, otherwise apart.',
    }),
    wheelchairSeats: t.int({
      defaultValue: 0,
      description:
        'How many of `quantity` are wheelchair seats. The others are then companion seats of these. 0: usual seats only.',
    }),
    acceptFewer: t.boolean({
      defaultValue: false,
      description: 'Take fewer than `quantity` when that is what comes back.',
    }),
  }),
})

const LeaveWaitlistInput = builder.inputType('LeaveWaitlistInput', {
  description: 'The entry to end.',
  fields: (t) => ({ id: t.id({ required: true }) }),
})

builder.mutationFields((t) => ({
  joinWaitlist: t.withAuth({ account: true }).field({
    type: JoinWaitlistResult,
    args: { input: t.arg({ type: JoinWaitlistInput, required: true }) },
    resolve: (_root, { input }, { app, account, acceptLanguage }) =>
      app.waitlist.join(account, input, preferredTag(acceptLanguage)),
  }),
  leaveWaitlist: t.withAuth({ account: true }).field({
    type: WaitlistEntry,
    args: { input: t.arg({ type: LeaveWaitlistInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.waitlist.leave(account, input.id),
  }),
}))

builder.subscriptionField('waitlistUpdated', (t) =>
  t.withAuth({ account: true }).field({
    type: WaitlistEntry,
    args: { id: t.arg.id({ required: true }) },
    subscribe: (_root, { id }, context) =>
      untilTokenExpires(context, context.app.waitlist.updates(context.account, id)),
    resolve: (entry) => entry,
  }),
)
