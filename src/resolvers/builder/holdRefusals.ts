import {
  AdmissionRequired,
  HoldInCheckout,
  HoldNotFound,
  NotEnoughAvailable,
  OrphanSeats,
  SaleNotOpen,
  SalePaused,
  SeatsTaken,
  TicketLimitReached,
  TooManyHolds,
  WheelchairSeatRequired,
} from '../../sale/refusals.ts'
import { builder } from './builder.ts'
import { Refusal } from './refusal.ts'

builder.objectType(SeatsTaken, {
  name: 'SeatsTaken',
  interfaces: [Refusal],
  description: 'At least one seat is gone, seen in the database and not guessed from a lock; none is held.',
  fields: (t) => ({
    unavailable: t.idList({ resolve: ({ unavailable }) => [...unavailable] }),
    alternatives: t.field({
      type: t.listRef(t.listRef('ID')),
      description: 'Up to three equal blocks nearby, as seat ids.',
      resolve: ({ alternatives }) => alternatives.map((block) => [...block]),
    }),
  }),
})

builder.objectType(NotEnoughAvailable, {
  name: 'NotEnoughAvailable',
  description: 'The sale has not that many free seats or units for the wish.',
  interfaces: [Refusal],
  fields: (t) => ({ available: t.exposeInt('available') }),
})

builder.objectType(OrphanSeats, {
  name: 'OrphanSeats',
  interfaces: [Refusal],
  description: 'The choice would strand single seats where a better choice exists.',
  fields: (t) => ({ stranded: t.idList({ resolve: ({ stranded }) => [...stranded] }) }),
})

builder.objectType(WheelchairSeatRequired, {
  name: 'WheelchairSeatRequired',
  interfaces: [Refusal],
  description: 'A companion seat was chosen without its wheelchair seat.',
  fields: (t) => ({ wheelchairSeats: t.idList({ resolve: ({ wheelchairSeats }) => [...wheelchairSeats] }) }),
})

builder.objectType(TicketLimitReached, {
  name: 'TicketLimitReached',
  description: 'The account would have more tickets for the event than the sale allows.',
  interfaces: [Refusal],
  fields: (t) => ({
    limit: t.exposeInt('limit'),
    used: t.exposeInt('used', { description: 'Tickets that this account holds and owns now.' }),
  }),
})

const HoldLimitScope = builder.enumType('HoldLimitScope', {
  description: 'Whose limit refused a hold.',
  values: {
    ACCOUNT: {
      description: 'The account made too many holds in a minute, or too many that were never paid.',
    },
    DEVICE: { description: 'The live holds of all accounts on the device have too many seats.' },
    ADDRESS: {
      description:
        'The live holds of all accounts at the internet address, in IPv6 at its /64 network, have too many seats.',
    },
  },
})

builder.objectType(TooManyHolds, {
  name: 'TooManyHolds',
  interfaces: [Refusal],
  description: 'More holds a minute, or more holds that were never paid, than the sale allows one account.',
  fields: (t) => ({
    scope: t.expose('scope', { type: HoldLimitScope, description: 'Whose limit refused the hold.' }),
  }),
})

builder.objectType(AdmissionRequired, {
  name: 'AdmissionRequired',
  interfaces: [Refusal],
  description: 'No valid admission token for this account, event and device.',
})

builder.objectType(SaleNotOpen, {
  name: 'SaleNotOpen',
  description: 'The sale is not open yet.',
  interfaces: [Refusal],
  fields: (t) => ({ opensAt: t.expose('opensAt', { type: 'DateTime' }) }),
})

builder.objectType(SalePaused, {
  name: 'SalePaused',
  interfaces: [Refusal],
  description: 'Ops stopped the sale for a while. Holds stay, and can be paid.',
})

builder.objectType(HoldInCheckout, {
  name: 'HoldInCheckout',
  interfaces: [Refusal],
  description: 'An order is paying for it; wait for the order.',
})

builder.objectType(HoldNotFound, {
  name: 'HoldNotFound',
  description: 'The account has no such hold.',
  interfaces: [Refusal],
})
