import Flatbush from 'flatbush'
import { audienceOf, featureOf, fromMiddle, type HallFeature } from './hallFeature.ts'
import { distance, median, rotate } from './planGeometry.ts'
import { frontOf } from './rowOrder.ts'
import type { PlanPoint, PlanSeat, SeatingPlan } from './seatingPlan.ts'
import type { LocatedSection } from './sectionRows.ts'

/** What an organizer says about the best seats. */
export interface BestSeats {
  /** The best seats are the nearest to this point, in plan units. */
  readonly near: PlanPoint | null
  /** Keys of categories, the best first; the categories that are not named come last. */
  readonly categories: readonly string[]
}

/** Where the best seats are. */
export interface HallView {
  /** The middle of what the seats look at; null where neither the plan nor the organizer says so. */
  readonly focus: PlanPoint | null
  /** The smaller, the better is the seat: about two for each row back, and one for each seat aside. */
  cost(seat: PlanSeat): number
  /** Orders seats of equal cost: the smaller, the better. */
  depth(seat: PlanSeat): number
}

/** A seat that is two seats further from the middle costs as much as a seat one row further back. */
const ROW_IN_SEATS = 2
/** A seat beside or behind the front of a stage costs as much as one this many times as far before it. */
const BEHIND = 2
/** Rows whose distance is measured. */
const SAMPLE = 300

/**
 * Finds the best seats. The organizer's point decides; else the stage, screen or field that the plan names; else the
 * front, which follows from the order of the rows' labels; else the top of the plan. Where the seats stand around the
 * feature, the best ones are beside the middle of its long sides.
 */
export function hallView(
  plan: SeatingPlan,
  sections: readonly LocatedSection[],
  best: BestSeats | null,
): HallView {
  const seats = sections.flatMap((section) => section.seats)
  const pitches = measure(sections)
  if (best?.near) return around({ middle: best.near, halfWidth: 0, halfHeight: 0, rotation: 0 }, pitches)
  const feature = featureOf(plan.areas)
  if (feature) {
    const angle = audienceOf(feature, seats)
    const view = angle === null ? around(feature, pitches) : before(feature, angle, pitches)
    return { ...view, focus: feature.middle }
  }
  const front = frontOf(seats, sections, pitches.row)
  // One row alone: its middle is the best, whichever way it bends.
  const measured = front.hasDepth ? pitches : { ...pitches, row: Number.POSITIVE_INFINITY }
  return {
    ...(front.angle === null ? around(front, measured) : before(front, front.angle, measured)),
    focus: null,
  }
}

interface Pitches {
  /** From a seat to the next. */
  readonly seat: number
  /** From a row to the one behind it. */
  readonly row: number
}

/** All seats are on one side of the feature, in the direction of the angle. */
function before(feature: HallFeature, angle: number, pitches: Pitches): HallView {
  const edge = depthOfEdge(feature, angle)
  const place = (seat: PlanSeat) => {
    const { x, y } = rotate({ x: seat.x - feature.middle.x, y: seat.y - feature.middle.y }, -angle)
    return { depth: x - edge, aside: Math.abs(y) }
  }
  return {
    focus: feature.middle,
    cost(seat) {
      const { depth, aside } = place(seat)
      return (ROW_IN_SEATS * (depth < 0 ? -BEHIND * depth : depth)) / pitches.row + aside / pitches.seat
    },
    depth: (seat) => place(seat).depth,
  }
}

/** From the feature's middle to its edge, in the direction of the angle. */
function depthOfEdge({ halfWidth, halfHeight, rotation }: HallFeature, angle: number): number {
  const turned = ((angle - rotation) * Math.PI) / 180
  return Math.abs(halfWidth * Math.cos(turned)) + Math.abs(halfHeight * Math.sin(turned))
}

/** The seats stand around the feature. */
function around(feature: HallFeature, pitches: Pitches): HallView {
  const { halfWidth, halfHeight } = feature
  const place = (seat: PlanSeat) => {
    const { x, y } = fromMiddle(seat, feature)
    const [across, along] = [Math.abs(x), Math.abs(y)]
    const [outX, outY] = [Math.max(across - halfWidth, 0), Math.max(along - halfHeight, 0)]
    const depth = Math.sqrt(outX ** 2 + outY ** 2)
    // Around a point no side is better than another.
    if (halfWidth + halfHeight === 0) return { depth, aside: 0 }
    const isAtLongSide = outY > outX === halfWidth >= halfHeight
    const aside = outY > outX ? across : along
    return { depth, aside: isAtLongSide ? aside : aside + Math.abs(halfWidth - halfHeight) }
  }
  return {
    focus: feature.middle,
    cost(seat) {
      const { depth, aside } = place(seat)
      return (ROW_IN_SEATS * depth) / pitches.row + aside / pitches.seat
    },
    depth: (seat) => place(seat).depth,
  }
}

/** The usual distances between neighbours and between rows. */
function measure(sections: readonly LocatedSection[]): Pitches {
  const seatGaps: number[] = []
  const rowGaps: number[] = []
  const rows = sections.reduce((sum, section) => sum + section.rows.length, 0)
  const step = Math.ceil(rows / SAMPLE)
  let nth = 0
  for (const { seats, rows } of sections) {
    if (seats.length === 0) continue
    const at = (i: number) => seats[i] as PlanSeat
    const index = new Flatbush(seats.length)
    for (const { x, y } of seats) index.add(x, y)
    index.finish()
    for (const row of rows) {
      if (nth++ % step > 0) continue
      const own = new Set(row.seats)
      for (const [n, i] of row.seats.entries())
        if (n > 0 && (row.positions[n] as number) - (row.positions[n - 1] as number) === 1)
          seatGaps.push(distance(at(i), at(row.seats[n - 1] as number)))
      const middle = at(row.seats[Math.floor(row.seats.length / 2)] as number)
      const [other] = index.neighbors(middle.x, middle.y, 1, undefined, (j) => !own.has(j))
      if (other !== undefined) rowGaps.push(distance(middle, at(other)))
    }
  }
  const seat = median(seatGaps) || 1
  return { seat, row: median(rowGaps) || seat }
}
