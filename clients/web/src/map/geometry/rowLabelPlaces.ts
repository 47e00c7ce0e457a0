import type { Point } from '../../../../sdk/index.ts'
import { toScreen, type View } from '../camera/camera.ts'
import type { SectionPlan } from './sectionPlan.ts'

export interface RowLabel {
  readonly key: string
  readonly label: string
  /** The middle of the text, in pixels. */
  readonly x: number
  readonly y: number
  /** The row begins out of sight, and the label stands at the edge. */
  readonly pinned: boolean
}

/** The distance of a label from the middle of its seat, in distances between neighbours, and at least from its edge in rem. */
const AWAY = 0.9
const AWAY_REM = 0.8
/** The size of a label in rem, and the average width of a letter relative to it. */
export const ROW_LABEL = { size: 0.75, letter: 0.62 }
/** The labels of two rows are at least this many rem apart, so that both can be read. */
const APART = { x: 0.3, y: 0.78 }
/** The middle of a label at the edge, in rem. */
const EDGE_REM = 0.8

/** The middle of a label at the edge, in pixels. */
export function edgeOf(rem: number): number {
  return EDGE_REM * rem
}

/** Returns the labels that have room. The labels at the rows' beginnings come first. `rem`: in pixels. */
export function rowLabels(
  { at, rows, pitch }: Pick<SectionPlan, 'at' | 'rows' | 'pitch'>,
  view: View,
  rem = 16,
): RowLabel[] {
  const labels: RowLabel[] = []
  const edge = edgeOf(rem)
  const width = (label: string) => label.length * ROW_LABEL.size * ROW_LABEL.letter * rem
  const candidates = [...endLabels('start'), ...endLabels('end')]
  for (const candidate of candidates) {
    const isClear = labels.every(
      ({ label, x, y }) =>
        Math.abs(x - candidate.x) >= (width(label) + width(candidate.label)) / 2 + APART.x * rem ||
        Math.abs(y - candidate.y) >= APART.y * rem,
    )
    if (isClear) labels.push(candidate)
  }
  return labels

  function endLabels(end: 'start' | 'end'): RowLabel[] {
    return rows.flatMap(({ label, seats }, i) => {
      const [first, last] = [at[seats[0] ?? -1], at[seats.at(-1) ?? -1]]
      if (!label || !first || !last) return []
      const fromLeft = first.x < last.x || (first.x === last.x && first.y <= last.y)
      const atStart = end === 'start'
      const ordered = atStart === fromLeft ? seats : seats.toReversed()
      const [seat, next] = [at[ordered[0] as number] as Point, at[ordered[1] as number]]
      const outward = next ? unit(next, seat) : { x: atStart ? -1 : 1, y: 0 }
      const away = Math.max(AWAY * pitch * view.scale, AWAY * 0.5 * pitch * view.scale + AWAY_REM * rem)
      const { x, y } = toScreen(view, seat)
      const place = { x: x + outward.x * away, y: y + outward.y * away }
      if (place.y < 0 || place.y > view.height) return []
      const other = toScreen(view, at[ordered.at(-1) as number] as Point)
      const pinned = atStart ? place.x < edge && other.x > edge * 3 : false
      if (!pinned && (place.x < 0 || place.x > view.width)) return []
      const held = pinned ? edgePoint(ordered, view) : place
      return held ? [{ key: `${i}${end}`, label, x: held.x, y: held.y, pinned }] : []
    })
  }

  /** The left edge, at the height of the row there. */
  function edgePoint(ordered: readonly number[], seen: View): Point | null {
    for (const i of ordered) {
      const { x, y } = toScreen(seen, at[i] as Point)
      if (x >= edge) return { x: edge, y }
    }
    return null
  }
}

/** The direction from one point to another, with length 1. */
function unit(from: Point, to: Point): Point {
  const [x, y] = [to.x - from.x, to.y - from.y]
  const length = Math.hypot(x, y) || 1
  return { x: x / length, y: y / length }
}
