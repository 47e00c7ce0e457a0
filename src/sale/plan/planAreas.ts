import type { FaultChecks, Path } from '../inputFaults.ts'
import { RANGES } from '../numberRanges.ts'
import { featureNamed } from './planFeatures.ts'
import { isObject, readColor, readList, readPosition } from './planValues.ts'
import type { PlanArea, PlanPoint, PlanText } from './seatingPlan.ts'

const MOST_AREAS = 2_000
/** Of all polygons of a plan: a page draws every one of them. */
const MOST_POINTS = 20_000
/** As in the format. */
const TEXT_SIZE = 16

const NO_SHAPE = { width: null, height: null, radiusX: null, radiusY: null, points: [] }
type Shape = Pick<PlanArea, 'kind' | 'width' | 'height' | 'radiusX' | 'radiusY' | 'points'>

/** Reads the areas of the zones of one plan. A plan may have 2,000 areas, with 20,000 points in all. */
export type AreaReader = (zone: Record<string, unknown>, path: Path, section: string | null) => PlanArea[]

export function createAreaReader(faults: FaultChecks): AreaReader {
  let count = 0
  let points = 0

  return (zone, path, section) => {
    const origin = readPosition(zone.position, [...path, 'position'], faults)
    const given = readList(zone.areas, [...path, 'areas'], faults)
    count += given.length
    if (count > MOST_AREAS) {
      faults.add([...path, 'areas'], `make more than ${MOST_AREAS} areas of the plan`)
      return []
    }
    return given.flatMap((area, i) => {
      const at = [...path, 'areas', i]
      if (!isObject(area)) {
        faults.add(at, 'must be an object with shape and position')
        return []
      }
      const shape = readShape(area, at, faults)
      points += shape?.points.length ?? 0
      if (points > MOST_POINTS) {
        faults.add(at, `makes more than ${MOST_POINTS} points of the plan's polygons`)
        return []
      }
      const text = readText(area, at, faults)
      if (!shape || (shape.kind === 'TEXT' && !text)) return []
      const offset = readPosition(area.position, [...at, 'position'], faults)
      return {
        ...shape,
        x: origin.x + offset.x,
        y: origin.y + offset.y,
        rotation:
          area.rotation == null ? 0 : faults.number([...at, 'rotation'], area.rotation, RANGES.planRotation),
        color: readColor(area.color, [...at, 'color'], faults),
        borderColor: readColor(area.border_color, [...at, 'border_color'], faults),
        text,
        feature: text && featureNamed(text.text),
        section,
      }
    })
  }
}

/** Returns null for a shape without its measures: there is nothing to draw. */
function readShape(area: Record<string, unknown>, path: Path, faults: FaultChecks): Shape | null {
  const measure = (at: Path, value: unknown) => faults.number([...path, ...at], value, RANGES.planSize)
  const { shape, rectangle, circle, ellipse, polygon } = area
  switch (shape) {
    case 'text':
      return { kind: 'TEXT', ...NO_SHAPE }
    case 'rectangle':
      if (!isObject(rectangle)) return null
      return {
        kind: 'RECTANGLE',
        ...NO_SHAPE,
        width: measure(['rectangle', 'width'], rectangle.width),
        height: measure(['rectangle', 'height'], rectangle.height),
      }
    case 'circle': {
      if (!isObject(circle)) return null
      const radius = measure(['circle', 'radius'], circle.radius)
      return { kind: 'CIRCLE', ...NO_SHAPE, radiusX: radius, radiusY: radius }
    }
    case 'ellipse': {
      if (!isObject(ellipse) || !isObject(ellipse.radius)) return null
      const { x, y } = ellipse.radius
      const at = ['ellipse', 'radius']
      return {
        kind: 'ELLIPSE',
        ...NO_SHAPE,
        radiusX: measure([...at, 'x'], x),
        radiusY: measure([...at, 'y'], y),
      }
    }
    case 'polygon': {
      if (!isObject(polygon)) return null
      const points = readPoints(polygon.points, [...path, 'polygon', 'points'], faults)
      return points.length === 0 ? null : { kind: 'POLYGON', ...NO_SHAPE, points }
    }
    case undefined:
    case null:
      // The format's first version had rectangles only, without a shape.
      if (area.width == null || area.height == null) return null
      return {
        kind: 'RECTANGLE',
        ...NO_SHAPE,
        width: measure(['width'], area.width),
        height: measure(['height'], area.height),
      }
    default:
      faults.add([...path, 'shape'], 'must be rectangle, circle, ellipse, polygon or text')
      return null
  }
}

function readPoints(value: unknown, path: Path, faults: FaultChecks): PlanPoint[] {
  const given = readList(value, path, faults)
  if (given.length > MOST_POINTS) {
    faults.add(path, `must have at most ${MOST_POINTS} points`)
    return []
  }
  return given.map((point, i) => readPosition(point, [...path, i], faults))
}

function readText(area: Record<string, unknown>, path: Path, faults: FaultChecks): PlanText | null {
  const at = [...path, 'text']
  // In the format's first version a text of its own, in the middle of the rectangle.
  const given: unknown =
    typeof area.text === 'string'
      ? { text: area.text, position: { x: Number(area.width ?? 0) / 2, y: Number(area.height ?? 0) / 2 } }
      : area.text
  if (given == null) return null
  if (!isObject(given)) {
    faults.add(at, 'must be an object with text and position')
    return null
  }
  const { text, position, size, color } = given
  // Line breaks, which a text of a drawing may have.
  const words = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : text
  if (words == null || words === '') return null
  return {
    text: faults.text([...at, 'text'], words),
    ...readPosition(position, [...at, 'position'], faults),
    size: size == null ? TEXT_SIZE : faults.number([...at, 'size'], size, RANGES.planSize),
    color: readColor(color, [...at, 'color'], faults),
  }
}
