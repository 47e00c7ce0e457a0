import { preferredTag } from '../sale/languages.ts'
import type { OrderView } from '../sale/orders/orders.ts'
import { CheckoutBusy, HoldNotFound, PaymentDeclined, SeatsGone } from '../sale/refusals.ts'
import { builder } from './builder/builder.ts'
import { Money } from './builder/money.ts'
import { Node } from './builder/node.ts'
import { Refusal, typeOrRefusal } from './builder/refusal.ts'
import { Event } from './event.ts'
import { Hold, HoldItem, itemsOf, PER_TICKET } from './hold.ts'
import { PaymentSettings } from './paymentSettings.ts'
import type { Context } from './request/context.ts'
import { loadersOf } from './request/requestLoaders.ts'
import { untilTokenExpires } from './request/tokenExpiry.ts'
import { planOf } from './section.ts'

export const OrderState = builder.enumType('OrderState', {
  description: 'The state of an order.',
  values: {
    PAYING: {},
    CONFIRMED: {},
    DECLINED: {},
    SEATS_GONE: {},
    CANCELLED: {
      description: 'Confirmed, then undone: the capture was refused for good, or ops refunded all of it.',
    },
  },
})

export const PaymentState = builder.enumType('PaymentState', {
  description: 'Where the money of an order is.',
  values: {
    NONE: {},
    AUTHORIZED: {},
    CAPTURED: {},
    VOIDED: {},
    PARTIALLY_REFUNDED: {},
    REFUNDED: {},
    REFUND_OWED: {
      description:
        'The provider refused or has not answered a refund that is owed: ops see it, and it is tried again.',
    },
  },
})

const DeclineReason = builder.enumType('DeclineReason', {
  description: 'Why the payment provider declined a payment.',
  values: ['INSUFFICIENT_FUNDS', 'CARD_EXPIRED', 'AUTHENTICATION_FAILED', 'TRY_LATER', 'OTHER'] as const,
})

const PaymentAction = builder
  .objectRef<{ clientSecret: string | null; url: string | null; expiresAt: Date }>('PaymentAction')
  .implement({
    description:
      'What the buyer must do with the provider before the order can go on: 3-D Secure and its like.',
    fields: (t) => ({
      clientSecret: t.exposeString('clientSecret', { nullable: true }),
      url: t.exposeString('url', { nullable: true }),
      expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
    }),
  })

export const Order = builder.objectRef<OrderView>('Order').implement({
  description: 'A purchase, or an attempt at one.',
  interfaces: [Node],
  fields: (t) => ({
    event: t.field({ type: Event, resolve: ({ eventId }, _args, { app }) => planOf(app, eventId) }),
    state: t.expose('state', { type: OrderState }),
    payment: t.expose('payment', { type: PaymentState }),
    hold: t.field({ type: Hold, resolve: (order, _args, context) => holdOf(context, order) }),
    items: t.field({
      type: [HoldItem],
      complexity: PER_TICKET,
      resolve: (order, _args, { app }) => itemsOf(app, order),
    }),
    total: t.expose('amount', { type: Money }),
    refunded: t.field({
      type: Money,
      resolve: ({ refunded, amount }) => ({ amount: refunded, currency: amount.currency }),
    }),
    nextAction: t.expose('nextAction', { type: PaymentAction, nullable: true }),
    declineReason: t.expose('declineReason', { type: DeclineReason, nullable: true }),
    pdfUrl: t.string({
      nullable: true,
      description:
        'The tickets as PDF. The link needs no account and is valid for an hour at least. Null while no ticket has a barcode.',
      // Ops see an order that they refund; the file, which shows barcodes, is its owner's alone.
      resolve: (order, _args, { app, account }) =>
        order.accountId === account?.id ? app.documents.pdfUrl(order) : null,
    }),
    placedAt: t.expose('placedAt', { type: 'DateTime' }),
  }),
})

builder.objectField(Hold, 'payments', (t) =>
  t.field({
    type: PaymentSettings,
    description:
      'The provider to which the payment method of a checkout must belong. It changes while a provider is out: read it again after `CheckoutBusy`, and name it in `CheckoutInput.provider`.',
    resolve: (_hold, _args, { app }) => app.payments.forNewOrders(),
  }),
)

