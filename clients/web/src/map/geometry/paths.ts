import type { Point } from '../../../../sdk/index.ts'
import type { Run } from './seatRows.ts'

/** One line through the seats of each run, in order: a curved row is a curve. A run of one seat is a dot. */
export function runPath(at: readonly Point[], runs: readonly Run[]): string {
  return runs
    .map((run) => {
      const points = run.map((i) => coordinates(at[i]))
      return points.length === 1 ? `M${points[0]}h0` : `M${points.join('L')}`
    })
    .join('')
}

/** A dot for each point, for a stroke with round ends. */
export function dotPath(points: readonly Point[]): string {
  return points.map((point) => `M${coordinates(point)}h0`).join('')
}

/** A closed shape; two points are a line, one is a dot. */
export function outlinePath(outline: readonly Point[]): string {
  if (outline.length === 1) return dotPath(outline)
  return outline.length === 0 ? '' : `M${outline.map(coordinates).join('L')}${outline.length > 2 ? 'Z' : ''}`
}

function coordinates(point: Point | undefined): string {
  return point ? `${round(point.x)} ${round(point.y)}` : ''
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
