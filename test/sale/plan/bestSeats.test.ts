import { describe, expect, test } from 'vitest'
import type { BestSeats } from '../../../src/sale/plan/bestSeats.ts'
import { locateSeats } from '../../../src/sale/plan/locateSeats.ts'
import { featureNamed } from '../../../src/sale/plan/planFeatures.ts'
import { planOf } from '../../support/plans.ts'

interface Block {
  rows: string
  x?: number
  y?: number
  seats?: number
}

/** A hall of blocks of rows, 25 by 30, and areas. The seats are named by their row and number. */
function hall(blocks: readonly Block[], areas: readonly object[] = []) {
  return planOf({
    name: 'Hall',
    categories: [{ name: 'A' }],
    zones: [
      {
        name: 'Hall',
        areas,
        rows: blocks.flatMap(({ rows, x = 0, y = 0, seats = 5 }) =>
          rows.split(' ').map((row_number, r) => ({
            row_number,
            position: { x, y: y + 30 * r },
            seats: Array.from({ length: seats }, (_, n) => ({
              seat_guid: `${row_number}${n + 1}`,
              seat_number: String(n + 1),
              position: { x: 25 * n, y: 0 },
              category: 'A',
            })),
          })),
        ),
      },
    ],
  })
}

/** The seats from the best on. */
function ranked(plan: ReturnType<typeof hall>, best: BestSeats | null = null): string[] {
  const { positions } = locateSeats(plan, best)
  const seats = plan.sections[0]?.seats ?? []
  return seats
    .map(({ key }, i) => ({ key, rank: positions[0]?.[i]?.rank ?? 0 }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ key }) => key)
}

const area = (text: string, x: number, y: number, width: number, height: number, more: object = {}) => ({
  shape: 'rectangle',
  position: { x, y },
  rectangle: { width, height },
  text: { text, position: { x: width / 2, y: height / 2 } },
  ...more,
})

describe('without a feature the best seats are in the middle of the front', () => {
  test('of the hall, where blocks are lettered on from their neighbours', () => {
    const plan = hall([{ rows: 'A B C D' }, { rows: 'E F G H', x: 200 }, { rows: 'I J K L', x: 400 }])
    expect(ranked(plan).slice(0, 3).sort()).toEqual(['E2', 'E3', 'E4'])
  })

  test('and a row 1 behind a row L is no front row', () => {
    const order = ranked(hall([{ rows: 'A B C L 1 2' }]))
    expect(order[0]).toBe('A3')
    expect(order.indexOf('13')).toBeGreaterThan(order.indexOf('L3'))
  })

  test('which is at the bottom where the rows are numbered from there', () => {
    expect(ranked(hall([{ rows: '9 8 7 6' }]))[0]).toBe('63')
  })

  test('of the one row, whichever way it bends', () => {
    const [a, b] = [1, -1].map((side) => {
      const bent = hall([{ rows: '1', seats: 9 }])
      const seats = bent.sections[0]?.seats.map((seat, i) => ({ ...seat, y: 2 * side * (i - 4) ** 2 })) ?? []
      return { ...bent, sections: [{ key: 'Hall', name: 'Hall', rows: bent.sections[0]?.rows ?? [], seats }] }
    })
    expect([a, b].map((plan) => ranked(plan as typeof plan & object)[0])).toEqual(['15', '15'])
  })
})

describe('the best seats are before what the hall shows', () => {
  test.each([
    ['a stage', area('Bühne', 0, 200, 100, 40), '43'],
    ['a rotated stage', area('STAGE', 100, 240, 100, 40, { rotation: 180 }), '43'],
    ['a stage at the side', area('Scène', -200, 0, 60, 90), '21'],
    [
      'a text on a shape',
      { shape: 'text', position: { x: 50, y: 220 }, text: { text: 'S T A G E', position: { x: 0, y: 0 } } },
      '43',
    ],
  ])('%s', (_what, feature, best) => {
    expect(ranked(hall([{ rows: '1 2 3 4' }], [feature]))[0]).toBe(best)
  })

  test('a stage on the field, not the field', () => {
    const areas = [area('Spielfeld', 0, -400, 100, 300), area('Main Stage', 0, 200, 100, 40)]
    expect(ranked(hall([{ rows: '1 2 3 4' }], areas))[0]).toBe('43')
  })

  test('the middle of the long sides, around a field', () => {
    const field = area('PITCH', 0, 200, 400, 150)
    const plan = hall(
      [
        { rows: 'N1', x: 100, y: 150, seats: 9 },
        { rows: 'S1', x: 100, y: 400, seats: 9 },
        { rows: 'W1 W2 W3', x: -150, y: 250, seats: 3 },
        { rows: 'E1 E2 E3', x: 450, y: 250, seats: 3 },
      ],
      [field],
    )
    expect(ranked(plan).slice(0, 2).sort()).toEqual(['N15', 'S15'])
  })
})

test('an organizer may say where the best seats are', () => {
  const plan = hall([{ rows: '1 2 3 4' }], [area('Stage', 0, -100, 100, 40)])
  expect(ranked(plan)[0]).toBe('13')
  expect(ranked(plan, { near: { x: 100, y: 90 }, categories: [] })[0]).toBe('45')
})

describe('a text names', () => {
  test.each([
    ['STAGE', 'STAGE'],
    ['Hauptbühne', 'STAGE'],
    ['SCÈNE', 'STAGE'],
    ['S C E N E', 'STAGE'],
    ['Сцена', 'STAGE'],
    ['舞台', 'STAGE'],
    ['メインステージ', 'STAGE'],
    ['무대', 'STAGE'],
    ['Leinwand', 'SCREEN'],
    ['Écran', 'SCREEN'],
    ['Spielfeld', 'FIELD'],
    ['Tennis court', 'FIELD'],
    ['Bühneneingang', null],
    ['Backstage', null],
    ['Stage door', null],
    ['Food court', null],
    ['Catering', null],
    ['FLOOR 1', null],
    ['Bar', null],
    ['', null],
  ])('%s: %s', (text, feature) => {
    expect(featureNamed(text)).toBe(feature)
  })
})
