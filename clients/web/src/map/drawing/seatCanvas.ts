import type { Point } from '../../../../sdk/index.ts'
import type { View } from '../camera/camera.ts'
import { remOf } from '../geometry/rem.ts'
import { edgeOf, ROW_LABEL, type RowLabel, rowLabels } from '../geometry/rowLabelPlaces.ts'
import type { SectionPlan } from '../geometry/sectionPlan.ts'
import { NUMBERS_FROM } from '../geometry/sizes.ts'
import { drawSeat } from './drawSeat.ts'
import type { SeatColors } from './seatColors.ts'
import { CHOSEN, changedSeats, lookOf } from './seatStates.ts'

/** Draws the seats of a large section and the labels of its rows. A change repaints only its seats; a move repaints those in sight. */
export interface SeatCanvas {
  /** Another view or other colours: repaints all seats in sight. */
  place(view: View, colors: SeatColors): void
  /** Returns the number of seats that it painted. */
  update(states: Uint8Array): number
}

/** Round seats take several times as long as square ones, and the eye sees no difference below this size in pixels. */
const ROUND_FROM = 4

/** The width of the line of ground round a row's label, in pixels. */
const HALO = 3

export function createSeatCanvas(canvas: HTMLCanvasElement, plan: SectionPlan): SeatCanvas {
  const context = canvas.getContext('2d') as CanvasRenderingContext2D
  let view: View | null = null
  let colors: SeatColors | null = null
  let states: Uint8Array | null = null
  let painted = 0
  let ratio = 1
  let rem = 16
  let labels: readonly RowLabel[] = []
  const images = new Map<string, OffscreenCanvas>()
  let imagesFor = ''

  function paint(i: number, { scale, left, top, width, height }: View, { levels }: SeatColors) {
    const { x, y } = plan.at[i] as Point
    const [px, py, size] = [x * scale + left, y * scale + top, plan.pitch * scale]
    if (px < -size || py < -size || px > width + size || py > height + size) return
    painted++
    const state = states?.[i] ?? 0
    const isSquare = (plan.seats[i]?.wheelchair ?? false) || size < ROUND_FROM
    const image = imageOf(state, plan.levels[i] ?? 0, isSquare, size)
    const half = image.width / ratio / 2
    context.drawImage(image, px - half, py - half, 2 * half, 2 * half)
    if (!(state & CHOSEN) && lookOf(state) === 'free' && size >= NUMBERS_FROM)
      number(plan.seats[i]?.number ?? '', px, py, size, levels[plan.levels[i] ?? 0]?.ink ?? '')
  }

  /** A seat in one look and size. It is drawn once and then copied: that is much faster on a phone. */
  function imageOf(state: number, level: number, isSquare: boolean, size: number): OffscreenCanvas {
    const key = `${state} ${level} ${isSquare}`
    const known = images.get(key)
    if (known) return known
    const side = Math.ceil((size * 1.1 + 2) * ratio)
    const image = new OffscreenCanvas(side, side)
    const target = image.getContext('2d')
    if (target && colors) {
      target.scale(ratio, ratio)
      target.translate(side / ratio / 2, side / ratio / 2)
      drawSeat(target, { state, isSquare, size, fill: colors.levels[level]?.fill ?? '', looks: colors.looks })
    }
    images.set(key, image)
    return image
  }

  function number(text: string, x: number, y: number, size: number, color: string) {
    context.fillStyle = color
    context.font = `600 ${size * (text.length > 2 ? 0.27 : 0.36)}px ${colors?.font ?? ''}`
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.fillText(text, x, y + size * 0.02)
  }

  function paintLabels({ height }: View, { looks, font }: SeatColors) {
    if (labels.some(({ pinned }) => pinned)) {
      context.globalAlpha = 0.86
      context.fillStyle = looks.ground
      context.fillRect(0, 0, 2 * edgeOf(rem), height)
      context.globalAlpha = 1
    }
    context.font = `620 ${ROW_LABEL.size * rem}px ${font}`
    context.textAlign = 'center'
    context.textBaseline = 'middle'
    context.lineJoin = 'round'
    context.lineWidth = HALO
    context.strokeStyle = looks.ground
    for (const { label, x, y, pinned } of labels) {
      context.strokeText(label, x, y)
      context.fillStyle = pinned ? looks.chosen : looks.rowlabel
      context.fillText(label, x, y)
    }
  }

  function isAtEdge(i: number): boolean {
    const { scale, left } = view as View
    return (plan.at[i] as Point).x * scale + left < 2 * edgeOf(rem) + plan.pitch * scale
  }

  /** Another size or other colours: every look is drawn again. */
  function forgetImages(scale: number) {
    const wanted = `${scale} ${ratio}`
    if (imagesFor === wanted) return
    imagesFor = wanted
    images.clear()
  }

  function paintAll() {
    if (!view || !colors || !states) return
    ratio = devicePixelRatio || 1
    rem = remOf()
    forgetImages(view.scale)
    labels = rowLabels(plan, view, rem)
    const [width, height] = [Math.round(view.width * ratio), Math.round(view.height * ratio)]
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    context.clearRect(0, 0, view.width, view.height)
    for (let i = 0; i < plan.at.length; i++) paint(i, view, colors)
    paintLabels(view, colors)
  }

  return {
    place(nextView, nextColors) {
      if (colors !== nextColors) imagesFor = ''
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
      // Labels at the edge lie over seats.
      if (labels.some(({ pinned }) => pinned) && changed.some(isAtEdge)) {
        paintAll()
        return painted
      }
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
