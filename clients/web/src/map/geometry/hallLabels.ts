import polylabel from 'polylabel'
import type { Point } from '../../../../sdk/index.ts'
import { toScreen, type View } from '../camera/camera.ts'
import { type Box, boxAround, middle, overlap } from './box.ts'
import type { HallSection } from './hallPlan.ts'
import type { SeatGrid } from './seatGrid.ts'

export interface HallLabel {
  readonly sectionId: string
  readonly name: string
  /** The second line; empty where there is no room. */
  readonly detail: string
  /** In pixels. */
  readonly box: Box
}

/** The sizes of the texts in rem, and the average width of a letter relative to them. */
export const LABEL = { name: 0.82, detail: 0.76, letter: 0.62, line: 1.25 }
const PAD = 3
/** Numbers stand before the sections where fewer than this share have room in their outlines: both would look like chance. */
const FEW = 0.25
/** The numbers of small sections: each one, or every second one, and so on. */
const STEPS = [1, 2, 5, 10, 20, 50]
/** How far before its section such a number may stand, in pixels, and the distance between two tries. */
const FARTHEST = 64
const PER_STEP = 4
/** The distance of a label from its section's seats. */
const AWAY = 6

/**
 * Returns the labels that have room, in pixels. Where seats are drawn, a label hides none of them: it stands beside its
 * section. Where only outlines are drawn, it stands inside its outline; where nearly all are too small, their numbers stand before them.
 * Larger sections come first. `scenery`: what no label covers, in plan units. `covered`: where no label can be seen, in
 * pixels. `rem`: in pixels.
 */
export function hallLabels(
  sections: readonly HallSection[],
  details: ReadonlyMap<string, string>,
  view: View,
  seats: SeatGrid | null,
  {
    scenery = [],
    covered = null,
    rem = 16,
  }: { scenery?: readonly Box[]; covered?: Box | null; rem?: number } = {},
): HallLabel[] {
  const kept = [...scenery.map((box) => boxOnScreen(box, view)), ...(covered ? [covered] : [])]
  const prefix = commonPrefix(sections.map(({ section }) => section.name))
  const screen: Box = { x: 0, y: 0, width: view.width, height: view.height }
  const placed: HallLabel[] = []
  const ordered = sections
    .map((section) => ({ section, on: boxOnScreen(section.box, view) }))
    .filter(({ on }) => overlap(on, screen))
    .sort((a, b) => b.on.width * b.on.height - a.on.width * a.on.height)
  for (const { section, on } of ordered) {
    const label = firstThatFits(section, on)
    if (label) placed.push(label)
  }
  if (!seats && placed.length < ordered.length * FEW) placed.push(...before())
  return placed

  /** The numbers of small sections, of each one or of every second, fifth and so on: as many as all have room. */
  function before(): HallLabel[] {
    const grounds = ordered.map(({ on }) => on)
    const center = toScreen(view, middle(boxAround(sections.map(({ box }) => box))))
    const named = new Set(placed.map(({ sectionId }) => sectionId))
    const small = sections.filter((section) => !named.has(section.section.id) && isInSight(view, section))
    for (const step of STEPS) {
      const added: HallLabel[] = []
      const chosen = small.filter((_, i) => i % step === 0)
      for (const { section, box } of chosen) {
        const text = section.name.slice(prefix.length) || section.name
        const from = toScreen(view, middle(box))
        const place = towards(from, center, sizeOf(text, '', rem)).find(
          (at) =>
            isFree(at) &&
            ![...grounds, ...added.map((other) => other.box)].some((other) => overlap(other, at)),
        )
        if (!place) break
        added.push({ sectionId: section.id, name: text, detail: '', box: place })
      }
      if (added.length === chosen.length) return added
    }
    return []
  }

  function firstThatFits(drawn: HallSection, on: Box): HallLabel | null {
    const { id, name } = drawn.section
    const short = name.slice(prefix.length) || name
    const detail = details.get(id) ?? ''
    for (const [text, second] of [
      [name, detail],
      [short, detail],
      [name, ''],
      [short, ''],
    ] as const) {
      for (const box of seats
        ? beside(on, sizeOf(text, second, rem))
        : inside(drawn, sizeOf(text, second, rem))) {
        if (isFree(box)) return { sectionId: id, name: text, detail: second, box }
      }
    }
    return null
  }

  function inside(drawn: HallSection, size: Size): Box[] {
    const { at, radius } = labelPoint(drawn)
    const fits = size.width / 2 <= radius * view.scale * 1.2 && size.height / 2 <= radius * view.scale
    return fits ? [around(toScreen(view, at), size)] : []
  }

  function isFree(box: Box): boolean {
    const isInSight =
      box.x >= 0 && box.y >= 0 && box.x + box.width <= view.width && box.y + box.height <= view.height
    if (!isInSight || placed.some((other) => overlap(other.box, box))) return false
    if (kept.some((other) => overlap(other, box))) return false
    if (!seats) return true
    const { scale, left, top } = view
    return !seats.hasSeat({
      x: (box.x - left) / scale,
      y: (box.y - top) / scale,
      width: box.width / scale,
      height: box.height / scale,
    })
  }
}

