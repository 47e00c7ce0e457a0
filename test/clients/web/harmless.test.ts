import { expect, test } from 'vitest'
import { AVAILABLE, type PriceLevel, type Seat, type Section, SOLD } from '../../../clients/sdk/index.ts'
import { nearestHarmless } from '../../../clients/web/src/map/harmless.ts'

const section = { id: 'a' } as Section
const level = { id: 'one' } as PriceLevel

/** One row: `.` free, `x` sold, `w` a space for a wheelchair; upper case letters are free seats of a price of their own. */
function row(drawing: string) {
  const seats = [...drawing].map(
    (kind, index) =>
      ({
        index,
        id: `s${index + 1}`,
        row: '1',
        number: String(index + 1),
        priceLevelId: /[A-Z]/.test(kind) ? kind : 'one',
        wheelchair: kind === 'w',
        companionOf: null,
        x: 25 * index,
        y: 0,
      }) as Seat,
  )
  const statuses = Uint8Array.from(drawing, (kind) => (kind === 'x' ? SOLD : AVAILABLE))
  return {
    find(id: string) {
      const seat = seats.find((other) => other.id === id)
      return seat && { seat, section, level }
    },
    seen: () => ({ seats, statuses }),
  }
}
const nearest = (drawing: string, chosen: number[], stranded: number[]) =>
  nearestHarmless(
    row(drawing),
    chosen.map((n) => `s${n}`),
    stranded.map((n) => `s${n}`),
  )

test('the nearest choice that leaves no single seat is as many seats, one place further', () => {
  expect(nearest('......', [2, 3], [1])).toEqual(['s1', 's2'])
  expect(nearest('......', [2], [1])).toEqual(['s1'])
  expect(nearest('x.....', [3, 4], [2])).toEqual(['s2', 's3'])
})

test('a move to another single seat is no help: the next place is farther', () => {
  // Seats 1 and 2 would leave 3 alone.
  expect(nearest('...x...', [2, 3], [1])).toEqual(null)
  expect(nearest('...x.....', [2], [1, 3])).toEqual(['s1'])
})

test('it has the same prices, and takes no space for a wheelchair', () => {
  expect(nearest('B.....', [2, 3], [1])).toEqual(['s3', 's4'])
  expect(nearest('w.x...x', [5], [4, 6])).toEqual(['s4'])
  expect(nearest('wx.', [3], [])).toEqual(null)
})
