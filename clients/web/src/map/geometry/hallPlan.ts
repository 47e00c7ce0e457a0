import type { HallPlan, PlanArea, Point, Section } from '../../../../sdk/index.ts'
import { areaBox } from './areaBox.ts'
import { type Box, boxAround, boxOf, middle, shared } from './box.ts'
import { distance } from './seatRows.ts'

/** A section of the hall as it is drawn. */
export interface HallSection {
  readonly section: Section
  readonly outline: readonly Point[]
  /** From the plan to the drawing. Not zero only where the plan puts sections on one spot. */
  readonly shift: Point
  readonly box: Box
  readonly wheelchairSeats: number
}

/** The hall as it is drawn. */
export interface HallDrawing {
  readonly sections: readonly HallSection[]
  readonly box: Box
  /** True where the plan does not say where the sections are. */
  readonly isSpread: boolean
  /** The middle of the stage or of the field, in plan units; null where it is unknown. */
  readonly focus: Point | null
  /** What is at the focus; MIDDLE: nothing that the plan names. */
  readonly feature: 'STAGE' | 'SCREEN' | 'FIELD' | 'MIDDLE'
  /** The boxes of the areas that stand apart from the sections, such as a stage. */
  readonly scenery: readonly Box[]
  /** Stage, field and scenery, drawn under the seats. */
  readonly areas: readonly PlanArea[]
}

/** Sections that share more than this of the smaller one, with their middles this near, are on one spot. */
const ON_ONE_SPOT = { shared: 0.6, apart: 0.2 }
/** The margin round the hall and between spread sections, as a share of the hall's size. */
const MARGIN = 0.03
/** Sections round a field leave no wider gap, in radians. */
const WIDEST_GAP = (Math.PI * 2) / 3

/** A phone cannot animate more sections: their map jumps to its new place, and their colours change at once. */
const MOST_ANIMATED = 24

export function isLarge({ sections }: HallDrawing): boolean {
  return sections.length > MOST_ANIMATED
}

/** Returns null where the plan has no section to draw. */
export function hallDrawing(sections: readonly Section[], plan: HallPlan): HallDrawing | null {
  const planned = new Map(plan.sections.map((section) => [section.id, section]))
  const drawn = sections.flatMap((section) => {
    const { outline = [], wheelchairSeats = 0 } = planned.get(section.id) ?? {}
    const box = boxOf(outline, 15)
    return outline.length === 0 ? [] : [{ section, outline, wheelchairSeats, box, shift: { x: 0, y: 0 } }]
  })
  if (drawn.length === 0) return null
  const isSpread = areOnOneSpot(drawn)
  const placed = isSpread ? spread(drawn) : drawn
  const areas = isSpread ? [] : plan.areas
  const whole = boxAround([...placed.map(({ box }) => box), ...areas.map(areaBox)])
  return {
    sections: placed,
    box: grown(whole, Math.max(whole.width, whole.height) * MARGIN),
    isSpread,
    focus: isSpread ? null : (plan.focus ?? fieldOf(drawn)),
    feature:
      (plan.focus && areas.find(({ feature }) => feature)?.feature) || (plan.focus ? 'STAGE' : 'MIDDLE'),
    scenery: areas
      .map(areaBox)
      .filter((box) => placed.every((section) => !contains(box, middle(section.box)))),
    areas,
  }
}

function areOnOneSpot(sections: readonly HallSection[]): boolean {
  return sections.some(({ box: a }, i) =>
    sections.slice(i + 1).some(({ box: b }) => {
      const smaller = Math.min(area(a), area(b))
      const isNear = distance(middle(a), middle(b)) < ON_ONE_SPOT.apart * Math.sqrt(smaller)
      return isNear && shared(a, b) > ON_ONE_SPOT.shared * smaller
    }),
  )
}

/** Places the sections side by side, in about as many lines as columns. */
function spread(sections: readonly HallSection[]): HallSection[] {
  const columns = Math.ceil(Math.sqrt(sections.length))
  const gap = Math.max(...sections.map(({ box }) => Math.max(box.width, box.height))) * 0.15
  const placed: HallSection[] = []
  let y = 0
  for (let from = 0; from < sections.length; from += columns) {
    const line = sections.slice(from, from + columns)
    let x = 0
    for (const section of line) {
      const { box } = section
      placed.push({ ...section, box: { ...box, x, y }, shift: { x: x - box.x, y: y - box.y } })
      x += box.width + gap
    }
    y += Math.max(...line.map(({ box }) => box.height)) + gap
  }
  return placed
}

/** The middle of sections that lie all around it, as round a pitch. */
function fieldOf(sections: readonly HallSection[]): Point | null {
  if (sections.length < 3) return null
  const whole = boxAround(sections.map(({ box }) => box))
  const center = middle(whole)
  if (sections.some(({ box }) => contains(box, center))) return null
  const angles = sections
    .map(({ box }) => Math.atan2(box.y + box.height / 2 - center.y, box.x + box.width / 2 - center.x))
    .sort((a, b) => a - b)
  const isAround = angles.every((angle, i) => {
    const next = angles[i + 1] ?? (angles[0] as number) + 2 * Math.PI
    return next - angle <= WIDEST_GAP
  })
  return isAround ? center : null
}

function contains({ x, y, width, height }: Box, point: Point): boolean {
  return point.x > x && point.x < x + width && point.y > y && point.y < y + height
}

function area({ width, height }: Box): number {
  return width * height
}

function grown({ x, y, width, height }: Box, by: number): Box {
  return { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by }
}
