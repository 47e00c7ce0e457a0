import { distance } from './planGeometry.ts'
import type { PlanPoint, PlanSection } from './seatingPlan.ts'

/** From the last seat to the label, in distances of neighbours: the label is as far from the seat as a neighbour. */
const OFFSET = 1
/** Where a row has one seat. */
const USUAL_PITCH = 25

/** Returns where to draw the label of the row beside its end seats, by index of the seat within the section. */
export function rowLabelPoints({ seats, rows }: PlanSection): Map<number, PlanPoint[]> {
  const labels = new Map<number, PlanPoint[]>()
  for (const [planRow, own] of Map.groupBy(seats.keys(), (i) => seats[i]?.planRow as number)) {
    const { label, labelEnds } = rows[planRow] ?? { label: '', labelEnds: null }
    if (label === '' || labelEnds === null) continue
    const ends = { start: [true], end: [false], both: [true, false] }[labelEnds]
    for (const isStart of ends) {
      const end = (isStart ? own[0] : own.at(-1)) as number
      const point = beyond(seats[end] as PlanPoint, seats[(isStart ? own[1] : own.at(-2)) ?? -1], isStart)
      labels.set(end, [...(labels.get(end) ?? []), point])
    }
  }
  return labels
}

/** The point that continues the row by a seat beyond its end. */
function beyond(end: PlanPoint, before: PlanPoint | undefined, isStart: boolean): PlanPoint {
  const gap = before ? distance(end, before) : 0
  if (!before || gap === 0) return { x: end.x + (isStart ? -USUAL_PITCH : USUAL_PITCH), y: end.y }
  const step = (OFFSET * Math.min(gap, 2 * USUAL_PITCH)) / gap
  return { x: end.x + step * (end.x - before.x), y: end.y + step * (end.y - before.y) }
}
