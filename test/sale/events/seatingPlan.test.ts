import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { readSeatingPlan } from '../../../src/sale/events/seatingPlan.ts'
import type { InputFault } from '../../../src/sale/faults.ts'
import { createInputFaults } from '../../../src/sale/inputFaults.ts'
import { stadium } from '../../support/stadium.ts'

const PATH = ['input', 'seatingPlan']

function read(plan: unknown) {
  const faults = createInputFaults()
  const read = readSeatingPlan(plan, PATH, faults)
  try {
    faults.throwAny()
    return { plan: read, faults: [] }
  } catch (error) {
    return { plan: null, faults: (error as { extensions: { faults: InputFault[] } }).extensions.faults }
  }
}

const seat = (more: object = {}) => ({
  seat_guid: 'a1',
  seat_number: '1',
  position: { x: 1, y: 2 },
  category: 'Stalls',
  ...more,
})
const zone = (seats: unknown[], more: object = {}) => ({
  name: 'Block A',
  position: { x: 100, y: 200 },
  rows: [{ row_number: '7', position: { x: 10, y: 20 }, seats }],
  ...more,
})
const plan = (zones: unknown[], more: object = {}) => ({
  name: 'Hall',
  size: { width: 800, height: 600 },
  categories: [{ name: 'Stalls', color: '#E87722' }],
  zones,
  ...more,
})

describe('a plan in the standard format', () => {
  test('adds up the positions of zone, row and seat', () => {
    expect(read(plan([zone([seat({ wheelchair: true })])])).plan).toEqual({
      width: 800,
      height: 600,
      categories: [{ name: 'Stalls', color: '#E87722' }],
      sections: [
        {
          key: 'Block A',
          name: 'Block A',
          seats: [
            {
              key: 'a1',
              row: '7',
              planRow: 0,
              number: '1',
              x: 111,
              y: 222,
              category: 0,
              wheelchair: true,
              companionOf: null,
            },
          ],
        },
      ],
    })
  })

  test('the real hall has 1,231 seats in six blocks, some for wheelchairs', () => {
    const hall = read(readFileSync(new URL('../../../demo/sports-hall.json', import.meta.url), 'utf8')).plan
    expect(hall?.sections.map(({ key, seats }) => [key, seats.length])).toEqual([
      ['Block D', 193],
      ['Block E', 163],
      ['Block F', 190],
      ['Block A', 234],
      ['Block B', 218],
      ['Block C', 233],
    ])
    expect(hall?.categories.map(({ name }) => name)).toEqual(['Kategorie I', 'Kategorie II', 'VIP'])
    expect(hall?.sections.some(({ seats }) => seats.some(({ wheelchair }) => wheelchair))).toBe(true)
  })
})

