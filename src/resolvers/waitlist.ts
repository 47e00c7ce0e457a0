import { preferredTag } from '../sale/languages.ts'
import { NotSoldOut, SaleOver, TicketLimitReached } from '../sale/refusals.ts'
import type { WaitlistEntryView } from '../sale/waitlist/waitlist.ts'
import { builder } from './builder.ts'
import { Event } from './event.ts'
import { Hold } from './hold.ts'
import { Node } from './node.ts'
import { Refusal, typeOrRefusal } from './refusal.ts'
import { loadersOf } from './requestLoaders.ts'
import { planOf } from './section.ts'
import { untilTokenExpires } from './tokenExpiry.ts'

const WaitlistState = builder.enumType('WaitlistState', {
  values: {
    WAITING: {},
    OFFERED: { description: 'A hold was made for this entry: see `hold`.' },
    FULFILLED: {},
    LAPSED: {},
    LEFT: {},
  },
})

export const WaitlistEntry = builder.objectRef<WaitlistEntryView>('WaitlistEntry').implement({
  interfaces: [Node],
  fields: (t) => ({
    event: t.field({ type: Event, resolve: ({ eventId }, _args, { app }) => planOf(app, eventId) }),
    state: t.expose('state', { type: WaitlistState }),
    quantity: t.exposeInt('quantity'),
    position: t.exposeInt('position', {
      nullable: true,
      description: 'Entries ahead that could take the same seats, plus one.',
    }),
    hold: t.field({
      type: Hold,
      nullable: true,
      description: 'The offer: a hold of its own, with its own clock.',
      resolve: ({ holdId }, _args, context) => (holdId === null ? null : loadersOf(context).hold(holdId)),
    }),
  }),
})

builder.objectType(NotSoldOut, {
  name: 'NotSoldOut',
  interfaces: [Refusal],
  fields: (t) => ({ available: t.exposeInt('available') }),
})

const JoinWaitlistResult = builder.unionType('JoinWaitlistResult', {
  description: 'Joining twice returns the entry.',
  types: [WaitlistEntry, NotSoldOut, TicketLimitReached, SaleOver],
  resolveType: typeOrRefusal('WaitlistEntry'),
})

const JoinWaitlistInput = builder.inputType('JoinWaitlistInput', {
  fields: (t) => ({
    eventId: t.id({ required: true }),
    quantity: t.int({ required: true }),
    sectionId: t.id(),
    priceLevelId: t.id(),
    acceptFewer: t.boolean({
      defaultValue: false,
      description: 'Take fewer than `quantity` when that is what comes back.',
    }),
  }),
})

const LeaveWaitlistInput = builder.inputType('LeaveWaitlistInput', {
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
