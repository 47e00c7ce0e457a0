import type { Point } from '../../../sdk/index.ts'
import type { View } from './camera.ts'
import type { SeatColors } from './seatColors.ts'
import { CHOSEN, changedSeats, FADED, lookOf, STRANDED } from './seatStates.ts'
import type { SectionPlan } from './sectionPlan.ts'
import { NUMBERS_FROM, RADIUS } from './sizes.ts'

/** Draws the seats of a large section. A change repaints only its seats; a move repaints those in sight. */
export interface SeatCanvas {
  /** Another view or other colours: repaints all seats in sight. */
  place(view: View, colors: SeatColors): void
  /** Returns the number of seats that it painted. */
  update(states: Uint8Array): number
}

/** Round seats take several times as long as square ones, and nobody sees the difference below this size in pixels. */
const ROUND_FROM = 4

export function createSeatCanvas(canvas: HTMLCanvasElement, plan: SectionPlan): SeatCanvas {
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  let view: View | null = null
  let colors: SeatColors | null = null
  let states: Uint8Array | null = null
  let painted = 0

  function paint(i: number, { scale, left, top, width, height }: View, { levels, looks }: SeatColors) {
    const { x, y } = plan.at[i] as Point
    const [px, py, size] = [x * scale + left, y * scale + top, plan.pitch * scale]
    if (px < -size || py < -size || px > width + size || py > height + size) return
    painted++
    const state = states?.[i] ?? 0
    const look = lookOf(state)
    const isChosen = (state & CHOSEN) !== 0
    const level = levels[plan.levels[i] ?? 0]
    const isSquare = (plan.seats[i]?.wheelchair ?? false) || size < ROUND_FROM
    const outline = (radius: number) => {
      context.beginPath()
      if (isSquare) context.rect(px - radius, py - radius, 2 * radius, 2 * radius)
      else context.arc(px, py, radius, 0, 2 * Math.PI)
    }
    context.globalAlpha = state & FADED && !isChosen ? 0.22 : 1
    context.setLineDash([])
    if (isChosen || look === 'free') {
      outline(size * RADIUS)
      context.fillStyle = isChosen ? looks.chosen : (level?.fill ?? looks.free)
      context.fill()
    } else if (look === 'sold' || look === 'closed') {
      outline(size * RADIUS * (look === 'sold' ? 0.55 : 0.3))
      context.fillStyle = looks[look]
      context.fill()
    } else {
      outline(size * RADIUS * 0.94)
      context.strokeStyle = look === 'held' ? looks.held : (level?.fill ?? looks.unknown)
      context.lineWidth = Math.max(1, size * 0.08)
      if (look === 'held') context.setLineDash([size * 0.14, size * 0.12])
      context.stroke()
    }
    if (state & STRANDED) {
      outline(size * RADIUS)
      context.strokeStyle = looks.stranded
      context.lineWidth = Math.max(1.5, size * 0.16)
      context.setLineDash([size * 0.2, size * 0.12])
      context.stroke()
    }
    if (isChosen) tick(px, py, size, looks.tick)
    else if (look === 'free' && size >= NUMBERS_FROM)
      number(plan.seats[i]?.number ?? '', px, py, size, level?.ink ?? '')
  }

  function tick(x: number, y: number, size: number, color: string) {
    context.beginPath()
    context.moveTo(x - 0.17 * size, y + 0.01 * size)
    context.lineTo(x - 0.04 * size, y + 0.14 * size)
    context.lineTo(x + 0.19 * size, y - 0.13 * size)
    context.setLineDash([])
    context.strokeStyle = color
    context.lineWidth = Math.max(1.5, size * 0.12)
    context.stroke()
  }

  function number(text: string, x: number, y: number, size: number, color: string) {
    context.fillStyle = color
    context.font = `600 ${size * (text.length > 2 ? 0.27 : 0.36)}px ${colors?.font ?? ''}`
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.fillText(text, x, y + size * 0.02)
  }

  function paintAll() {
    if (!view || !colors || !states) return
    const ratio = devicePixelRatio || 1
    const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)]
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, view.width, view.height)
    for (let i = 0; i < plan.at.length; i++) paint(i, view, colors)
  }

  return {
    place(nextView, nextColors) {
      view = nextView
      colors = nextColors
      paintAll()
    },
    update(next) {
      const changed = changedSeats(states, next)
      const isFirst = states === null
      states = next
      painted = 0
      if (isFirst) paintAll()
      if (isFirst || !view || !colors) return painted
      for (const i of changed) {
        const { x, y } = plan.at[i] as Point
        const half = plan.pitch * view.scale * 0.5
        context.clearRect(
          x * view.scale + view.left - half,
          y * view.scale + view.top - half,
          2 * half,
          2 * half,
        )
        paint(i, view, colors)
      }
      return painted
    },
  }
}
