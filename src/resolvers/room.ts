import type { RoomView } from '../sale/waitingRoom/waitingRoom.ts'
import { builder } from './builder/builder.ts'
import { Sale } from './sale.ts'

const Draw = builder.objectRef<RoomView['draw']>('Draw').implement({
  description: 'The draw that orders everybody who joined before `opensAt`; how to check it is in the docs.',
  fields: (t) => ({
    commitment: t.exposeString('commitment', {
      description: 'Hex SHA-256 of `seed`, published before anybody may join.',
    }),
    seed: t.exposeString('seed', { nullable: true, description: 'Hex; null until the draw.' }),
    size: t.exposeInt('size', {
      nullable: true,
      description:
        'How many joined before `opensAt`; null until the line is frozen, which is the draw unless that waits for a beacon.',
    }),
    beaconSource: t.exposeString('beaconSource', {
      nullable: true,
      description:
        'Where the public randomness comes from, named before anybody could join; null where the draw takes none.',
    }),
    beacon: t.exposeString('beacon', {
      description:
        'Public randomness mixed in after the line was frozen; empty where the sale uses none, and until it is given.',
    }),
  }),
})

const WaitingRoom = builder.objectRef<RoomView>('WaitingRoom').implement({
  description:
    "The waiting room's public state: the same for everybody, so it can be cached. Also at /events/:id/waiting-room.json, as the JSON of Sale.",
  fields: (t) => ({
    eventId: t.exposeID('eventId'),
    admittedUpTo: t.exposeInt('admittedUpTo', {
      description: 'Everybody at or before this place has been called.',
    }),
    admissionRate: t.exposeFloat('admissionRate', {
      description:
        'Places called per second, measured over the last minute in which the room was not paused.',
    }),
    paused: t.exposeBoolean('paused'),
    waiting: t.exposeInt('waiting'),
    inside: t.exposeInt('inside'),
    enoughFor: t.exposeInt('enoughFor', {
      description:
        'How many places the seats left will serve, at the average of the called places so far. Held seats count by the share that comes back.',
    }),
    draw: t.expose('draw', { type: Draw }),
  }),
})

builder.objectField(Sale, 'waitingRoom', (t) =>
  t.field({
    type: WaitingRoom,
    nullable: true,
    description: 'Null where the sale has no waiting room.',
    resolve: ({ eventId, waitingRoom }, _args, { app }) =>
      waitingRoom ? app.waitingRoom.room(eventId) : null,
  }),
)

const SetAdmissionInput = builder.inputType('SetAdmissionInput', {
  description: 'How fast the line of a sale is admitted. A field that is left out stays as it is.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    rate: t.float({ description: 'Places a second, at most.' }),
    paused: t.boolean({ description: 'Nobody is called; everything else goes on.' }),
  }),
})

builder.mutationField('setAdmission', (t) =>
  t.withAuth({ ops: true }).field({
    type: WaitingRoom,
    description: 'Role ops. Takes effect at the next tick, on every server.',
    args: { input: t.arg({ type: SetAdmissionInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.events.setAdmission(account, input),
  }),
)

const RevealBeaconInput = builder.inputType('RevealBeaconInput', {
  description: 'The public randomness that the draw of a sale waits for.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    beacon: t.string({
      required: true,
      description: 'The value as its source published it: 1 to 256 printable ASCII characters.',
    }),
  }),
})

builder.mutationField('revealBeacon', (t) =>
  t.withAuth({ organizer: true, ops: true }).field({
    type: WaitingRoom,
    description:
      'Role organizer, of an owner of the event, or ops. Gives the public randomness that the sale named as its `beaconSource`: once, and only when the line is frozen. The draw is made with it.',
    args: { input: t.arg({ type: RevealBeaconInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.events.revealBeacon(account, input),
  }),
)