interface Size {
  readonly width: number
  readonly height: number
}

function sizeOf(name: string, detail: string, rem: number): Size {
  const { letter, line } = LABEL
  const [large, small] = [LABEL.name * rem, LABEL.detail * rem]
  return {
    width: Math.max(name.length * large * letter, detail.length * small * letter) + 2 * PAD,
    height: (large + (detail ? small : 0)) * line + PAD,
  }
}

/** Boxes ever farther from a section, first on the way to the middle of the hall, then away from it. */
function towards(from: Point, to: Point, size: Size): Box[] {
  const way = Math.hypot(to.x - from.x, to.y - from.y) || 1
  const [x, y] = [(to.x - from.x) / way, (to.y - from.y) / way]
  const distances = Array.from({ length: FARTHEST / PER_STEP }, (_, i) => (i + 1) * PER_STEP)
  return [...distances, ...distances.map((distance) => -distance)].map((distance) =>
    around({ x: from.x + x * distance, y: from.y + y * distance }, size),
  )
}

function isInSight(view: View, { box }: HallSection): boolean {
  const { x, y } = toScreen(view, middle(box))
  return x > 0 && y > 0 && x < view.width && y < view.height
}

/** Above, below, left and right of a section, from its middle outward. */
function beside(on: Box, size: Size): Box[] {
  const { x, y } = middle(on)
  const above = on.y - AWAY - size.height / 2
  const below = on.y + on.height + AWAY + size.height / 2
  const shifts = [0, -0.25, 0.25, -0.45, 0.45]
  return [
    ...shifts.map((shift) => ({ x: x + shift * on.width, y: above })),
    ...shifts.map((shift) => ({ x: x + shift * on.width, y: below })),
    ...shifts.map((shift) => ({ x: on.x - AWAY - size.width / 2, y: y + shift * on.height })),
    ...shifts.map((shift) => ({ x: on.x + on.width + AWAY + size.width / 2, y: y + shift * on.height })),
    { x, y },
  ].map((at) => around(at, size))
}

function around({ x, y }: Point, { width, height }: Size): Box {
  return { x: x - width / 2, y: y - height / 2, width, height }
}

function boxOnScreen(box: Box, view: View): Box {
  const { x, y } = toScreen(view, box)
  return { x, y, width: box.width * view.scale, height: box.height * view.scale }
}

const labelPoints = new WeakMap<HallSection, { at: Point; radius: number }>()

/** The point of an outline that is farthest from its edges, and that distance. */
function labelPoint(drawn: HallSection): { at: Point; radius: number } {
  const known = labelPoints.get(drawn)
  if (known) return known
  const { outline, shift, box } = drawn
  const found = { at: middle(box), radius: Math.min(box.width, box.height) / 2 }
  if (outline.length > 2) {
    const ring = outline.map(({ x, y }): [number, number] => [x + shift.x, y + shift.y])
    const [x, y] = polylabel([ring], found.radius / 20)
    found.at = { x, y }
    found.radius = Math.max(found.radius * 0.2, edgeDistance({ x, y }, ring))
  }
  labelPoints.set(drawn, found)
  return found
}

function edgeDistance({ x, y }: Point, ring: readonly [number, number][]): number {
  return Math.min(
    ...ring.map(([ax, ay], i) => {
      const [bx, by] = ring[(i + 1) % ring.length] as [number, number]
      const [dx, dy] = [bx - ax, by - ay]
      const t = Math.max(0, Math.min(1, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1)))
      return Math.hypot(ax + t * dx - x, ay + t * dy - y)
    }),
  )
}

/** What all names begin with, up to the last space: "Section " of "Section 101" and "Section 102". */
export function commonPrefix(names: readonly string[]): string {
  const [first = ''] = names
  if (names.length < 2) return ''
  let length = first.length
  for (const name of names) {
    let same = 0
    while (same < length && name[same] === first[same]) same++
    length = same
  }
  return first.slice(0, first.lastIndexOf(' ', length - 1) + 1)
}
