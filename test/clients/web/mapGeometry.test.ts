import { expect, test } from 'vitest'
import type { PriceLevel, Seat } from '../../../clients/sdk/index.ts'
import { keyStep, stepInRow } from '../../../clients/web/src/map/camera/keySteps.ts'
import { createSeatPick } from '../../../clients/web/src/map/camera/seatPick.ts'
import { overlap } from '../../../clients/web/src/map/geometry/box.ts'
import { rowLabels } from '../../../clients/web/src/map/geometry/rowLabelPlaces.ts'
import { createSeatGrid } from '../../../clients/web/src/map/geometry/seatGrid.ts'
import { pitchOf } from '../../../clients/web/src/map/geometry/seatRows.ts'
import { type SectionPlan, sectionPlan } from '../../../clients/web/src/map/geometry/sectionPlan.ts'

const LEVELS = [{ id: 'a' }] as PriceLevel[]

/** Rows of a hall with an aisle, turned by an angle as in a stadium's curve. */
function hall(rows: number, across: number, angle = 0): Seat[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return Array.from({ length: rows * across }, (_, index) => {
    const [row, number] = [Math.floor(index / across), index % across]
    const [x, y] = [number * 25 + (number >= 3 ? 50 : 0), row * 40]
    return {
      index,
      id: String(index),
      row: String(row + 1),
      number: String(number + 1),
      priceLevelId: 'a',
      x: x * cos - y * sin,
      y: x * sin + y * cos,
    } as Seat
  })
}

const plan = (seats: Seat[], focus: { x: number; y: number } | null = null): SectionPlan =>
  sectionPlan(seats, LEVELS, focus)
const name = ({ seats }: SectionPlan, index: number) => `${seats[index]?.row}-${seats[index]?.number}`

test.each([0, 0.3, -0.3, 1.2])(
  'a section lies level, and arrow keys lead along the row, across rows and past an aisle, with rows turned by %d',
  (angle) => {
    const section = plan(hall(3, 6, angle))
    expect(section.angle).toBeCloseTo(-angle)
    for (const i of [0, 5]) expect(section.at[i]?.y).toBeCloseTo(0)
    const go = (from: number, key: string) => name(section, keyStep(section, from, key))
    expect(go(2, 'ArrowRight')).toBe('1-4')
    expect(go(3, 'ArrowLeft')).toBe('1-3')
    expect(go(2, 'ArrowDown')).toBe('2-3')
    expect(go(8, 'ArrowUp')).toBe('1-3')
    expect(go(8, 'Home')).toBe('2-1')
    expect(go(8, 'End')).toBe('2-6')
  },
)

test('positions that the plan rounds to whole units do not tilt a section', () => {
  const angle = 0.565
  const seats = hall(20, 25, angle).map((seat) => ({ ...seat, x: Math.round(seat.x), y: Math.round(seat.y) }))
  expect(Math.abs(plan(seats).angle + angle)).toBeLessThan(0.002)
})

test('the focus stays at the last seat of a direction', () => {
  const section = plan(hall(2, 3))
  expect(keyStep(section, 0, 'ArrowLeft')).toBe(0)
  expect(keyStep(section, 0, 'ArrowUp')).toBe(0)
  expect(keyStep(section, 5, 'ArrowDown')).toBe(5)
  expect(keyStep(section, 5, 'a')).toBe(5)
})

test('the stage is above the rows, wherever the plan has it', () => {
  for (const [x, y] of [
    [60, -500],
    [60, 900],
  ] as const) {
    const { stage, at } = plan(hall(3, 6), { x, y })
    expect(Math.abs(stage ?? 9)).toBeLessThan(0.2)
    // The first row is the nearest to a stage above, the last one to a stage below.
    expect((at[0]?.y ?? 0) < (at[17]?.y ?? 0)).toBe(y < 0)
  }
})

test('seats all round a horseshoe keep the direction of the plan', () => {
  const seats = Array.from({ length: 40 }, (_, i) => {
    const angle = (Math.PI * i) / 39
    return {
      id: String(i),
      row: 'A',
      number: String(i),
      x: 300 * Math.cos(angle),
      y: 300 * Math.sin(angle),
    } as Seat
  })
  expect(plan(seats).angle).toBe(0)
})

test('the benches of a table are neighbours along the bench, not across', () => {
  const table = Array.from(
    { length: 8 },
    (_, i) => ({ row: '1', x: i % 2 ? 60 : 0, y: 25 * Math.floor(i / 2) }) as Seat,
  )
  expect(pitchOf(table)).toBe(25)
})

test('an aisle cuts a row; the plan’s own runs are used where it has them', () => {
  const seats = hall(1, 6)
  expect(plan(seats).runs).toEqual([
    [0, 1, 2],
    [3, 4, 5],
  ])
  const positions = [1, 3, 2, 4, 7, 8]
  const sold = seats.map((seat, i) => ({ ...seat, run: 1, runPosition: positions[i] ?? null }))
  expect(plan(sold).runs).toEqual([
    [0, 2, 1, 3],
    [4, 5],
  ])
})

test('a point picks the seat under it, and nothing between the rows', () => {
  const section = plan(hall(3, 6))
  const pick = createSeatPick(section)
  const [first, second] = [section.at[0], section.at[7]] as [
    { x: number; y: number },
    { x: number; y: number },
  ]
  expect(pick({ x: first.x + 8, y: first.y - 6 })).toBe(0)
  expect(pick(second)).toBe(7)
  expect(pick({ x: first.x, y: first.y + 20 })).toBeNull()
  expect(pick({ x: 10_000, y: 0 })).toBeNull()
})

test('in a list of seats the arrow keys follow the direction of the page and stop at its ends', () => {
  expect(stepInRow('ArrowRight', 1, 5, 'ltr')).toBe(2)
  expect(stepInRow('ArrowRight', 1, 5, 'rtl')).toBe(0)
  expect(stepInRow('ArrowLeft', 4, 5, 'rtl')).toBe(4)
  expect(stepInRow('ArrowDown', 4, 5, 'ltr')).toBe(4)
  expect(stepInRow('Home', 3, 5, 'rtl')).toBe(0)
  expect(stepInRow('End', 0, 5, 'ltr')).toBe(4)
  expect(stepInRow('a', 3, 5, 'ltr')).toBe(null)
})

test.each([16, 32])('no two labels of rows overlap, and none covers a seat, at texts of %d pixels', (rem) => {
  const { at, rows, pitch } = plan(hall(20, 10))
  const scale = 14 / pitch
  const view = { scale, left: 60, top: 40, width: 390, height: 400, zoom: 1, mostZoom: 4 }
  const labels = rowLabels({ at, rows, pitch }, view, rem)
  const [width, height] = [0.75 * 0.62 * rem, 0.75 * rem]
  const boxes = labels.map(({ label, x, y }) => ({
    x: x - (label.length * width) / 2,
    y: y - height / 2,
    width: label.length * width,
    height,
  }))
  expect(labels.length).toBeGreaterThan(8)
  for (const [i, box] of boxes.entries())
    expect(boxes.slice(i + 1).filter((other) => overlap(box, other))).toEqual([])
  const grid = createSeatGrid(
    at.map(({ x, y }) => ({ x: x * scale + view.left, y: y * scale + view.top })),
    0.4 * 14,
  )
  expect(boxes.filter((box) => grid.hasSeat(box))).toEqual([])
})
