import type { EventOwners } from '../../sale/events/events.ts'
import { SALE_DEFAULTS } from '../../sale/events/saleInput.ts'
import type { BlockView } from '../../sale/holds/blocks.ts'
import { builder } from '../builder/builder.ts'
import { Event } from '../event.ts'
import { Sale } from '../sale.ts'

const VenueInput = builder.inputType('VenueInput', {
  description: 'Where an event takes place.',
  fields: (t) => ({
    name: t.string({ required: true }),
    city: t.string(),
    latitude: t.float(),
    longitude: t.float(),
  }),
})

const PointInput = builder.inputType('PointInput', {
  description: 'A point of the seating plan, in plan units from the top left.',
  fields: (t) => ({ x: t.float({ required: true }), y: t.float({ required: true }) }),
})

const GeneralAdmissionAreaInput = builder.inputType('GeneralAdmissionAreaInput', {
  description: 'An area without seats: the fans stand, or choose their seats at the event.',
  fields: (t) => ({
    key: t.string({ required: true }),
    name: t.string({ required: true }),
    capacity: t.int({ required: true }),
    outline: t.field({ type: [PointInput], defaultValue: [] }),
  }),
})

const PriceInput = builder.inputType('PriceInput', {
  description: 'The price of a category or an area.',
  fields: (t) => ({
    category: t.string({
      required: true,
      description: 'Name of a category of the plan, or the key of an area.',
    }),
    price: t.int({ required: true, description: 'Minor units.' }),
    fee: t.int({ defaultValue: 0 }),
  }),
})

const ChallengeMode = builder.enumType('ChallengeMode', {
  description: 'When a fan must answer a challenge before they join the line.',
  values: {
    NEVER: {},
    SUSPICIOUS: { description: 'Where the address, the device or the pace looks like a script.' },
    ALWAYS: {},
  },
})

const HELD_PER_ADDRESS =
  'Seats that live holds from one internet address may have together; in IPv6, from one /64 network. Default: a twentieth of the seats, and at least 25 times the ticket limit. Hundreds of honest fans may share the address of a carrier or a campus.'
const HELD_PER_DEVICE =
  'Seats that live holds on one device may have together. Default: five times the ticket limit, for a family. Neither this nor `heldPerAddress` counts for less than the ticket limit.'

const SaleInput = builder.inputType('SaleInput', {
  description: 'The settings of a sale.',
  fields: (t) => ({
    opensAt: t.field({ type: 'DateTime', required: true }),
    preQueueOpensAt: t.field({
      type: 'DateTime',
      description: 'Default: 15 minutes before `opensAt`.',
    }),
    endsAt: t.field({ type: 'DateTime', description: 'Default, and at the latest: when the event begins.' }),
    waitingRoom: t.boolean({ defaultValue: SALE_DEFAULTS.waitingRoom }),
    admissionRate: t.float({
      defaultValue: SALE_DEFAULTS.admissionRate,
      description: 'People a second, at most.',
    }),
    ticketLimit: t.int({ defaultValue: SALE_DEFAULTS.ticketLimit }),
    holdSeconds: t.int({ defaultValue: SALE_DEFAULTS.holdSeconds }),
    admissionSeconds: t.int({ defaultValue: SALE_DEFAULTS.admissionSeconds }),
    shoppersPerOrder: t.float({
      defaultValue: SALE_DEFAULTS.shoppersPerOrder,
      description: 'Shoppers searching at once per order that is still to be had.',
    }),
    turnSeconds: t.int({
      defaultValue: SALE_DEFAULTS.turnSeconds,
      description: 'How long a called place waits for its fan.',
    }),
    holdsPerMinute: t.int({ defaultValue: SALE_DEFAULTS.holdsPerMinute }),
    unpaidHolds: t.int({
      defaultValue: SALE_DEFAULTS.unpaidHolds,
      description: 'Holds per account that may end unpaid before it must wait.',
    }),
    heldPerAddress: t.int({ description: HELD_PER_ADDRESS }),
    heldPerDevice: t.int({ description: HELD_PER_DEVICE }),
    paymentMinutes: t.int({
      defaultValue: SALE_DEFAULTS.paymentMinutes,
      description:
        'How long an order may be PAYING before its payment is cancelled. Its seats belong to it until then.',
    }),
    allowOrphanSeats: t.boolean({ defaultValue: SALE_DEFAULTS.allowOrphanSeats }),
    seatPicking: t.boolean({ defaultValue: SALE_DEFAULTS.seatPicking }),
    challenge: t.field({ type: ChallengeMode, defaultValue: SALE_DEFAULTS.challenge }),
    returnFees: t.boolean({
      defaultValue: SALE_DEFAULTS.returnFees,
      description: 'A refund returns the fees too. False: it returns the prices alone.',
    }),
    beaconSource: t.string({
      description:
        'Public randomness that the draw waits for once the line is frozen: exactly where and which, such as "drand quicknet, the round of 10:01:00 UTC, randomness as hex". Given with `revealBeacon`. Default: the draw is made at `opensAt`, without.',
    }),
  }),
})

