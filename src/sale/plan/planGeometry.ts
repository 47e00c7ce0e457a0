import type { PlanPoint } from './seatingPlan.ts'

export function distance(a: PlanPoint, b: PlanPoint): number {
  // Faster than Math.hypot, and no coordinate is large enough to overflow.
  return Math.sqrt((a.x - b.x) ** 2 + (a.y - b.y) ** 2)
}

/** Returns the degrees, from -180 to 180, by which a way from a over b to c turns at b. */
export function turn(a: PlanPoint, b: PlanPoint, c: PlanPoint): number {
  const [ux, uy, vx, vy] = [b.x - a.x, b.y - a.y, c.x - b.x, c.y - b.y]
  return (Math.atan2(ux * vy - uy * vx, ux * vx + uy * vy) * 180) / Math.PI
}

/** Returns the middle value, 0 of none. */
export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

export function middleOf(points: readonly PlanPoint[]): PlanPoint {
  const sum = points.reduce((total, { x, y }) => ({ x: total.x + x, y: total.y + y }), { x: 0, y: 0 })
  return { x: sum.x / points.length, y: sum.y / points.length }
}

/** Turns a point clockwise around the origin of the plan, as its y grows downwards. */
export function rotate({ x, y }: PlanPoint, degrees: number): PlanPoint {
  const angle = (degrees * Math.PI) / 180
  const [sin, cos] = [Math.sin(angle), Math.cos(angle)]
  return { x: x * cos - y * sin, y: x * sin + y * cos }
}
