import type { HolderRow, ReleasedHolders } from '../../sale/ops/holders.ts'
import { builder } from '../builder/builder.ts'
import { connection, perEntry } from '../builder/connection.ts'

const Holder = builder.objectRef<HolderRow>('Holder').implement({
  description: 'An account with live holds.',
  fields: (t) => ({
    accountId: t.exposeID('accountId'),
    seats: t.exposeInt('seats', { description: 'In its live holds.' }),
    holds: t.exposeInt('holds'),
    holdsPaying: t.exposeInt('holdsPaying', { description: 'Those that an order is paying for.' }),
    heldSince: t.expose('heldSince', { type: 'DateTime' }),
    heldUntil: t.expose('heldUntil', { type: 'DateTime' }),
    address: t.exposeID('address', {
      nullable: true,
      description:
        'A digest of the internet address, the same for all holders at it; it exists while the hold lives.',
    }),
    addressSeats: t.exposeInt('addressSeats', {
      nullable: true,
      description: 'Seats in the live holds of all accounts at this address.',
    }),
    device: t.exposeID('device', { nullable: true, description: 'A digest of the device, as `address`.' }),
    deviceSeats: t.exposeInt('deviceSeats', { nullable: true }),
    holdsMade: t.exposeInt('holdsMade', { description: 'In this sale.' }),
    holdsUnpaid: t.exposeInt('holdsUnpaid', { description: 'Those that ended without a purchase.' }),
    tickets: t.exposeInt('tickets', { description: 'Valid tickets of this sale.' }),
  }),
})

const HolderConnection = connection('Holder', Holder)

builder.queryField('holders', (t) =>
  t.withAuth({ ops: true }).field({
    type: HolderConnection,
    description:
      'Role ops. The accounts with live holds; those of the address or the device with the most held seats first.',
    args: {
      eventId: t.arg.id({ required: true }),
      first: t.arg.int({ defaultValue: 50 }),
      after: t.arg.string(),
    },
    complexity: perEntry,
    resolve: (_root, { eventId, first, after }, { app }) =>
      app.holders.list({ eventId, first: first ?? 50, after }),
  }),
)

const HolderInput = builder.inputType('HolderInput', {
  description: 'Whose holds. Exactly one of the fields is set.',
  isOneOf: true,
  fields: (t) => ({
    account: t.id(),
    address: t.id({ description: '`Holder.address`: all accounts at it.' }),
    device: t.id(),
  }),
})

const ReleaseHoldsInput = builder.inputType('ReleaseHoldsInput', {
  description: 'Whose holds to release. The audit trail keeps the reason.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    holder: t.field({ type: HolderInput, required: true }),
    reason: t.string({ required: true }),
  }),
})

const ReleaseHoldsPayload = builder.objectRef<ReleasedHolders>('ReleaseHoldsPayload').implement({
  description: 'What was released.',
  fields: (t) => ({
    released: t.exposeInt('released', { description: 'Holds.' }),
    seats: t.exposeInt('seats'),
    inCheckout: t.exposeInt('inCheckout', {
      description: 'Holds that stay, because an order is paying for them.',
    }),
  }),
})

builder.mutationField('releaseHolds', (t) =>
  t.withAuth({ ops: true }).field({
    type: ReleaseHoldsPayload,
    description: 'Role ops. Releases the live holds of an account, an address or a device.',
    args: { input: t.arg({ type: ReleaseHoldsInput, required: true }) },
    resolve: (_root, { input: { eventId, holder, reason } }, { app, account }) => {
      const { account: holderId, address, device } = holder
      const selection =
        holderId != null
          ? { kind: 'account' as const, value: holderId }
          : address != null
            ? { kind: 'address' as const, value: address }
            : { kind: 'device' as const, value: device ?? '' }
      return app.holders.release(account, { eventId, holder: selection, reason })
    },
  }),
)
