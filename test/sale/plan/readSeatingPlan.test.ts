import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { InputFault } from '../../../src/sale/faults.ts'
import { createInputFaults } from '../../../src/sale/inputFaults.ts'
import { readSeatingPlan } from '../../../src/sale/plan/readSeatingPlan.ts'
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
/** The seats of a row have numbers of their own. */
const numbered = (one: unknown, i: number) =>
  one && (one as { seat_number?: string }).seat_number === '1' ? { ...one, seat_number: String(i + 1) } : one
const zone = (seats: unknown[], more: object = {}) => ({
  name: 'Block A',
  position: { x: 100, y: 200 },
  rows: [{ row_number: '7', position: { x: 10, y: 20 }, seats: seats.map(numbered) }],
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
      categories: [{ key: 'Stalls', name: 'Stalls', color: '#E87722' }],
      areas: [],
      sections: [
        {
          key: 'Block A',
          name: 'Block A',
          rows: [{ label: '7', labelEnds: null }],
          seats: [
            {
              key: 'a1',
              row: '7',
              planRow: 0,
              number: '1',
              rowLabel: null,
              seatLabel: null,
              x: 111,
              y: 222,
              radius: null,
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
    const named = (name: unknown, guid: string) =>
      zone([seat({ seat_guid: guid, seat_number: guid })], { name })
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

describe('names', () => {
  const rows = (...labels: string[]) =>
    labels.map((row_number, r) => ({
      row_number,
      row_label: null,
      seats: [1, 2].map((n) => seat({ seat_guid: `${row_number}-${r}-${n}`, seat_number: String(n) })),
    }))
  const rowsRead = (wild: unknown) =>
    read(wild).plan?.sections.map(({ name, seats }) => [name, ...new Set(seats.map(({ row }) => row))])

  test('of rows whose seats would read alike differ', () => {
    expect(rowsRead(plan([zone([], { rows: rows('5', '6', '5', '5') })]))).toEqual([
      ['Block A', '5', '6', '5 (2)', '5 (3)'],
    ])
  })

  test('of the halves of a row stay, if their numbers differ', () => {
    const [left, right] = rows('5', '5')
    const higher = right?.seats.map((one, i) => ({ ...one, seat_number: String(i + 3) }))
    const halves = zone([], { rows: [left, { ...right, seats: higher }] })
    expect(rowsRead(plan([halves]))).toEqual([['Block A', '5']])
  })

  test('of zones differ, where their seats would read alike', () => {
    const balcony = (label: string) => ({ name: 'Balcony', rows: rows(label) })
    const wild = plan([
      balcony('1'),
      balcony('2'),
      { name: 'Balcony', rows: [{ row_number: '1', seats: [seat()] }] },
    ])
    expect(rowsRead(wild)).toEqual([
      ['Balcony', '1'],
      ['Balcony', '2'],
      ['Balcony (3)', '1'],
    ])
  })

  test('of the seats of one row must differ', () => {
    const row = { row_number: '5', seats: ['a', 'b', 'c'].map((seat_guid) => seat({ seat_guid })) }
    expect(read(plan([zone([], { rows: [row] })])).faults).toEqual([
      {
        path: at(...ZONE_SEAT.slice(0, -1), 1, 'seat_number'),
        message: 'two seats would read "Block A, row 5, seat 1" on their tickets: "a" and "b"',
      },
    ])
  })

  test('are the plan’s own, of rows, seats and categories', () => {
    const row = {
      row_number: '5',
      row_label: 'Table 5',
      seat_label: 'Chair %s',
      row_number_position: 'end',
      seats: [seat({ seat_number: '7', radius: 12 })],
    }
    const { plan: named } = read(
      plan([zone([], { rows: [row] })], { categories: [{ name: 'Stalls', label: 'Parkett' }] }),
    )
    expect(named?.categories).toEqual([{ key: 'Stalls', name: 'Parkett', color: null }])
    expect(named?.sections[0]?.rows).toEqual([{ label: '5', labelEnds: 'end' }])
    expect(named?.sections[0]?.seats[0]).toMatchObject({
      row: '5',
      number: '7',
      rowLabel: 'Table 5',
      seatLabel: 'Chair 7',
      radius: 12,
    })
  })
})

test('a seat without seat_guid has its uuid as its id', () => {
  const { plan: early } = read(plan([zone([seat({ seat_guid: undefined, uuid: '0-1' })])]))
  expect(early?.sections[0]?.seats[0]?.key).toBe('0-1')
})

test('an answer of the API of pretix has the plan in its layout, as an object or as a text', () => {
  const whole = plan([zone([seat()])])
  for (const layout of [whole, JSON.stringify(whole)])
    expect(read({ id: 4, name: 'Hall', layout }).plan?.sections).toHaveLength(1)
  expect(
    read({ id: 4, layout: plan([zone([seat({ category: 'Box' })])]) }).faults[0]?.path.slice(0, 3),
  ).toEqual([...PATH, 'layout'])
})

describe('areas', () => {
  const areasOf = (...areas: object[]) =>
    read(plan([{ name: 'Scenery', position: { x: 1000, y: 0 }, areas }, zone([seat()], { areas: [TEXT] })]))
  const TEXT = {
    shape: 'text',
    position: { x: 5, y: 6 },
    text: { text: 'FLOOR 1', position: { x: 0, y: 0 } },
  }

  test('of all shapes keep their measures, their rotation, their colours and their texts', () => {
    const common = { color: '#cccccc', border_color: '', rotation: 30, position: { x: 10, y: 20 } }
    const { plan: drawn, faults } = areasOf(
      {
        ...common,
        shape: 'rectangle',
        rectangle: { width: 300, height: 80 },
        text: { position: { x: 150, y: 40 }, color: '#333', text: ' MAIN\n STAGE', size: 24 },
      },
      { ...common, shape: 'circle', circle: { radius: 30 } },
      { ...common, shape: 'ellipse', ellipse: { radius: { x: 50, y: 20 } } },
      {
        ...common,
        shape: 'polygon',
        polygon: {
          points: [
            { x: 0, y: 0 },
            { x: 9, y: 0 },
            { x: 0, y: 9 },
          ],
        },
      },
      { color: 'red', width: 30, height: 10, position: { x: 0, y: 0 }, text: 'Bar' },
    )
    expect(faults).toEqual([])
    const none = {
      width: null,
      height: null,
      radiusX: null,
      radiusY: null,
      points: [],
      text: null,
      feature: null,
    }
    const at = { x: 1010, y: 20, rotation: 30, color: '#cccccc', borderColor: null, section: null }
    expect(drawn?.areas).toEqual([
      {
        ...none,
        ...at,
        kind: 'RECTANGLE',
        width: 300,
        height: 80,
        text: { text: 'MAIN STAGE', x: 150, y: 40, size: 24, color: '#333' },
        feature: 'STAGE',
      },
      { ...none, ...at, kind: 'CIRCLE', radiusX: 30, radiusY: 30 },
      { ...none, ...at, kind: 'ELLIPSE', radiusX: 50, radiusY: 20 },
      {
        ...none,
        ...at,
        kind: 'POLYGON',
        points: [
          { x: 0, y: 0 },
          { x: 9, y: 0 },
          { x: 0, y: 9 },
        ],
      },
      {
        ...none,
        ...at,
        x: 1000,
        y: 0,
        rotation: 0,
        color: 'red',
        kind: 'RECTANGLE',
        width: 30,
        height: 10,
        text: { text: 'Bar', x: 15, y: 5, size: 16, color: null },
      },
      {
        ...none,
        ...at,
        x: 105,
        y: 206,
        rotation: 0,
        color: null,
        kind: 'TEXT',
        text: { text: 'FLOOR 1', x: 0, y: 0, size: 16, color: null },
        section: 'Block A',
      },
    ])
  })

  test('without anything to draw are left out', () => {
    expect(areasOf({ shape: 'text' }, { shape: 'circle' }, {}).plan?.areas).toHaveLength(1)
  })

  test('are faults where a measure, a colour or a shape is wrong', () => {
    const { faults } = areasOf(
      { shape: 'star' },
      { shape: 'circle', circle: { radius: -1 } },
      { shape: 'circle', circle: { radius: 1 }, color: 'url(//evil)' },
      'bar' as never,
    )
    expect(faults.map(({ path }) => path.slice(5).join('.'))).toEqual([
      '0.shape',
      '1.circle.radius',
      '2.color',
      '3',
    ])
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
      /^"a1" is the id of two seats: Block A, row 7, seat 1 \(zones\.0\.rows\.0\.seats\.0\), and Block A, row 7, seat 3 \(.*\.2\)$/,
    ],
    [
      'a seat id twice, in two zones',
      plan([zone([seat()]), zone([seat()])]),
      at('zones', 1, 'rows', 0, 'seats', 0, 'seat_guid'),
      /"a1" is the id of two seats/,
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

  test('30,001 seats in rows of one label', () => {
    const seats = Array.from({ length: 30_001 }, (_, i) =>
      seat({ seat_guid: `s${i}`, seat_number: `${i + 1}`, position: { x: i, y: 0 } }),
    )
    expect(read(plan([zone(seats)])).faults).toEqual([
      {
        path: at('zones', 0, 'rows'),
        message: 'row "7" has 30001 seats; rows of one label can have at most 30000',
      },
    ])
  })

  test('several faults, reported together, and each kind once', () => {
    const two = read(plan([zone([seat({ category: 'Box', position: undefined })])]))
    expect(two.faults).toHaveLength(2)
    const seats = Array.from({ length: 5_000 }, (_, i) => seat({ seat_guid: `s${i}`, category: 'Box' }))
    const many = read(plan([zone(seats)]))
    expect(many.faults).toEqual([
      {
        path: at(...ZONE_SEAT, 'category'),
        message: expect.stringMatching(/^"Box" is none .* \(and 4999 more like it\)$/),
      },
    ])
  })
})

test('a stadium of 50,000 seats is read completely', () => {
  const { plan: whole } = read(stadium())
  expect(whole?.sections).toHaveLength(100)
  expect(whole?.sections.flatMap(({ seats }) => seats)).toHaveLength(50_000)
})
