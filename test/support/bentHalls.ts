import type { PlanSeat } from '../../src/sale/plan/seatingPlan.ts'

/** A seat of a generated hall. */
export interface BentSeat extends Pick<PlanSeat, 'row' | 'planRow' | 'x' | 'y'> {
  /** The row that it was made in. */
  readonly madeIn: number
}

const PITCH = 25
/** Seats that are further apart are no neighbours. */
const REACH = 1.5 * PITCH
/** Rows are made in squares of this size: the ends of two rows are never near. */
const SQUARE = 2_000

type Point = { x: number; y: number }
type Random = () => number

/**
 * Makes the rows of a hall: straight, bent, in the form of a horseshoe, or closed, with aisles. The hall is rotated, and may be
 * mirrored. A plan may list a row in pieces, backwards, in any order, or odd and even seats apart, and two rows may have one
 * label.
 */
export function bentHall(random: Random, rows: number): BentSeat[] {
  const turned = 2 * Math.PI * random()
  const mirror = random() < 0.5 ? -1 : 1
  const seats: BentSeat[] = []
  let planRow = 0
  for (let row = 0; row < rows; row++) {
    const label = random() < 0.2 && row > 0 ? String(row) : String(row + 1)
    const cell = { x: SQUARE * (row % 6), y: SQUARE * Math.floor(row / 6) }
    const points = rowOfPoints(random).map(({ x, y }) =>
      place({ x: x + cell.x, y: y + cell.y }, turned, mirror),
    )
    for (const piece of listed(points, random)) {
      for (const point of piece) seats.push({ ...point, row: label, planRow, madeIn: row })
      planRow++
    }
  }
  return seats
}

/** Returns the neighbours of each seat, by index: other seats of its label in reach. */
export function neighboursByDistance(seats: readonly BentSeat[]): number[][] {
  return seats.map((seat, i) =>
    [...seats.keys()].filter((j) => {
      const other = seats[j] as BentSeat
      return j !== i && other.row === seat.row && Math.hypot(seat.x - other.x, seat.y - other.y) <= REACH
    }),
  )
}

function place({ x, y }: Point, turned: number, mirror: number): Point {
  const [sin, cos] = [Math.sin(turned), Math.cos(turned)]
  return { x: mirror * (x * cos - y * sin), y: x * sin + y * cos }
}

function rowOfPoints(random: Random): Point[] {
  const count = 4 + Math.floor(random() * 20)
  const shape = random()
  if (shape < 0.2 && count >= 8) return ring(count, random)
  const steps = Array.from({ length: count }, (_, i) => {
    const gap = PITCH * (0.94 + 0.12 * random())
    return i > 0 && random() < 0.1 ? gap + PITCH * (1.2 + random()) : gap
  })
  // A horseshoe has no aisles: in its narrow bend an aisle would be a corner.
  const isHorseshoe = shape >= 0.75
  const ways = [0]
  for (const step of steps.slice(1))
    ways.push((ways.at(-1) as number) + (isHorseshoe ? Math.min(step, PITCH) : step))
  const along = ways.at(-1) as number
  if (shape < 0.5) return ways.map((x) => ({ x, y: 0 }))
  const angle = Math.PI * (0.2 + random())
  if (!isHorseshoe) return bent(ways, Math.max(6 * PITCH, along / angle))
  return horseshoe(ways, along, PITCH * (2.5 + 4 * random()))
}

function ring(count: number, random: Random): Point[] {
  const radius = (count * PITCH) / (2 * Math.PI)
  const from = random()
  return Array.from({ length: count }, (_, i) => {
    const angle = (2 * Math.PI * (i + from + 0.04 * random())) / count
    return { x: radius * Math.cos(angle), y: radius * Math.sin(angle) }
  })
}

function bent(ways: readonly number[], radius: number): Point[] {
  return ways.map((way) => ({
    x: radius * Math.sin(way / radius),
    y: radius * (1 - Math.cos(way / radius)),
  }))
}

/** Two legs and an arc of half a circle between them. */
function horseshoe(ways: readonly number[], length: number, radius: number): Point[] {
  const arc = Math.PI * radius
  const leg = Math.max(0, (length - arc) / 2)
  return ways.map((way) => {
    if (way <= leg) return { x: -radius, y: leg - way }
    if (way >= leg + arc) return { x: radius, y: way - leg - arc }
    const angle = (way - leg) / radius
    return { x: -radius * Math.cos(angle), y: -radius * Math.sin(angle) }
  })
}

/** The seats of a row as the plan lists them. */
function listed(points: Point[], random: Random): Point[][] {
  const way = random()
  if (way < 0.3) return [points]
  if (way < 0.4) return [points.toReversed()]
  if (way < 0.55) return [shuffled(points, random)]
  if (way < 0.7) return [0, 1].map((odd) => points.filter((_, i) => i % 2 === odd))
  const cut = 1 + Math.floor(random() * (points.length - 1))
  const pieces = [points.slice(0, cut), points.slice(cut)]
  return random() < 0.5 ? pieces : pieces.map((piece) => piece.toReversed()).reverse()
}

function shuffled(points: readonly Point[], random: Random): Point[] {
  return points
    .map((point) => ({ point, dice: random() }))
    .sort((a, b) => a.dice - b.dice)
    .map(({ point }) => point)
}