const BestSeatsInput = builder.inputType('BestSeatsInput', {
  description:
    'Which seats best available takes first, where the plan shows it wrongly or not at all. `fairgate draw-plan` draws the result.',
  fields: (t) => ({
    near: t.field({
      type: PointInput,
      description:
        'The nearest seats to this point, in plan units. Default: those before the stage, the screen or the field that an area of the plan names; else those in the middle of the front, which the order of the row labels shows.',
    }),
    categories: t.stringList({
      defaultValue: [],
      description:
        'Categories of the plan, the best first. A seat of a category that is not named is worse than those of all that are.',
    }),
  }),
})

const EventAppearanceInput = builder.inputType('EventAppearanceInput', {
  description: 'How the event looks on its page. The page keeps its contrast with every colour.',
  fields: (t) => ({
    imageUrl: t.string({ description: 'https. Every browser that opens the page loads it from there.' }),
    accentColor: t.string({ description: 'Such as #00625b.' }),
    presaleText: t.string({ description: 'Shown until the sale opens. At most 1,000 characters.' }),
    terms: t.string({ description: 'At most 20,000 characters.' }),
  }),
})

const CreateEventInput = builder.inputType('CreateEventInput', {
  description: 'An event with its hall, prices and sale.',
  fields: (t) => ({
    slug: t.string({ required: true }),
    name: t.string({ required: true }),
    performers: t.stringList({ defaultValue: [] }),
    appearance: t.field({ type: EventAppearanceInput }),
    startsAt: t.field({ type: 'DateTime', required: true }),
    timeZone: t.string({ required: true }),
    venue: t.field({ type: VenueInput, required: true }),
    seatingPlan: t.field({
      type: 'JSON',
      description:
        'A seating plan in the open format that pretix publishes (zones, rows, seats, areas, categories), as an object or as the text of its file; or the answer of the pretix API that has it in `layout`.',
    }),
    generalAdmission: t.field({ type: [GeneralAdmissionAreaInput], defaultValue: [] }),
    prices: t.field({
      type: [PriceInput],
      required: true,
      description:
        'One for every area, and for every category of the plan that has seats and is not in `notForSale`.',
    }),
    notForSale: t.stringList({
      defaultValue: [],
      description:
        'Categories of the plan whose seats are not for sale. They need no price; with one, `unblockSeats` puts them on sale.',
    }),
    bestSeats: t.field({ type: BestSeatsInput }),
    currency: t.string({ required: true }),
    sale: t.field({ type: SaleInput, required: true }),
  }),
})

const UpdateVenueInput = builder.inputType('UpdateVenueInput', {
  description: 'The texts of a venue that change. A field that is left out stays as it is.',
  fields: (t) => ({ name: t.string(), city: t.string({ description: 'Null removes it.' }) }),
})

const UpdateEventInput = builder.inputType('UpdateEventInput', {
  description:
    'What changes of an event. A field that is left out stays as it is. In `appearance` a null field is removed.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    name: t.string(),
    performers: t.stringList(),
    venue: t.field({ type: UpdateVenueInput }),
    appearance: t.field({ type: EventAppearanceInput }),
  }),
})

