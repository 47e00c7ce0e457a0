import type { OrderView, TicketView } from '../sale/orders/orders.ts'
import { builder } from './builder/builder.ts'
import { Node } from './builder/node.ts'
import { PER_TICKET } from './hold.ts'
import { Order } from './order.ts'
import { planOf, Seat, Section } from './section.ts'

interface TicketShape extends TicketView {
  readonly order: OrderView
}

const Ticket = builder.objectRef<TicketShape>('Ticket').implement({
  description: 'A ticket of a confirmed order, for one seat or unit.',
  interfaces: [Node],
  fields: (t) => ({
    section: t.field({
      type: Section,
      resolve: async ({ eventId, seatNo }, _args, { app }) =>
        (await planOf(app, eventId)).sectionOfSeat(seatNo) as never,
    }),
    seat: t.field({
      type: Seat,
      nullable: true,
      resolve: async ({ eventId, seatNo }, _args, { app }) => (await planOf(app, eventId)).seat(seatNo),
    }),
    order: t.expose('order', { type: Order }),
    barcode: t.string({
      nullable: true,
      description:
        'What the door scans: a signed token, checkable offline with /.well-known/jwks.json. Null until the money is captured, and once the ticket is void.',
      // Ops see an order that they refund; the code is its owner's alone.
      resolve: (ticket, _args, { app, account }) =>
        ticket.order.accountId === account?.id ? app.tickets.barcode(ticket, ticket.order) : null,
    }),
    walletUrl: t.string({
      nullable: true,
      description:
        'The ticket as a pass for Apple Wallet, by a link as `Order.pdfUrl`. Null where the service has no certificate of Apple, and while the ticket has no barcode.',
      resolve: (ticket, _args, { app, account }) =>
        ticket.order.accountId === account?.id ? app.documents.passUrl(ticket.order, ticket) : null,
    }),
    voided: t.exposeBoolean('voided'),
  }),
})

builder.objectField(Order, 'tickets', (t) =>
  t.field({
    type: [Ticket],
    description: 'Empty until CONFIRMED.',
    complexity: PER_TICKET,
    resolve: (order) => order.tickets.map((ticket) => ({ ...ticket, order })),
  }),
)