describe('a plan in practice', () => {
  test('may name the wheelchair seat of a companion seat', () => {
    const { plan: read1 } = read(
      plan([
        zone([
          seat({ wheelchair: true }),
          seat({ seat_guid: 'a2', companion_of: 'a1' }),
          seat({ seat_guid: 'a3', companion_of: null }),
        ]),
      ]),
    )
    expect(read1?.sections[0]?.seats.map(({ companionOf }) => companionOf)).toEqual([null, 'a1', null])
  })

  test('may name only a wheelchair seat of the companion seat’s zone', () => {
    const wheelchair = seat({ seat_guid: 'w1', wheelchair: true })
    const companion = (more: object) => seat({ seat_guid: 'c1', ...more })
    const { faults } = read(
      plan([
        zone([
          seat(),
          companion({ companion_of: 'a1' }),
          seat({ seat_guid: 'c2', companion_of: 'w1' }),
          seat({ seat_guid: 'c3', companion_of: 'nowhere' }),
        ]),
        zone([wheelchair, seat({ seat_guid: 'c4', wheelchair: true, companion_of: 'w1' })]),
      ]),
    )
    expect(faults.map(({ path, message }) => [path.slice(3).join('.'), message])).toEqual([
      ['0.rows.0.seats.1.companion_of', expect.stringContaining('no wheelchair seat')],
      ['0.rows.0.seats.2.companion_of', expect.stringContaining('no seat of this zone')],
      ['0.rows.0.seats.3.companion_of', expect.stringContaining('no seat of this zone')],
      ['1.rows.0.seats.1.companion_of', expect.stringContaining('cannot be a companion')],
    ])
  })

  test('may be the text of its file', () => {
    expect(read(JSON.stringify(plan([zone([seat()])]))).plan?.sections).toHaveLength(1)
  })

  test('may have keys that the format does not define', () => {
    const unknown = { uuid: '4e5', start_at: 1, areas: [{ shape: 'text' }], layout: null }
    const wild = plan([{ ...zone([seat(unknown)]), ...unknown }], unknown)
    expect(read(wild).plan?.sections[0]?.seats).toHaveLength(1)
  })

  test('may have rows and zones without a position', () => {
    const wild = plan([{ name: 'A', rows: [{ row_number: '1', seats: [seat()] }] }])
    expect(read(wild).plan?.sections[0]?.seats[0]).toMatchObject({ x: 1, y: 2 })
  })

  test('may have zones without a name or with the same name', () => {
    const named = (name: unknown, guid: string) => zone([seat({ seat_guid: guid })], { name })
    const wild = plan([
      named('A', '1'),
      named('A', '2'),
      named('', '3'),
      named(undefined, '4'),
      named('A', '5'),
    ])
    expect(read(wild).plan?.sections.map(({ key, name }) => [key, name])).toEqual([
      ['A', 'A'],
      ['A (2)', 'A'],
      ['Zone 3', 'Zone 3'],
      ['Zone 4', 'Zone 4'],
      ['A (3)', 'A'],
    ])
  })

  test('may have zones without seats: a stage, a bar', () => {
    const wild = plan([{ name: 'Stage', position: { x: 0, y: 0 }, rows: [] }, zone([seat()])])
    expect(read(wild).plan?.sections.map(({ key }) => key)).toEqual(['Block A'])
  })

  test('may have fractions as positions', () => {
    const wild = plan([zone([seat({ position: { x: 0.5, y: -1.25 } })])])
    expect(read(wild).plan?.sections[0]?.seats[0]).toMatchObject({ x: 110.5, y: 218.75 })
  })

  test('may have seats and rows with numbers as names, or without names', () => {
    const wild = plan([
      {
        rows: [
          { row_number: 3, seats: [seat({ seat_number: 12 })] },
          { seats: [{ seat_guid: 7, position: { x: 0, y: 0 }, category: 'Stalls' }] },
        ],
      },
    ])
    expect(read(wild).plan?.sections[0]?.seats).toMatchObject([
      { row: '3', number: '12' },
      { key: '7', row: '', number: '' },
    ])
  })

  test('may have no size', () => {
    expect(read(plan([zone([seat()])], { size: undefined })).plan).toMatchObject({
      width: null,
      height: null,
    })
  })
})

const LONG = 'x'.repeat(10_000)
const at = (...path: (string | number)[]) => [...PATH, ...path]
const ZONE_SEAT = ['zones', 0, 'rows', 0, 'seats', 0] as const

