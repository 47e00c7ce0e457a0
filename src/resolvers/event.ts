import type { EventAppearance as Appearance, EventRow } from '../sql/plans.ts'
import { builder } from './builder/builder.ts'
import { connection, perEntry } from './builder/connection.ts'
import { Node } from './builder/node.ts'
import { PLAN_COST } from './builder/planCost.ts'

const Venue = builder.objectRef<EventRow>('Venue').implement({
  description: 'Where an event takes place.',
  fields: (t) => ({
    name: t.exposeString('venueName'),
    city: t.exposeString('venueCity', { nullable: true }),
    latitude: t.exposeFloat('latitude', { nullable: true }),
    longitude: t.exposeFloat('longitude', { nullable: true }),
  }),
})

const EventAppearance = builder.objectRef<Appearance>('EventAppearance').implement({
  description: 'How the event looks on its page.',
  fields: (t) => ({
    imageUrl: t.exposeString('imageUrl', { nullable: true }),
    accentColor: t.exposeString('accentColor', { nullable: true, description: 'Such as #00625b.' }),
    presaleText: t.exposeString('presaleText', { nullable: true }),
    terms: t.exposeString('terms', { nullable: true }),
  }),
})

export const Event = builder.objectRef<EventRow>('Event').implement({
  description: 'A live event: its hall, which never changes, and its sale.',
  interfaces: [Node],
  fields: (t) => ({
    slug: t.exposeString('slug'),
    name: t.exposeString('name'),
    performers: t.exposeStringList('performers'),
    appearance: t.field({
      type: EventAppearance,
      nullable: true,
      // A search reads events without it.
      complexity: PLAN_COST,
      resolve: async ({ id }, _args, { app }) => (await app.catalogue.event(id))?.appearance ?? null,
    }),
    venue: t.field({ type: Venue, resolve: (event) => event }),
    startsAt: t.expose('startsAt', { type: 'DateTime' }),
    timeZone: t.exposeString('timeZone', {
      description: "IANA name of the venue's time zone, to show `startsAt` in.",
    }),
    planWidth: t.exposeFloat('planWidth', {
      nullable: true,
      description: "The seating plan's size, in plan units; null without one.",
    }),
    planHeight: t.exposeFloat('planHeight', { nullable: true }),
  }),
})

const NearInput = builder.inputType('NearInput', {
  description: 'Within `km` kilometres of a point (WGS 84 degrees).',
  fields: (t) => ({
    latitude: t.float({ required: true }),
    longitude: t.float({ required: true }),
    km: t.float({ required: true }),
  }),
})

const EventConnection = connection('Event', Event)

builder.queryFields((t) => ({
  event: t.field({
    type: Event,
    nullable: true,
    args: { id: t.arg.id({ required: true }) },
    resolve: (_root, { id }, { app }) => app.catalogue.event(id),
  }),
  eventBySlug: t.field({
    type: Event,
    nullable: true,
    args: { slug: t.arg.string({ required: true }) },
    resolve: (_root, { slug }, { app }) => app.catalogue.eventBySlug(slug),
  }),
  events: t.field({
    type: EventConnection,
    description:
      'Full-text over name, performers and venue. Coming events first; of these the soonest first, or the best match where `search` is given. Then past events.',
    args: {
      search: t.arg.string(),
      startsAfter: t.arg({ type: 'DateTime' }),
      near: t.arg({ type: NearInput }),
      first: t.arg.int({ defaultValue: 20 }),
      after: t.arg.string(),
    },
    complexity: perEntry,
    resolve: (_root, { first, ...filters }, { app }) => app.events.search({ ...filters, first: first ?? 20 }),
  }),
}))
