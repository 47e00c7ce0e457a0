import { expect, test } from 'vitest'
import { AVAILABLE, HELD, type Seat, SOLD } from '../../../clients/sdk/index.ts'
import { pickSeats } from '../../../clients/surge/pickSeats.ts'
import { createRandom } from '../../../clients/surge/random.ts'

/** Two rows of five. */
const seats = Array.from(
  { length: 10 },
  (_, index) => ({ id: `s${index}`, index, row: index < 5 ? 'A' : 'B' }) as Seat,
)
const statuses = (...taken: number[]) =>
  Uint8Array.from(seats, ({ index }) => (taken.includes(index) ? (index % 2 ? HELD : SOLD) : AVAILABLE))

test('a fan picks free seats side by side in one row', () => {
  const seen = statuses(1, 4, 6)
  for (let person = 0; person < 500; person++) {
    const picked = pickSeats(seats, seen, 2, createRandom(1, person)).map(({ index }) => index)
    expect([
      [2, 3],
      [7, 8],
      [8, 9],
    ]).toContainEqual(picked)
  }
})

test('a fan takes seats apart, or fewer, if there is no block', () => {
  expect(
    pickSeats(seats, statuses(1, 2, 3, 5, 6, 7, 8, 9), 2, createRandom(1, 1)).map(({ id }) => id),
  ).toEqual(expect.arrayContaining(['s4']))
  expect(
    pickSeats(seats, statuses(0, 1, 2, 3, 4, 5, 6, 7, 8), 4, createRandom(1, 1)).map(({ id }) => id),
  ).toEqual(['s9'])
  expect(pickSeats(seats, statuses(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), 4, createRandom(1, 1))).toEqual([])
})

test('a fan leaves no single seat if it can be avoided', () => {
  for (let person = 0; person < 200; person++) {
    const picked = pickSeats(seats, statuses(), 3, createRandom(1, person)).map(({ index }) => index)
    expect([
      [0, 1, 2],
      [2, 3, 4],
      [5, 6, 7],
      [7, 8, 9],
    ]).toContainEqual(picked)
    // Four of five seats always leave a single one.
    expect(pickSeats(seats, statuses(), 4, createRandom(1, person))).toHaveLength(4)
  }
})

test('the same seed leads to the same choices', () => {
  const decide = () =>
    Array.from({ length: 20 }, (_, person) => pickSeats(seats, null, 2, createRandom(42, person)))
  expect(decide()).toEqual(decide())
})