const UpdateSaleInput = builder.inputType('UpdateSaleInput', {
  description: 'The settings of a sale that change. A field that is left out stays as it is.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    preQueueOpensAt: t.field({
      type: 'DateTime',
      description: 'Neither may move once the line is frozen for the draw, at `opensAt`.',
    }),
    opensAt: t.field({ type: 'DateTime' }),
    endsAt: t.field({ type: 'DateTime', description: 'Null: when the event begins.' }),
    waitingRoom: t.boolean(),
    ticketLimit: t.int(),
    heldPerAddress: t.int({ description: 'New holds only, like `heldPerDevice`: no hold is released.' }),
    heldPerDevice: t.int(),
    seatPicking: t.boolean(),
    challenge: t.field({ type: ChallengeMode }),
    returnFees: t.boolean({
      description: 'A refund returns the fees too. False: it returns the prices alone.',
    }),
    prices: t.field({
      type: [PriceInput],
      description: 'New holds only: a hold keeps the price it was made at.',
    }),
    paused: t.boolean({
      description: 'No new holds and nobody called; holds that exist can be paid.',
    }),
  }),
})

const BlockSeatsInput = builder.inputType('BlockSeatsInput', {
  description: 'Seats to take off sale, or to put back on sale. The audit trail keeps the reason.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    seats: t.idList({ required: true }),
    reason: t.string({ required: true }),
  }),
})

const BlockSeatsPayload = builder.objectRef<BlockView>('BlockSeatsPayload').implement({
  description: 'What became of each seat.',
  fields: (t) => ({
    changed: t.exposeIDList('changed'),
    refused: t.exposeIDList('refused', { description: 'Held or sold.' }),
  }),
})

const ChangeEventOwnersInput = builder.inputType('ChangeEventOwnersInput', {
  description: 'The accounts that become owners of an event, and those that no longer are.',
  fields: (t) => ({
    eventId: t.id({ required: true }),
    add: t.idList({ defaultValue: [], description: 'Account ids.' }),
    remove: t.idList({ defaultValue: [], description: 'Account ids. At least one owner must remain.' }),
  }),
})

const EventOwnersPayload = builder.objectRef<EventOwners>('EventOwnersPayload').implement({
  description: 'The owners of an event after the change.',
  fields: (t) => ({
    eventId: t.exposeID('eventId'),
    owners: t.field({ type: ['ID'], description: 'Account ids.', resolve: ({ owners }) => [...owners] }),
  }),
})

builder.mutationFields((t) => ({
  createEvent: t.withAuth({ organizer: true }).field({
    type: Event,
    description: 'Role organizer. The account becomes an owner of the event.',
    args: { input: t.arg({ type: CreateEventInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.events.create(account, input),
  }),
  updateEvent: t.withAuth({ organizer: true, ops: true }).field({
    type: Event,
    description:
      'Role organizer, of an owner of the event, or ops. Pages that are loaded two seconds later show the change.',
    args: { input: t.arg({ type: UpdateEventInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.events.update(account, input),
  }),
  updateSale: t.withAuth({ organizer: true, ops: true }).field({
    type: Sale,
    description: 'Role organizer, of an owner of the event, or ops.',
    args: { input: t.arg({ type: UpdateSaleInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.events.updateSale(account, input),
  }),
  changeEventOwners: t.withAuth({ organizer: true, ops: true }).field({
    type: EventOwnersPayload,
    description:
      'Role organizer, of an owner of the event, or ops. Adds and removes the accounts that may change the event; without either it returns them.',
    args: { input: t.arg({ type: ChangeEventOwnersInput, required: true }) },
    resolve: (_root, { input: { eventId, add, remove } }, { app, account }) =>
      app.events.changeOwners(account, { eventId, add: add ?? [], remove: remove ?? [] }),
  }),
  blockSeats: t.withAuth({ organizer: true, ops: true }).field({
    type: BlockSeatsPayload,
    description:
      'Role organizer, of an owner of the event, or ops. House seats, cameras, kills; held and sold seats cannot be blocked.',
    args: { input: t.arg({ type: BlockSeatsInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.blocks.block(account, input),
  }),
  unblockSeats: t.withAuth({ organizer: true, ops: true }).field({
    type: BlockSeatsPayload,
    description: 'Role organizer, of an owner of the event, or ops.',
    args: { input: t.arg({ type: BlockSeatsInput, required: true }) },
    resolve: (_root, { input }, { app, account }) => app.blocks.unblock(account, input),
  }),
}))