builder.objectField(Hold, 'order', (t) =>
  t.field({
    type: Order,
    nullable: true,
    description: 'The order that is paying for it or has bought it.',
    resolve: ({ orderId }, _args, context) => (orderId === null ? null : loadersOf(context).order(orderId)),
  }),
)

builder.objectType(PaymentDeclined, {
  name: 'PaymentDeclined',
  interfaces: [Refusal],
  description: 'The hold stays, for another card.',
  fields: (t) => ({
    order: t.field({ type: Order, resolve: ({ orderId }, _args, context) => orderOf(context, orderId) }),
  }),
})

builder.objectType(SeatsGone, {
  name: 'SeatsGone',
  interfaces: [Refusal],
  description: 'The hold ran out and somebody else has a seat of it; the authorization is voided.',
  fields: (t) => ({
    order: t.field({ type: Order, resolve: ({ orderId }, _args, context) => orderOf(context, orderId) }),
  }),
})

builder.objectType(CheckoutBusy, {
  name: 'CheckoutBusy',
  interfaces: [Refusal],
  description: 'The provider is at its limit; the hold is safe.',
})

const CheckoutResult = builder.unionType('CheckoutResult', {
  description:
    'An order still PAYING waits for the provider, or for the buyer (`nextAction`): watch `orderUpdated` or poll `order`. A hold has at most one order that is paying or confirmed; another key returns that one, and ends an attempt that waits for the buyer to start a new one.',
  types: [Order, PaymentDeclined, SeatsGone, HoldNotFound, CheckoutBusy],
  resolveType: typeOrRefusal('Order'),
})

const CheckoutInput = builder.inputType('CheckoutInput', {
  description: 'How a hold is paid for.',
  fields: (t) => ({
    holdId: t.id({ required: true }),
    paymentMethod: t.string({
      required: true,
      description: "The payment provider's token for a card; never a card number.",
    }),
    provider: t.string({
      description:
        'The provider to which `paymentMethod` belongs, from `Hold.payments`; default: the one that takes new orders now.',
    }),
    email: t.string({ description: "Where the tickets go; default: the account's address." }),
    locale: t.string({
      description:
        'The language of the mails and of the tickets, as a BCP 47 tag such as de-AT; default: by the header Accept-Language.',
    }),
    idempotencyKey: t.string({ required: true }),
  }),
})

builder.mutationField('checkout', (t) =>
  t.withAuth({ account: true }).field({
    type: CheckoutResult,
    description: 'Authorize, sell, then capture: a sale that fails is voided, and no money moves.',
    args: { input: t.arg({ type: CheckoutInput, required: true }) },
    resolve: (_root, { input }, { app, account, acceptLanguage }) =>
      app.checkout.checkout(account, { ...input, locale: input.locale ?? preferredTag(acceptLanguage) }),
  }),
)

builder.queryField('order', (t) =>
  t.withAuth({ account: true }).field({
    type: Order,
    nullable: true,
    description: "Own orders only; another account's order and no order look the same: null.",
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, context) => loadersOf(context).order(id),
  }),
)

builder.subscriptionField('orderUpdated', (t) =>
  t.withAuth({ account: true }).field({
    type: Order,
    description: 'Own orders only.',
    args: { id: t.arg.id({ required: true }) },
    subscribe: (_root, { id }, context) =>
      untilTokenExpires(context, context.app.orders.updates(context.account, id)),
    resolve: (order) => order,
  }),
)

/** Returns the caller's order that a refusal names. */
async function orderOf(context: Context, orderId: string): Promise<OrderView> {
  const order = await loadersOf(context).order(orderId)
  if (!order) throw new Error(`order ${orderId} is gone`)
  return order
}

async function holdOf(context: Context, { holdId, accountId }: OrderView) {
  const { account, app } = context
  // Ops see the hold of an order that they refund, as its owner does.
  const hold =
    account && account.id !== accountId
      ? await app.holds.find({ ...account, id: accountId }, holdId)
      : await loadersOf(context).hold(holdId)
  if (!hold) throw new Error(`hold ${holdId} is gone`)
  return hold
}
