import { andThen } from '../async/maybePromise.ts'
import { planId } from '../sale/ids.ts'
import type { SectionSnapshot, SectionUpdate as SectionUpdateShape } from '../sale/map/seatMap.ts'
import { checkAdmission, watchAdmission } from './admission.ts'
import { builder } from './builder/builder.ts'
import { broadcasts } from './request/broadcast.ts'
import { requireSection } from './request/notFound.ts'
import { Section } from './section.ts'

const SectionAvailability = builder.objectRef<SectionSnapshot>('SectionAvailability').implement({
  description: "A section's statuses at one version. Never an authority: the hold decides.",
  fields: (t) => ({
    sectionId: t.id({ resolve: ({ eventId, sectionNo }) => planId('sec', eventId, sectionNo) }),
    version: t.expose('version', {
      type: 'SafeInt',
      description: 'Grows with every change, and never goes back.',
    }),
    asOf: t.expose('asOf', {
      type: 'DateTime',
      description: 'When the statuses were true; at most 2 seconds ago while the service is whole.',
    }),
    statuses: t.expose('statuses', {
      type: 'Base64',
      nullable: true,
      description:
        "Two bits a seat, seat i in bits 2i and 2i+1 counted from the first byte's highest bit: 0 available, 1 held, 2 sold, 3 not for sale. Null for general admission, and while only counts can be told.",
    }),
    available: t.exposeInt('available'),
  }),
})

builder.objectField(Section, 'availability', (t) =>
  t.field({
    type: SectionAvailability,
    nullable: true,
    description: 'Null and an error ADMISSION_REQUIRED without an admission, where one is needed.',
    resolve({ eventId, no }, _args, context) {
      const { seatMap } = context.app
      return andThen(checkAdmission(context, eventId), () => seatMap.section(eventId, no))
    },
  }),
)

const SEAT_STATUSES = ['AVAILABLE', 'HELD', 'SOLD', 'NOT_FOR_SALE'] as const

const SeatStatus = builder.enumType('SeatStatus', {
  description: 'Whether a seat can be held.',
  values: SEAT_STATUSES,
})

const SeatChange = builder.objectRef<{ index: number; status: 0 | 1 | 2 | 3 }>('SeatChange').implement({
  description: 'The new status of a seat, by its index in the section.',
  fields: (t) => ({
    index: t.exposeInt('index'),
    status: t.field({ type: SeatStatus, resolve: ({ status }) => SEAT_STATUSES[status] }),
  }),
})

const SectionUpdate = builder.objectRef<SectionUpdateShape>('SectionUpdate').implement({
  description:
    '`snapshot`, or the changes that lead from `previousVersion` to `version`. A client that holds another version asks again.',
  fields: (t) => ({
    sectionId: t.id({ resolve: ({ eventId, sectionNo }) => planId('sec', eventId, sectionNo) }),
    version: t.expose('version', { type: 'SafeInt' }),
    previousVersion: t.expose('previousVersion', { type: 'SafeInt', nullable: true }),
    asOf: t.expose('asOf', { type: 'DateTime' }),
    available: t.exposeInt('available'),
    snapshot: t.expose('snapshot', { type: SectionAvailability, nullable: true }),
    changes: t.field({ type: [SeatChange], resolve: ({ changes }) => [...changes] }),
  }),
})

builder.subscriptionField('seatSection', (t) =>
  t.field({
    type: SectionUpdate,
    description: 'A snapshot, then what changes, gathered for at most 250 ms.',
    args: { eventId: t.arg.id({ required: true }), sectionId: t.arg.id({ required: true }) },
    ...broadcasts<{ eventId: string; sectionId: string }, SectionUpdateShape>({
      async admit({ eventId, sectionId }, context) {
        await requireSection(context.app, eventId, sectionId)
        const admission = await checkAdmission(context, eventId)
        return admission && watchAdmission(context, admission)
      },
      async updates({ eventId, sectionId }, app) {
        const { section } = await requireSection(app, eventId, sectionId)
        return app.seatMap.updates(eventId, section.no)
      },
      whole: (last, _args, { seatMap }) => seatMap.whole(last),
      async atLeast({ eventId, sectionId }, app) {
        const { section } = await requireSection(app, eventId, sectionId)
        const version = await app.seatMap.latest(eventId, section.no)
        return (last) => last.version >= version
      },
    }),
    resolve: (update) => update,
  }),
)
