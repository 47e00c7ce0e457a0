import { RADIUS } from '../geometry/sizes.ts'
import type { SeatColors } from './seatColors.ts'
import { CHOSEN, FADED, lookOf, STRANDED } from './seatStates.ts'

interface DrawnSeat {
  state: number
  /** A space for a wheelchair, or a seat too small to be round. */
  isSquare: boolean
  /** In pixels. */
  size: number
  /** The colour of its price. */
  fill: string
  looks: SeatColors['looks']
}

/** Draws a seat without its number, with its middle at the origin. */
export function drawSeat(context: OffscreenCanvasRenderingContext2D, seat: DrawnSeat): void {
  const { state, size, fill, looks } = seat
  const look = lookOf(state)
  const isChosen = (state & CHOSEN) !== 0
  context.globalAlpha = state & FADED && !isChosen ? 0.22 : 1
  if (isChosen || look === 'free') {
    outline(context, seat, size * RADIUS)
    context.fillStyle = isChosen ? looks.chosen : fill
    context.fill()
  } else if (look === 'sold' || look === 'closed') {
    outline(context, seat, size * RADIUS * (look === 'sold' ? 0.55 : 0.3))
    context.fillStyle = looks[look]
    context.fill()
  } else {
    outline(context, seat, size * RADIUS * 0.94)
    context.strokeStyle = look === 'held' ? looks.held : fill
    context.lineWidth = Math.max(1, size * 0.08)
    if (look === 'held') context.setLineDash([size * 0.14, size * 0.12])
    context.stroke()
  }
  if (state & STRANDED) {
    outline(context, seat, size * RADIUS)
    context.strokeStyle = looks.stranded
    context.lineWidth = Math.max(1.5, size * 0.16)
    context.setLineDash([size * 0.2, size * 0.12])
    context.stroke()
  }
  if (isChosen) tick(context, size, looks.tick)
}

function outline(context: OffscreenCanvasRenderingContext2D, { isSquare }: DrawnSeat, radius: number) {
  context.beginPath()
  if (isSquare) context.rect(-radius, -radius, 2 * radius, 2 * radius)
  else context.arc(0, 0, radius, 0, 2 * Math.PI)
}

function tick(context: OffscreenCanvasRenderingContext2D, size: number, color: string) {
  context.beginPath()
  context.moveTo(-0.17 * size, 0.01 * size)
  context.lineTo(-0.04 * size, 0.14 * size)
  context.lineTo(0.19 * size, -0.13 * size)
  context.setLineDash([])
  context.strokeStyle = color
  context.lineWidth = Math.max(1.5, size * 0.12)
  context.stroke()
}
