import { preferredTag } from '../sale/languages.ts'
import { AccountNotVerified, PlaceNotWaiting } from '../sale/refusals.ts'
import type { AlertsView } from '../sale/turnAlerts/turnAlerts.ts'
import { builder } from './builder/builder.ts'
import { Refusal, typeOrRefusal } from './builder/refusal.ts'

const TurnAlerts = builder.objectRef<AlertsView>('TurnAlerts').implement({
  description:
    'The alerts of a place in the line: about five minutes before its turn, and at its turn. They are erased when the place is over.',
  fields: (t) => ({
    eventId: t.exposeID('eventId'),
    mail: t.exposeBoolean('mail', { description: 'By mail to the address of the account.' }),
    browsers: t.exposeInt('browsers', { description: 'The number of browsers with web push.' }),
  }),
})

builder.objectType(PlaceNotWaiting, {
  name: 'PlaceNotWaiting',
  interfaces: [Refusal],
  description:
    'The place was called already or given up, or the line has ended: there is no turn to alert of.',
})

const RequestTurnAlertsResult = builder.unionType('RequestTurnAlertsResult', {
  description: 'All alerts of the place, or the reason why it gets none.',
  types: [TurnAlerts, PlaceNotWaiting, AccountNotVerified],
  resolveType: typeOrRefusal('TurnAlerts'),
})

const PushSubscriptionInput = builder.inputType('PushSubscriptionInput', {
  description: "A browser's subscription to web push: the values of `PushSubscription.toJSON()`.",
  fields: (t) => ({
    endpoint: t.string({
      required: true,
      description: 'https, of a host in the internet. At most 1,000 characters.',
    }),
    p256dh: t.string({ required: true }),
    auth: t.string({ required: true }),
    key: t.string({
      required: true,
      description: 'The `pushKey` with which the browser subscribed.',
    }),
  }),
})

const RequestTurnAlertsInput = builder.inputType('RequestTurnAlertsInput', {
  description: 'The alerts to add to a place. Without any, the answer is the alerts that the place has.',
  fields: (t) => ({
    queueToken: t.string({ required: true }),
    mail: t.boolean({
      defaultValue: false,
      description: 'By mail. The address of the account must be verified.',
    }),
    push: t.field({
      type: PushSubscriptionInput,
      description:
        'By web push to this browser. A place has up to 3 browsers: a further one replaces the oldest.',
    }),
    locale: t.string({
      description: 'The language of the alerts, a BCP 47 tag. Default: by the header Accept-Language.',
    }),
  }),
})

const EndTurnAlertsInput = builder.inputType('EndTurnAlertsInput', {
  description: 'The place whose alerts end.',
  fields: (t) => ({ queueToken: t.string({ required: true }) }),
})

builder.queryField('pushKey', (t) =>
  t.string({
    nullable: true,
    description:
      'The `applicationServerKey` for `PushManager.subscribe` (VAPID, RFC 8292). Null where the service sends no web push.',
    resolve: (_root, _args, { app }) => app.turnAlerts.pushKey(),
  }),
)

builder.mutationFields((t) => ({
  requestTurnAlerts: t.withAuth({ account: true }).field({
    type: RequestTurnAlertsResult,
    description:
      'Calls the fan about five minutes before the turn and at the turn, each once. A repeated request changes no moment.',
    args: { input: t.arg({ type: RequestTurnAlertsInput, required: true }) },
    resolve: (_root, { input }, context) =>
      context.app.turnAlerts.request(context.account, context, {
        ...input,
        locale: input.locale ?? preferredTag(context.acceptLanguage),
      }),
  }),
  endTurnAlerts: t.field({
    type: TurnAlerts,
    description: 'Erases all alerts of the place.',
    args: { input: t.arg({ type: EndTurnAlertsInput, required: true }) },
    resolve: (_root, { input }, context) => context.app.turnAlerts.end(context, input.queueToken),
  }),
}))
