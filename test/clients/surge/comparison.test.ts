import { expect, test } from 'vitest'
import { comparison } from '../../../clients/surge/comparison.ts'
import { createHoarding } from '../../../clients/surge/hoarder.ts'

test('the comparison shows the fans’ share of the seats, its course, and what was hoarded, for each run', () => {
  const run = (name: string, bought: number, mostSeats: number, perSecond: number) => ({
    name,
    seats: 1_200,
    fans: 1_000,
    buyers: bought / 2,
    bought,
    course: Array.from({ length: 200 }, (_, i) => Math.min(bought, perSecond * (i + 1))),
    hoarding: {
      ...createHoarding(),
      holds: 10,
      mostSeats,
      seatSeconds: 6_000,
      refusals: new Map([['TooManyHolds', 7]]),
    },
  })
  const text = comparison([run('without limits', 600, 600, 5), run('with limits', 1_200, 60, 10)], 150)
  const cells = text.split('\n').map((line) => line.trim().split(/ {2,}/))
  expect(cells).toEqual([
    ['150 accounts at one address hold and never pay'],
    ['without limits', 'with limits'],
    ['seats', '1,200', '1,200'],
    ['bought by fans', '600', '1,200'],
    ['share of the seats', '50 %', '100 %'],
    ['fans who bought', '300 of 1,000', '600 of 1,000'],
    ['bought after one minute', '300', '600'],
    ['bought after two minutes', '600', '1,200'],
    ['half of the seats bought after', '120 s', '60 s'],
    ['nine tenths bought after', 'never', '108 s'],
    ['most seats hoarded at once', '600', '60'],
    ['share of the seats', '50 %', '5 %'],
    ['seat minutes hoarded', '100', '100'],
    ['hoarders’ holds', '10', '10'],
    ['hoarders’ holds refused: TooManyHolds', '7', '7'],
    [''],
  ])
})
