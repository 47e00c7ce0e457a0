import Flatbush from 'flatbush'
import { distance, median, turn } from './planGeometry.ts'
import type { PlanSeat } from './seatingPlan.ts'

/** A gap of more than this many times the usual distance between neighbours is an aisle or a missing seat. */
const AISLE = 1.5
/** Degrees by which a row may bend from one seat to the next where the plan does not list the two one after the other. */
const BEND = 75
/** The same for the last two seats of a ring: a square table turns by 90. */
const RING_BEND = 100
/** A seat has two neighbours. The others in reach are behind it, or on the other side of a table. */
const REACHED = 8

/** Seats of one section with one row label, in the plan's order. */
export interface LabelledSeats {
  readonly seats: readonly PlanSeat[]
  /** The distance from each seat to the nearest other one; infinite where all are at one point. */
  readonly nearest: readonly number[]
  /** Finds seats. Of seats at one point it has the first. */
  readonly index: Flatbush
  /** Index in `seats` by index in `index`. */
  readonly points: readonly number[]
}

export function indexSeats(seats: readonly PlanSeat[]): LabelledSeats {
  const firsts = new Map<string, number>()
  for (const [i, { x, y }] of seats.entries()) {
    const point = `${x} ${y}`
    if (!firsts.has(point)) firsts.set(point, i)
  }
  const points = [...firsts.values()]
  const index = new Flatbush(points.length)
  for (const i of points) index.add((seats[i] as PlanSeat).x, (seats[i] as PlanSeat).y)
  index.finish()
  const nearest = seats.map((seat) => {
    const [, next] = index.neighbors(seat.x, seat.y, 2)
    return next === undefined
      ? Number.POSITIVE_INFINITY
      : distance(seat, seats[points[next] as number] as PlanSeat)
  })
  return { seats, nearest, index, points }
}

/**
 * Returns the neighbours of each seat, at most two, as indexes into the seats: the chains that they form are the
 * pieces of rows between aisles. A chain may be closed.
 *
 * In a row that the plan lists in order, that order decides, around any corner. Otherwise the nearest seats are
 * neighbours, as long as the row does not turn back: so the two benches of a table, which a plan may list seat by
 * seat across, are two chains.
 *
 * `pitch`: the usual distance of neighbours in the section, for rows that are too short to show their own.
 */
export function linkNeighbours({ seats, nearest, index, points }: LabelledSeats, pitch: number): number[][] {
  const rows = [...Map.groupBy(seats.keys(), (i) => (seats[i] as PlanSeat).planRow).values()]
  const reach = new Array<number>(seats.length)
  for (const row of rows) {
    const own = row.length > 3 ? median(row.map((i) => nearest[i] as number)) : pitch
    for (const i of row) reach[i] = AISLE * (own || pitch) * (1 + 1e-9)
  }
  const chains = createChains(seats)
  const inReach = (i: number, j: number) =>
    distance(seats[i] as PlanSeat, seats[j] as PlanSeat) <= Math.min(reach[i] as number, reach[j] as number)

  for (const row of rows) {
    const steps = row.slice(1).filter((j) => inReach(j - 1, j))
    if (3 * steps.length > 2 * (row.length - 1)) for (const j of steps) chains.link(j - 1, j)
  }
  const pairs: { i: number; j: number; gap: number }[] = []
  for (const i of points) {
    if (chains.isInside(i)) continue
    const { x, y } = seats[i] as PlanSeat
    for (const at of index.neighbors(x, y, REACHED, reach[i])) {
      const j = points[at] as number
      // The index counts to the edge of its boxes: the exact distance decides.
      if (j > i && inReach(i, j))
        pairs.push({ i, j, gap: Math.round(1e6 * distance(seats[i] as PlanSeat, seats[j] as PlanSeat)) })
    }
  }
  pairs.sort((a, b) => a.gap - b.gap || a.j - a.i - (b.j - b.i) || a.i - b.i)
  for (const { i, j } of pairs) chains.linkAlong(i, j)
  return chains.links
}

/** Links between seats, which form chains: no seat has more than two. */
function createChains(seats: readonly PlanSeat[]) {
  const links = seats.map((): number[] => [])
  const parent = seats.map((_, i) => i)
  const size = seats.map(() => 1)
  const at = (i: number) => seats[i] as PlanSeat
  const linksOf = (i: number) => links[i] as number[]
  const isInside = (i: number) => linksOf(i).length === 2

  function root(i: number): number {
    let top = i
    while (parent[top] !== top) {
      parent[top] = parent[parent[top] as number] as number
      top = parent[top] as number
    }
    return top
  }

  /** Degrees by which the chain that ends at `end` turns towards `next`; 0 for a single seat. */
  function bend(end: number, next: number): number {
    const [before] = linksOf(end)
    return before === undefined ? 0 : Math.abs(turn(at(before), at(end), at(next)))
  }

  function link(i: number, j: number) {
    linksOf(i).push(j)
    linksOf(j).push(i)
    const [a, b] = [root(i), root(j)]
    if (a === b) return
    parent[b] = a
    size[a] = (size[a] as number) + (size[b] as number)
  }

  return {
    links,
    isInside,
    link,
    /** Links the ends of two chains, or of one, unless the row would turn back on itself. */
    linkAlong(i: number, j: number) {
      if (isInside(i) || isInside(j) || linksOf(i).includes(j)) return
      const closes = root(i) === root(j)
      if (closes && (size[root(i)] as number) < 3) return
      if (Math.max(bend(i, j), bend(j, i)) <= (closes ? RING_BEND : BEND)) link(i, j)
    },
  }
}
