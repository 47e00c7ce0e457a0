import type { PlanArea, Point } from '../../../../sdk/index.ts'
import { type Box, boxOf } from './box.ts'
import { rotate } from './straighten.ts'

/** The box around an area's shape, in plan units. A text without a shape is the point of its middle. */
export function areaBox(area: PlanArea): Box {
  const corners = cornersOf(area).map((corner) => rotate(corner, (area.rotation * Math.PI) / 180))
  return boxOf(corners.map(({ x, y }) => ({ x: x + area.x, y: y + area.y })))
}

function cornersOf({ kind, width, height, radiusX, radiusY, points, text }: PlanArea): readonly Point[] {
  const around = (left: number, top: number, right: number, bottom: number) => [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ]
  if (kind === 'RECTANGLE') return around(0, 0, width ?? 0, height ?? 0)
  if (kind === 'POLYGON' && points.length > 0) return points
  if (kind === 'TEXT') return [{ x: text?.x ?? 0, y: text?.y ?? 0 }]
  return around(-(radiusX ?? 0), -(radiusY ?? 0), radiusX ?? 0, radiusY ?? 0)
}
