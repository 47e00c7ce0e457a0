import { andThen } from '../async/maybePromise.ts'
import {
  AccountNotVerified,
  ChallengeRequired,
  PlaceOnOtherDevice,
  QueueNotOpen,
  SaleOver,
} from '../sale/refusals.ts'
import type { PositionView } from '../sale/waitingRoom/waitingRoom.ts'
import { builder } from './builder/builder.ts'
import { Refusal, typeOrRefusal } from './builder/refusal.ts'
import { type Context, callerFor } from './request/context.ts'
import { requirePost } from './request/postOnly.ts'
import { untilTokenExpires } from './request/tokenExpiry.ts'
import { SaleState } from './sale.ts'

const QueueState = builder.enumType('QueueState', {
  description: 'The state of a place in the line.',
  values: {
    PRE_QUEUE: {},
    WAITING: {},
    ADMITTED: {},
    LAPSED: { description: 'The turn or the admission ran out unused; join again.' },
    FINISHED: { description: 'Bought, or left.' },
    REPLACED: {
      description:
        'The account has joined again since: this token is of its earlier place. `joinQueue` returns the current one.',
    },
    OPEN: { description: 'The waiting room was turned off: go straight in.' },
    SOLD_OUT: {},
    ENDED: {},
  },
})

const QueueOutlook = builder.enumType('QueueOutlook', {
  description: 'What is known about the wait of a place, and why there may be no estimate.',
  values: {
    ESTIMATED: { description: '`estimatedWaitSeconds` has the wait.' },
    PAUSED: {},
    RATE_UNKNOWN: { description: 'No place was called lately, or the wait is longer than a week.' },
    ALL_HELD: { description: 'No seat is available; held ones may come back.' },
    MAY_NOT_REACH: { description: 'What is left and may come back will hardly reach this place.' },
  },
})

const Admission = builder.objectRef<NonNullable<PositionView['admission']>>('Admission').implement({
  description:
    'Bound to the account, the event and the device; asking again gives the same one. A live hold extends it to its own end; a purchase ends it.',
  fields: (t) => ({
    token: t.exposeString('token'),
    expiresAt: t.expose('expiresAt', { type: 'DateTime' }),
  }),
})

export const QueuePosition = builder.objectRef<PositionView>('QueuePosition').implement({
  description: 'A place in the line of a sale, as it is now.',
  fields: (t) => ({
    eventId: t.exposeID('eventId'),
    state: t.expose('state', { type: QueueState }),
    queueToken: t.exposeString('queueToken', { description: 'Signed proof of the place. Keep it.' }),
    arrival: t.exposeInt('arrival', { description: 'The n-th to join: what the draw draws from.' }),
    place: t.exposeInt('place', {
      nullable: true,
      description: 'The place in the order of admission. Null before the draw.',
    }),
    position: t.exposeInt('position', {
      nullable: true,
      description:
        'Places ahead, plus one: `place` less `admittedUpTo`. Null before the draw, and once the wait is over.',
    }),
    estimatedWaitSeconds: t.exposeInt('estimatedWaitSeconds', {
      nullable: true,
      description:
        'From the measured rate. Null before the draw, while paused, and where what is left and may come back will hardly reach this place.',
    }),
    outlook: t.expose('outlook', {
      type: QueueOutlook,
      nullable: true,
      description: 'Why there is an estimate, or none. Null for a place that does not wait.',
    }),
    paused: t.exposeBoolean('paused'),
    available: t.exposeInt('available', {
      description:
        'Seats and places available, and held ones that may come back: whether waiting makes sense.',
    }),
    held: t.exposeInt('held'),
    admission: t.expose('admission', { type: Admission, nullable: true }),
    turnEndsAt: t.expose('turnEndsAt', {
      type: 'DateTime',
      nullable: true,
      description: 'While called and not yet in: when the turn lapses.',
    }),
    pollAfterSeconds: t.exposeInt('pollAfterSeconds', {
      description: 'When to ask again, for one who polls; jittered.',
    }),
    asOf: t.expose('asOf', { type: 'DateTime' }),
  }),
})

builder.objectType(PlaceOnOtherDevice, {
  name: 'PlaceOnOtherDevice',
  description: 'The place of the account belongs to another device. Join with `moveHere` to move it.',
  interfaces: [Refusal],
})

