import type { AreaRow } from '../sql/plans.ts'
import { builder } from './builder/builder.ts'
import { PLAN_COST } from './builder/planCost.ts'
import { Event } from './event.ts'
import { Point, planOf } from './section.ts'

const PlanAreaKind = builder.enumType('PlanAreaKind', {
  description: 'The shape of an area, and which of its fields have it.',
  values: {
    RECTANGLE: { description: 'From the position to the right and down: `width`, `height`.' },
    CIRCLE: { description: 'Around the position: `radiusX`, which equals `radiusY`.' },
    ELLIPSE: { description: 'Around the position: `radiusX`, `radiusY`.' },
    POLYGON: { description: '`points`, relative to the position.' },
    TEXT: { description: '`text` alone.' },
  },
})

const PlanFeature = builder.enumType('PlanFeature', {
  description: "What the seats look at, from an area's text in some thirty languages.",
  values: ['STAGE', 'SCREEN', 'FIELD'] as const,
})

const PlanText = builder.objectRef<NonNullable<AreaRow['text']>>('PlanText').implement({
  description: 'A text of the plan, turned with its area.',
  fields: (t) => ({
    text: t.exposeString('text'),
    x: t.exposeFloat('x', { description: "The middle of the text, relative to the area's position." }),
    y: t.exposeFloat('y'),
    size: t.exposeFloat('size', { description: 'The height of the letters, in plan units.' }),
    color: t.exposeString('color', { nullable: true, description: 'A colour of CSS.' }),
  }),
})

const PlanArea = builder.objectRef<AreaRow>('PlanArea').implement({
  description:
    'A shape or a text that the plan draws besides its seats: a stage, a table, the name of a floor. Every coordinate is relative to the position.',
  fields: (t) => ({
    kind: t.expose('kind', { type: PlanAreaKind }),
    x: t.exposeFloat('x', { description: 'The position: plan units, from the top left.' }),
    y: t.exposeFloat('y'),
    rotation: t.exposeFloat('rotation', {
      description: 'Degrees clockwise around the position, of the shape and the text.',
    }),
    width: t.exposeFloat('width', { nullable: true }),
    height: t.exposeFloat('height', { nullable: true }),
    radiusX: t.exposeFloat('radiusX', { nullable: true }),
    radiusY: t.exposeFloat('radiusY', { nullable: true }),
    points: t.expose('points', { type: [Point] }),
    color: t.exposeString('color', { nullable: true, description: 'A colour of CSS; null: no filling.' }),
    borderColor: t.exposeString('borderColor', {
      nullable: true,
      description: 'A colour of CSS; null: no border.',
    }),
    text: t.expose('text', { type: PlanText, nullable: true }),
    feature: t.expose('feature', { type: PlanFeature, nullable: true }),
    sectionId: t.exposeID('sectionId', {
      nullable: true,
      description: 'The section whose zone of the plan has the area; null for a zone without seats.',
    }),
  }),
})

builder.objectFields(Event, (t) => ({
  areas: t.field({
    type: [PlanArea],
    description: 'What the plan draws besides seats, in drawing order: draw it under the seats.',
    complexity: PLAN_COST,
    resolve: async ({ id }, _args, { app }) => (await planOf(app, id)).areas,
  }),
  focus: t.field({
    type: Point,
    nullable: true,
    description:
      'The middle of what the seats look at: the stage, the screen or the field; null where the plan does not show it.',
    complexity: PLAN_COST,
    resolve: async ({ id }, _args, { app }) => (await planOf(app, id)).focus,
  }),
}))
