import { distance, middleOf, rotate } from './planGeometry.ts'
import type { PlanArea, PlanFeature, PlanPoint } from './seatingPlan.ts'

/** What the seats of a hall look at: a rectangle around it. */
export interface HallFeature {
  readonly middle: PlanPoint
  /** Half its sides, along its own axes. */
  readonly halfWidth: number
  readonly halfHeight: number
  /** Degrees clockwise of its width from the plan's x axis. */
  readonly rotation: number
}

/** The feature that matters most comes first: a concert in an arena has a stage on the field. */
const ORDER: readonly PlanFeature[] = ['STAGE', 'SCREEN', 'FIELD']
const ROUND_CORNERS = 24

/** Returns the largest stage of a plan, else its largest screen, else its largest field; null where no text names one. */
export function featureOf(areas: readonly PlanArea[]): HallFeature | null {
  const shapes = areas
    .filter((area) => area.kind !== 'TEXT' && (area.text === null || area.feature !== null))
    .map(around)
    .sort((x, y) => sizeOf(x) - sizeOf(y))
  for (const feature of ORDER) {
    const named = areas.filter((area) => area.feature === feature)
    const found = named.map((area) => shapeUnder(area, shapes) ?? around(area))
    if (found.length > 0) return found.reduce((a, b) => (sizeOf(b) > sizeOf(a) ? b : a))
  }
  return null
}

const sizeOf = ({ halfWidth, halfHeight }: HallFeature) => halfWidth * halfHeight

/**
 * A text may lie on a shape that has none: then the shape is what it names. Returns the smallest of several, and null for
 * an area that is a shape itself, or lies on none. `shapes`: from the smallest to the largest.
 */
function shapeUnder(named: PlanArea, shapes: readonly HallFeature[]): HallFeature | null {
  if (named.kind !== 'TEXT') return null
  const at = textPoint(named)
  return shapes.find((shape) => isInside(at, shape)) ?? null
}

function textPoint(area: PlanArea): PlanPoint {
  const offset = rotate(area.text ?? { x: 0, y: 0 }, area.rotation)
  return { x: area.x + offset.x, y: area.y + offset.y }
}

/** Returns the rectangle around an area, which is rotated as the area is. */
function around(area: PlanArea): HallFeature {
  const corners = cornersOf(area)
  const [xs, ys] = [corners.map(({ x }) => x), corners.map(({ y }) => y)]
  const [left, right] = [Math.min(...xs), Math.max(...xs)]
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)]
  const offset = rotate({ x: (left + right) / 2, y: (top + bottom) / 2 }, area.rotation)
  return {
    middle: { x: area.x + offset.x, y: area.y + offset.y },
    halfWidth: (right - left) / 2,
    halfHeight: (bottom - top) / 2,
    rotation: area.rotation,
  }
}

/** Relative to the area's position, and before its rotation. */
function cornersOf({ kind, width, height, radiusX, radiusY, points, text }: PlanArea): readonly PlanPoint[] {
  if (kind === 'RECTANGLE')
    return [
      { x: 0, y: 0 },
      { x: width ?? 0, y: height ?? 0 },
    ]
  if (kind === 'POLYGON') return points
  if (kind === 'TEXT') return [text ?? { x: 0, y: 0 }]
  return Array.from({ length: ROUND_CORNERS }, (_, i) => ({
    x: (radiusX ?? 0) * Math.cos((2 * Math.PI * i) / ROUND_CORNERS),
    y: (radiusY ?? 0) * Math.sin((2 * Math.PI * i) / ROUND_CORNERS),
  }))
}

function isInside(point: PlanPoint, box: HallFeature): boolean {
  const { x, y } = fromMiddle(point, box)
  return Math.abs(x) <= box.halfWidth && Math.abs(y) <= box.halfHeight
}

/** Returns a point in the feature's own axes. */
export function fromMiddle(point: PlanPoint, { middle, rotation }: HallFeature): PlanPoint {
  return rotate({ x: point.x - middle.x, y: point.y - middle.y }, -rotation)
}

/**
 * Returns the direction from the feature into the audience, in degrees, or null where the seats stand around the
 * feature. The direction is one of the feature's own axes where one of them is near.
 */
export function audienceOf(feature: HallFeature, seats: readonly PlanPoint[]): number | null {
  const ways = seats.map((seat) => {
    const length = distance(seat, feature.middle) || 1
    return { x: (seat.x - feature.middle.x) / length, y: (seat.y - feature.middle.y) / length }
  })
  const mean = middleOf(ways)
  if (distance(mean, { x: 0, y: 0 }) < ONE_SIDED) return null
  const angle = (Math.atan2(mean.y, mean.x) * 180) / Math.PI
  const axis = feature.rotation + 90 * Math.round((angle - feature.rotation) / 90)
  return Math.abs(angle - axis) <= AXIS ? axis : angle
}

/** The mean of the unit vectors to the seats: 1 in one direction, 0.64 over half a circle, 0 all around. */
const ONE_SIDED = 0.5
/** Degrees: the seats of a box on one side shift the audience's middle. */
const AXIS = 35
