import type { Account } from '../sale/caller.ts'
import { unauthenticated } from '../sale/faults.ts'
import { builder } from './builder/builder.ts'
import { connection, perEntry } from './builder/connection.ts'
import { Hold } from './hold.ts'
import { Order } from './order.ts'
import { keptAdmission, QueuePosition } from './queue.ts'
import { callerFor } from './request/context.ts'
import { WaitlistEntry } from './waitlist.ts'

const OrderConnection = connection('Order', Order)

const Viewer = builder.objectRef<Account>('Viewer').implement({
  description: 'The account that asks, and what it has.',
  fields: (t) => ({
    accountId: t.exposeID('id'),
    orders: t.field({
      type: OrderConnection,
      description: 'Newest first.',
      args: { eventId: t.arg.id(), first: t.arg.int({ defaultValue: 20 }), after: t.arg.string() },
      complexity: perEntry,
      resolve: (account, { eventId, first, after }, { app }) =>
        app.orders.list(account, { eventId, first: first ?? 20, after }),
    }),
    holds: t.field({
      type: [Hold],
      description: 'Active ones.',
      args: { eventId: t.arg.id() },
      resolve: (account, { eventId }, { app }) => app.holds.active(account, eventId ?? undefined),
    }),
    waitlist: t.field({
      type: [WaitlistEntry],
      args: { eventId: t.arg.id() },
      resolve: (account, { eventId }, { app }) => app.waitlist.list(account, eventId),
    }),
    queuePosition: t.field({
      type: QueuePosition,
      nullable: true,
      description:
        "The account's place, if it has one here: for an app that was killed. Null on another device.",
      args: { eventId: t.arg.id({ required: true }) },
      resolve: async (_account, { eventId }, context) => {
        const position = await context.app.waitingRoom.ofAccount(callerFor(context, eventId), eventId)
        return position && keptAdmission(context, position)
      },
    }),
  }),
})

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    nullable: true,
    description: 'Null without an account.',
    resolve: (_root, _args, { account, hasBadToken }) => {
      // With null, an invalid token would look like no token.
      if (hasBadToken) throw unauthenticated()
      return account
    },
  }),
)
