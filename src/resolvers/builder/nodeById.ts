import { andThen, type MaybePromise } from '../../async/maybePromise.ts'
import { eventOf, eventOfSale, type PlanKind, parsePlanId } from '../../sale/ids.ts'
import type { Context } from '../request/context.ts'
import { loadersOf } from '../request/requestLoaders.ts'
import { builder } from './builder.ts'
import { Node, typeOf } from './node.ts'

type Found = { readonly id: string } | null | undefined

/** Finds a node of each type by its id. Returns nothing for a node that belongs to another account. */
const FINDERS: Readonly<Record<string, (context: Context, id: string) => MaybePromise<Found>>> = {
  Event: ({ app }, id) => app.catalogue.event(id),
  Sale({ app }, id) {
    const eventId = eventOfSale(id)
    return eventId === undefined ? null : app.sales.find(eventId)
  },
  Section({ app }, id) {
    const eventId = parsePlanId('sec', id)?.eventId
    if (eventId === undefined) return null
    return andThen(app.catalogue.event(eventId), (event) => event?.section(id))
  },
  Seat: async (context, id) => {
    const part = await planPart(context, 'seat', id)
    return part?.event.seat(part.no)
  },
  PriceLevel: async (context, id) => {
    const part = await planPart(context, 'lvl', id)
    return part && (await context.app.events.priceLevels(part.event.id)).find(({ no }) => no === part.no)
  },
  Hold: (context, id) => loadersOf(context).hold(id),
  Order: (context, id) => loadersOf(context).order(id),
  Ticket: async ({ app, account }, id) => {
    const order = account && eventOf('tkt', id) ? await app.orders.findByTicket(account, id) : null
    const ticket = order?.tickets.find((candidate) => candidate.id === id)
    return ticket && { ...ticket, order }
  },
  WaitlistEntry: ({ app, account }, id) => account && app.waitlist.find(account, id),
  AuditEntry: ({ app, account }, id) => (account?.roles.has('ops') ? app.auditTrail.find(id) : null),
  DeadLetter: ({ app, account }, id) => (account?.roles.has('ops') ? app.deadLetters.find(id) : null),
}

builder.queryField('node', (t) =>
  t.field({
    type: Node,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => FINDERS[typeOf(id) ?? '']?.(context, id),
  }),
)

async function planPart({ app }: Context, kind: PlanKind, id: string) {
  const parsed = parsePlanId(kind, id)
  const event = parsed && (await app.catalogue.event(parsed.eventId))
  return event && { event, no: parsed.no }
}