describe('a bad plan is refused with the fault at its path', () => {
  test.each<[string, unknown, (string | number)[], RegExp]>([
    ['a file that is not JSON', '{"zones": [', at(), /not JSON/],
    ['a text', '"Hall"', at(), /must be a seating plan/],
    ['a list', [], at(), /must be a seating plan/],
    ['a number', 7, at(), /must be a seating plan/],
    ['nothing', {}, at(), /no seats/],
    ['a plan of no zones', plan([]), at(), /no seats/],
    ['a plan of empty rows', plan([zone([])]), at(), /no seats/],
    ['zones that are no list', plan({} as never), at('zones'), /must be a list/],
    ['a zone that is no object', plan([7, zone([seat()])]), at('zones', 0), /must be an object/],
    [
      'a row that is no object',
      plan([zone([seat()]), { rows: ['a'] }]),
      at('zones', 1, 'rows', 0),
      /must be an object/,
    ],
    ['a seat that is no object', plan([zone([null])]), at(...ZONE_SEAT), /must be an object/],
    [
      'a seat id twice',
      plan([zone([seat(), seat({ seat_guid: 'b' }), seat()])]),
      at('zones', 0, 'rows', 0, 'seats', 2, 'seat_guid'),
      /another seat too, at input\.seatingPlan\.zones\.0\.rows\.0\.seats\.0$/,
    ],
    [
      'a seat id twice, in two zones',
      plan([zone([seat()]), zone([seat()])]),
      at('zones', 1, 'rows', 0, 'seats', 0, 'seat_guid'),
      /another seat too/,
    ],
    [
      'a seat without an id',
      plan([zone([seat({ seat_guid: undefined })])]),
      at(...ZONE_SEAT, 'seat_guid'),
      /is missing/,
    ],
    [
      'a seat with an empty id',
      plan([zone([seat({ seat_guid: '' })])]),
      at(...ZONE_SEAT, 'seat_guid'),
      /not be empty/,
    ],
    [
      'an unknown category',
      plan([zone([seat({ category: 'Box' })])]),
      at(...ZONE_SEAT, 'category'),
      /"Box" is none/,
    ],
    [
      'a seat without a category',
      plan([zone([seat({ category: undefined })])]),
      at(...ZONE_SEAT, 'category'),
      /missing/,
    ],
    [
      'a seat without a position',
      plan([zone([seat({ position: undefined })])]),
      at(...ZONE_SEAT, 'position'),
      /missing/,
    ],
    [
      'half a position',
      plan([zone([seat({ position: { x: 1 } })])]),
      at(...ZONE_SEAT, 'position', 'y'),
      /must be a number/,
    ],
    [
      'a position in words',
      plan([zone([seat({ position: { x: '1', y: 1 } })])]),
      at(...ZONE_SEAT, 'position', 'x'),
      /number/,
    ],
    [
      'a position outside the limits',
      plan([zone([seat({ position: { x: 1e308, y: 1 } })])]),
      at(...ZONE_SEAT, 'position', 'x'),
      /number/,
    ],
    [
      'a size in words',
      plan([zone([seat()])], { size: { width: 'wide', height: 1 } }),
      at('size', 'width'),
      /number/,
    ],
    [
      'categories that are no list',
      plan([zone([seat()])], { categories: 'Stalls' }),
      at('categories'),
      /must be a list/,
    ],
    [
      'a category without a name',
      plan([zone([seat()])], { categories: [{ name: 'Stalls' }, {}] }),
      at('categories', 1, 'name'),
      /missing/,
    ],
    [
      'a category twice',
      plan([zone([seat()])], { categories: [{ name: 'Stalls' }, { name: 'Stalls' }] }),
      at('categories', 1, 'name'),
      /another/,
    ],
    [
      'a seat id of 10,000 characters',
      plan([zone([seat({ seat_guid: LONG })])]),
      at(...ZONE_SEAT, 'seat_guid'),
      /at most 200/,
    ],
    [
      'a seat number of 10,000 characters',
      plan([zone([seat({ seat_number: LONG })])]),
      at(...ZONE_SEAT, 'seat_number'),
      /at most 200/,
    ],
    [
      'a zone name of 10,000 characters',
      plan([zone([seat()], { name: LONG })]),
      at('zones', 0, 'name'),
      /at most 200/,
    ],
    [
      'a color of 10,000 characters',
      plan([zone([seat()])], { categories: [{ name: 'Stalls', color: LONG }] }),
      at('categories', 0, 'color'),
      /must be a colour of CSS/,
    ],
    [
      'a color that injects a style',
      plan([zone([seat()])], { categories: [{ name: 'Stalls', color: 'red;background:url(//evil)' }] }),
      at('categories', 0, 'color'),
      /must be a colour of CSS/,
    ],
    [
      'a color that is no text',
      plan([zone([seat()])], { categories: [{ name: 'Stalls', color: 7 }] }),
      at('categories', 0, 'color'),
      /must be a colour of CSS/,
    ],
    [
      'a NUL character',
      plan([zone([seat({ seat_guid: 'a\u0000' })])]),
      at(...ZONE_SEAT, 'seat_guid'),
      /control characters/,
    ],
    [
      'half a surrogate pair',
      plan([zone([seat({ seat_guid: '\ud83d' })])]),
      at(...ZONE_SEAT, 'seat_guid'),
      /control characters/,
    ],
  ])('%s', (_name, bad, path, message) => {
    const { faults } = read(bad)
    expect(faults).toContainEqual({ path, message: expect.stringMatching(message) })
  })

  test('200,000 seats, with the limit', () => {
    const seats = Array.from({ length: 200_000 }, (_, i) => seat({ seat_guid: `s${i}` }))
    expect(read(plan([zone(seats)])).faults).toEqual([
      { path: at(), message: 'has 200000 seats; one event can sell at most 150000' },
    ])
  })

  test('several faults, reported together; of thousands, the first ones', () => {
    const two = read(plan([zone([seat({ category: 'Box', position: undefined })])]))
    expect(two.faults).toHaveLength(2)
    const seats = Array.from({ length: 5_000 }, (_, i) => seat({ seat_guid: `s${i}`, category: 'Box' }))
    const many = read(plan([zone(seats)]))
    expect(many.faults).toHaveLength(201)
    expect(many.faults.at(-1)?.message).toBe('has 4800 more faults like these')
  })
})

test('a stadium of 50,000 seats is read completely', () => {
  const { plan: whole } = read(stadium())
  expect(whole?.sections).toHaveLength(100)
  expect(whole?.sections.flatMap(({ seats }) => seats)).toHaveLength(50_000)
})