builder.objectType(QueueNotOpen, {
  name: 'QueueNotOpen',
  description: 'The line cannot be joined yet.',
  interfaces: [Refusal],
  fields: (t) => ({ opensAt: t.expose('opensAt', { type: 'DateTime' }) }),
})

builder.objectType(AccountNotVerified, {
  name: 'AccountNotVerified',
  description: 'The e-mail address of the account is not verified.',
  interfaces: [Refusal],
})

builder.objectType(ChallengeRequired, {
  name: 'ChallengeRequired',
  interfaces: [Refusal],
  description:
    "A proof of work or a third party's challenge to answer first; `challenge` is what the solver needs.",
  fields: (t) => ({ challenge: t.expose('challenge', { type: 'JSON' }) }),
})

builder.objectType(SaleOver, {
  name: 'SaleOver',
  interfaces: [Refusal],
  description: "Sold out (and what comes back is the waitlist's), or ended.",
  fields: (t) => ({ saleState: t.expose('saleState', { type: SaleState }) }),
})

const JoinQueueResult = builder.unionType('JoinQueueResult', {
  description: 'The place in the line, or the reason why there is none.',
  types: [QueuePosition, QueueNotOpen, PlaceOnOtherDevice, AccountNotVerified, ChallengeRequired, SaleOver],
  resolveType: typeOrRefusal('QueuePosition'),
})

const JoinQueueInput = builder.inputType('JoinQueueInput', {
  description: 'Who joins which line.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    challenge: t.string({ description: 'Answer to a challenge, where the sale asks for one.' }),
    moveHere: t.boolean({
      defaultValue: false,
      description:
        "Move the account's place, and its admission, to this device; the other device's tokens die.",
    }),
  }),
})

const LeaveQueueInput = builder.inputType('LeaveQueueInput', {
  description: 'The place or the admission to give up.',
  fields: (t) => ({ queueToken: t.string({ required: true }) }),
})

builder.mutationFields((t) => ({
  joinQueue: t.withAuth({ account: true }).field({
    type: JoinQueueResult,
    args: { input: t.arg({ type: JoinQueueInput, required: true }) },
    resolve: async (_root, { input }, context) => {
      const caller = { ...callerFor(context, input.eventId), address: context.addressOf() }
      return keptAdmission(context, await context.app.waitingRoom.join(caller, input))
    },
  }),
  leaveQueue: t.field({
    type: QueuePosition,
    description: 'Gives the place, or the admission, back at once.',
    args: { input: t.arg({ type: LeaveQueueInput, required: true }) },
    resolve: (_root, { input }, context) => context.app.waitingRoom.leave(input.queueToken, context),
  }),
}))

builder.queryField('queuePosition', (t) =>
  t.field({
    type: QueuePosition,
    description:
      'The place that a queue token stands for, as it is now. Costs the server no look-up while it waits: poll it where a socket cannot live. Reading it when the turn has come takes the turn, so it is not served over GET.',
    args: { queueToken: t.arg.string({ required: true }) },
    resolve: (_root, { queueToken }, context) => {
      requirePost(context)
      const { waitingRoom } = context.app
      return andThen(waitingRoom.position(queueToken, context), (position) =>
        keptAdmission(context, position),
      )
    },
  }),
)

builder.subscriptionField('queuePosition', (t) =>
  t.field({
    type: QueuePosition,
    description: 'Each second near the front, less often far back, and at once when something happens.',
    args: { queueToken: t.arg.string({ required: true }) },
    subscribe: async (_root, { queueToken }, context) => {
      requirePost(context)
      return untilTokenExpires(context, await context.app.waitingRoom.positionUpdates(queueToken, context))
    },
    resolve: (position, _args, context) => keptAdmission(context, position),
  }),
)

/** Keeps the admission of a position for the socket that received it. Returns the answer unchanged. */
export function keptAdmission<T extends object>(context: Context, answer: T): T {
  if ('admission' in answer && 'eventId' in answer) {
    const { admission, eventId } = answer as unknown as PositionView
    if (admission) context.keepAdmission(eventId, admission.token)
  }
  return answer
}
