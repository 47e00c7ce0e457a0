import { expect, test } from 'vitest'
import type { Seat } from '../../../clients/sdk/index.ts'
import { boxOf, neighbour, pitchOf } from '../../../clients/web/src/view/geometry.ts'

/** Rows of a hall with an aisle, turned by an angle as in a stadium's curve. */
function hall(rows: number, across: number, angle = 0): Seat[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
  return Array.from({ length: rows * across }, (_, index) => {
    const [row, number] = [Math.floor(index / across), index % across]
    const [x, y] = [number * 25 + (number >= 3 ? 50 : 0), row * 40]
    return {
      index,
      row: String(row + 1),
      number: String(number + 1),
      x: x * cos - y * sin,
      y: x * sin + y * cos,
    } as Seat
  })
}

const name = (seats: Seat[], index: number) => `${seats[index]?.row}-${seats[index]?.number}`

test.each([0, 0.3, -0.3])(
  'arrow keys lead along the row, across rows and past an aisle, with rows turned by %d',
  (angle) => {
    const seats = hall(3, 6, angle)
    const go = (from: number, key: string) => name(seats, neighbour(seats, from, key))
    expect(go(2, 'ArrowRight')).toBe('1-4')
    expect(go(3, 'ArrowLeft')).toBe('1-3')
    expect(go(2, 'ArrowDown')).toBe('2-3')
    expect(go(8, 'ArrowUp')).toBe('1-3')
    expect(go(8, 'Home')).toBe('2-1')
    expect(go(8, 'End')).toBe('2-6')
  },
)

test('the focus stays at the last seat of a direction', () => {
  const seats = hall(2, 3)
  expect(neighbour(seats, 0, 'ArrowLeft')).toBe(0)
  expect(neighbour(seats, 0, 'ArrowUp')).toBe(0)
  expect(neighbour(seats, 0, 'x')).toBe(0)
})

test('every seat can be reached with arrow keys alone', () => {
  const seats = hall(4, 6, 0.2)
  const reached = new Set([0])
  for (const from of reached) {
    for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown'])
      reached.add(neighbour(seats, from, key))
  }
  expect(reached.size).toBe(seats.length)
})

test('the size of a seat is the usual distance of neighbours, without aisles', () => {
  expect(pitchOf(hall(3, 6))).toBe(25)
  expect(pitchOf([])).toBe(25)
  expect(boxOf(hall(2, 2), 10)).toEqual({ x: -10, y: -10, width: 45, height: 60 })
})
