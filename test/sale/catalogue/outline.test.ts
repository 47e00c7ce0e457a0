import { expect, test } from 'vitest'
import { outlineOf } from '../../../src/sale/catalogue/outline.ts'
import type { LayoutSeat } from '../../../src/sql/plans.ts'

function seats(rows: readonly (readonly [number, number][])[]): LayoutSeat[] {
  return rows.flatMap((row, i) => row.map(([x, y]) => ({ row: String(i), x, y }) as LayoutSeat))
}

const row = (y: number, from: number, to: number) =>
  Array.from({ length: (to - from) / 25 + 1 }, (_, i): [number, number] => [from + 25 * i, y])

test('the outline of straight rows has their corners alone', () => {
  const outline = outlineOf(seats([row(0, 0, 500), row(40, 0, 500), row(80, 0, 500)]))
  expect(outline).toHaveLength(4)
  expect(new Set(outline.map(({ x, y }) => `${x} ${y}`))).toEqual(new Set(['0 0', '500 0', '500 80', '0 80']))
})

test('a wide notch in the rows is a notch in the outline', () => {
  const full = [0, 40, 80].map((y) => row(y, 0, 800))
  const short = [120, 160, 200, 240, 280].map((y) => row(y, 0, 300))
  const outline = outlineOf(seats([...full, ...short]))
  const isInside = ({ x, y }: { x: number; y: number }) => x > 350 && y > 130
  expect(outline.some(isInside)).toBe(false)
  expect(outline.some(({ x, y }) => Math.abs(x - 300) < 30 && y > 80)).toBe(true)
})

test('seats on one line have its two ends, one seat has one point, and no seat has none', () => {
  const line = outlineOf(seats([row(0, 0, 300)]))
  expect(line.toSorted((a, b) => a.x - b.x)).toEqual([
    { x: 0, y: 0 },
    { x: 300, y: 0 },
  ])
  expect(outlineOf(seats([[[7, 9]]]))).toEqual([{ x: 7, y: 9 }])
  expect(outlineOf([])).toEqual([])
})
