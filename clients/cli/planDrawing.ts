import type { LocatedPlan, SeatPosition } from '../../src/sale/plan/locateSeats.ts'
import type { PlanArea, PlanPoint, PlanSeat, SeatingPlan } from '../../src/sale/plan/seatingPlan.ts'

/** A seat of the drawing. */
interface Drawn extends PlanPoint {
  readonly seat: PlanSeat
  readonly section: string
  readonly position: SeatPosition
}

const SEAT_RADIUS = 9
const MARGIN = 60
/** From the best seat to the worst. */
const COLORS = ['#0b6e4f', '#5fae57', '#f0d264', '#e2995a', '#a9a4b8']

/**
 * Returns a drawing of a plan as SVG: areas, seats in the colours of their ranks, a line through the seats of each row that
 * stand side by side, and a thin line across each table. The ten best seats have a ring, and each seat has a title.
 */
export function drawPlan(plan: SeatingPlan, { positions, focus }: LocatedPlan): string {
  const seats = plan.sections.flatMap((section, s) =>
    section.seats.map(
      (seat, i): Drawn => ({
        x: seat.x,
        y: seat.y,
        seat,
        section: section.name,
        position: positions[s]?.[i] as SeatPosition,
      }),
    ),
  )
  const box = boxOf([...seats, ...plan.areas.flatMap(extentOf), ...(focus ? [focus] : [])])
  const parts = [
    ...plan.areas.map(drawArea),
    ...linesOf(seats).map(drawLine),
    ...plan.sections.flatMap((section, s) => acrossLines(section.seats, positions[s] ?? [])),
    ...seats.map((drawn) => drawSeat(drawn, seats.length)),
    ...plan.sections.map(drawName),
    ...(focus
      ? [
          `<path d="M${focus.x - 18} ${focus.y}h36M${focus.x} ${focus.y - 18}v36" stroke="#d0021b" stroke-width="4"/>`,
        ]
      : []),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}" font-family="sans-serif">
<rect x="-100000" y="-100000" width="200000" height="200000" fill="#fff"/>
${parts.join('\n')}
</svg>
`
}

function boxOf(points: readonly PlanPoint[]): string {
  let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity]
  for (const { x, y } of points) {
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = Math.max(bottom, y)
  }
  return [left - MARGIN, top - MARGIN, right - left + 2 * MARGIN, bottom - top + 2 * MARGIN].join(' ')
}

/** Points around an area, whatever its rotation. */
function extentOf({ x, y, width, height, radiusX, radiusY, points }: PlanArea): PlanPoint[] {
  const reach = Math.max(
    Math.hypot(width ?? 0, height ?? 0),
    radiusX ?? 0,
    radiusY ?? 0,
    ...points.map((point) => Math.hypot(point.x, point.y)),
  )
  return reach === 0
    ? [{ x, y }]
    : [{ x: x + reach, y: y + reach }, ...(radiusX ? [{ x: x - reach, y: y - reach }] : [{ x, y }])]
}

function drawArea({ x, y, rotation, color, borderColor, text, ...area }: PlanArea): string {
  const paint = `fill="${color ?? 'none'}" stroke="${borderColor ?? 'none'}" fill-opacity="0.5"`
  const shape = {
    RECTANGLE: `<rect width="${area.width}" height="${area.height}" ${paint}/>`,
    CIRCLE: `<circle r="${area.radiusX}" ${paint}/>`,
    ELLIPSE: `<ellipse rx="${area.radiusX}" ry="${area.radiusY}" ${paint}/>`,
    POLYGON: `<polygon points="${area.points.map((point) => `${point.x},${point.y}`).join(' ')}" ${paint}/>`,
    TEXT: '',
  }[area.kind]
  const words = text
    ? `<text x="${text.x}" y="${text.y}" font-size="${text.size}" fill="${text.color ?? '#333'}" text-anchor="middle" dominant-baseline="central">${escapeXml(text.text)}</text>`
    : ''
  return `<g transform="translate(${x} ${y}) rotate(${rotation})">${shape}${words}</g>`
}

/** The stretches of seats side by side. The line of a closed row ends where it begins. */
function linesOf(seats: readonly Drawn[]): Drawn[][] {
  return [...Map.groupBy(seats, ({ position }) => position.rowNo).values()].flatMap((row) => {
    const ordered = row.toSorted((a, b) => a.position.position - b.position.position)
    const lines: Drawn[][] = []
    for (const drawn of ordered) {
      const last = lines.at(-1)?.at(-1)
      if (last && drawn.position.position - last.position.position === 1) lines.at(-1)?.push(drawn)
      else lines.push([drawn])
    }
    return ordered[0]?.position.ringSize ? lines.map((line) => [...line, line[0] as Drawn]) : lines
  })
}

function drawLine(line: readonly Drawn[]): string {
  const points = line.map(({ x, y }) => `${x},${y}`).join(' ')
  return `<polyline points="${points}" fill="none" stroke="#1d3557" stroke-width="3" stroke-opacity="0.55"/>`
}

function acrossLines(seats: readonly PlanSeat[], positions: readonly SeatPosition[]): string[] {
  return positions.flatMap(({ across }, i) => {
    const [a, b] = [seats[i], across === null ? undefined : seats[across]]
    if (!a || !b || (across as number) < i) return []
    return [`<path d="M${a.x} ${a.y}L${b.x} ${b.y}" stroke="#8a5a2b" stroke-dasharray="4 4"/>`]
  })
}

function drawSeat({ seat, section, position }: Drawn, seats: number): string {
  const radius = Math.min(seat.radius ?? SEAT_RADIUS, 2 * SEAT_RADIUS)
  const color = COLORS[Math.min(COLORS.length - 1, Math.floor((COLORS.length * (position.rank - 1)) / seats))]
  const ring = position.rank <= 10 ? ' stroke="#d0021b" stroke-width="3"' : ''
  const title = escapeXml(
    `${section}, ${seat.rowLabel ?? `row ${seat.row}`}, ${seat.seatLabel ?? `seat ${seat.number}`}: rank ${position.rank}`,
  )
  return `<circle cx="${seat.x}" cy="${seat.y}" r="${radius}" fill="${color}"${ring}><title>${title}</title></circle><text x="${seat.x}" y="${seat.y}" font-size="${radius}" fill="#fff" text-anchor="middle" dominant-baseline="central">${escapeXml(seat.number)}</text>`
}

/** The name of a section, above its first seat. */
function drawName({ name, seats }: SeatingPlan['sections'][number]): string {
  const top = seats.reduce((a, b) => (b.y < a.y ? b : a))
  return `<text x="${top.x}" y="${top.y - 26}" font-size="18" fill="#1d3557" text-anchor="middle">${escapeXml(name)}</text>`
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
