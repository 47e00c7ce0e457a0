import type { HallFeature } from './hallFeature.ts'
import { distance, middleOf, rotate } from './planGeometry.ts'
import type { PlanPoint, PlanSeat } from './seatingPlan.ts'
import type { LocatedSection } from './sectionRows.ts'

/** Times the distance of rows: two rows further apart do not follow each other. */
const FURTHEST = 4
/** As the mean of unit vectors: 1 where every row is behind the one before it in one direction. */
const AGREED = 0.5
/** Rows of one label in one section that are compared with the rows of the next label: a real section has a few. */
const SAMPLE = 50

/** Where the front is if no feature shows it: the direction to the back in degrees, or null where the rows stand around a middle. */
export interface Front extends HallFeature {
  readonly angle: number | null
  /** False: no row stands behind another one, so that the depth says nothing. */
  readonly hasDepth: boolean
}

/**
 * Returns the front that the rows' labels show. A row is behind another one where its label follows and where it stands
 * behind: so a row 1 behind a row L is no front row, and a block lettered on from its neighbour is beside it. The middle
 * of the front is the middle of the hall.
 */
export function frontOf(
  seats: readonly PlanSeat[],
  sections: readonly LocatedSection[],
  rowPitch: number,
): Front {
  const steps = sections.flatMap((section) => stepsBack(section, rowPitch))
  const mean = steps.length > 0 ? middleOf(steps) : { x: 0, y: 0 }
  const agreement = distance(mean, { x: 0, y: 0 })
  const box = { halfWidth: 0, halfHeight: 0, rotation: 0 }
  if (steps.length > 0 && agreement < AGREED)
    return { ...box, middle: middleOfBox(seats, 0), angle: null, hasDepth: true }
  // Without any order the stage is at the top, as in most plans.
  const angle = steps.length > 0 ? (Math.atan2(mean.y, mean.x) * 180) / Math.PI : 90
  return { ...box, middle: middleOfBox(seats, angle, 'front'), angle, hasDepth: steps.length > 0 }
}

/** The middle of the seats in axes that are turned by the angle, or the middle of their front edge. */
function middleOfBox(seats: readonly PlanPoint[], angle: number, edge?: 'front'): PlanPoint {
  let [minX, maxX, minY, maxY] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const seat of seats) {
    const { x, y } = rotate(seat, -angle)
    minX = Math.min(minX, x)
    maxX = Math.max(maxX, x)
    minY = Math.min(minY, y)
    maxY = Math.max(maxY, y)
  }
  return rotate({ x: edge ? minX : (minX + maxX) / 2, y: (minY + maxY) / 2 }, angle)
}

/** Unit vectors from rows to the rows that follow and stand behind them. */
function stepsBack({ seats, rows }: LocatedSection, rowPitch: number): PlanPoint[] {
  const labelled = rows.map((row) => {
    const own = row.seats.map((i) => seats[i] as PlanSeat)
    const first = own[0] as PlanSeat
    return { label: first.row === '' ? first.planRow : first.row, ends: [first, own.at(-1) as PlanSeat], own }
  })
  const labels = [...Map.groupBy(labelled, ({ label }) => kindOf(label)).values()].map((alike) =>
    [...Map.groupBy(alike, ({ label }) => label)]
      .toSorted(([a], [b]) => compareLabels(a, b))
      .map(([, rows]) => sampleOf(rows)),
  )
  return labels.flatMap((ordered) =>
    ordered
      .slice(1)
      .flatMap((after, i) =>
        after.flatMap((row) =>
          (ordered[i] ?? []).flatMap((front) => stepBetween(front, row, FURTHEST * rowPitch) ?? []),
        ),
      ),
  )
}

function sampleOf<T>(rows: readonly T[]): readonly T[] {
  const step = Math.ceil(rows.length / SAMPLE)
  return step === 1 ? rows : rows.filter((_, i) => i % step === 0)
}

interface LabelledRow {
  readonly ends: readonly PlanSeat[]
  readonly own: readonly PlanSeat[]
}

function stepBetween(front: LabelledRow, row: LabelledRow, furthest: number): PlanPoint | null {
  const middle = row.own[Math.floor(row.own.length / 2)] as PlanSeat
  const near = front.own.reduce((a, b) => (distance(b, middle) < distance(a, middle) ? b : a))
  const gap = distance(near, middle)
  if (gap === 0 || gap > furthest) return null
  const step = { x: (middle.x - near.x) / gap, y: (middle.y - near.y) / gap }
  const [a, b] = row.ends as [PlanSeat, PlanSeat]
  const length = distance(a, b)
  // A row beside another one is not behind it.
  const along = length === 0 ? 0 : ((b.x - a.x) * step.x + (b.y - a.y) * step.y) / length
  return Math.abs(along) < 0.7 ? step : null
}

function kindOf(label: string | number): string {
  if (typeof label === 'number') return 'unlabelled'
  return /^\d/.test(label) ? 'numbers' : 'letters'
}

/** Sorts 2 before 10, and Z before AA. Rows without labels stay in the plan's order. */
function compareLabels(a: string | number, b: string | number): number {
  if (typeof a === 'number' || typeof b === 'number') return Number(a) - Number(b) || 0
  const letters = /^[A-Za-z]+$/
  if (letters.test(a) && letters.test(b) && a.length !== b.length) return a.length - b.length
  return collator.compare(a, b)
}

const collator = new Intl.Collator('en', { numeric: true })
