import { expect, test } from 'vitest'
import { insertEvent } from '../support/event.ts'
import { testServer } from '../support/server.ts'

const server = await testServer()

const PLAN = `query ($id: ID!) { event(id: $id) {
  areas { kind x y rotation width height radiusX radiusY points { x y } color borderColor feature sectionId
    text { text x y size color } }
  focus { x y }
  sections { id priceLevels { key onSale }
    layout { rowIndex run runPosition ring across rank rowLabels { x y } rowLabel seatLabel radius } } } }`

test('the API returns what the plan draws, the row of each seat, and the categories without a price', async () => {
  const chairs = Array.from({ length: 4 }, (_, i) => ({
    seat_guid: `c${i + 1}`,
    seat_number: String(i + 1),
    position: { x: 60 * (i % 2), y: 25 * Math.floor(i / 2) },
    category: i < 2 ? 'A' : 'CLOSED',
    radius: 12,
  }))
  const row = {
    row_number: '1',
    row_label: 'Table 1',
    seat_label: 'Chair %s',
    row_number_position: 'start',
    seats: chairs,
  }
  const stage = {
    shape: 'polygon',
    position: { x: 0, y: -100 },
    rotation: 5,
    color: '#ccc',
    polygon: {
      points: [
        { x: 0, y: 0 },
        { x: 60, y: 0 },
        { x: 60, y: 40 },
      ],
    },
    text: { text: 'Stage', position: { x: 30, y: 20 } },
  }
  const input = {
    slug: 'tables',
    name: 'Tables',
    startsAt: new Date(Date.now() + 86_400_000).toISOString(),
    timeZone: 'Europe/Berlin',
    venue: { name: 'Tent' },
    seatingPlan: {
      name: 'Tent',
      categories: [{ name: 'A' }, { name: 'CLOSED' }, { name: 'unused' }],
      zones: [{ name: 'Tent', position: { x: 0, y: 0 }, rows: [row], areas: [stage] }],
    },
    prices: [{ category: 'A', price: 1_000 }],
    notForSale: ['CLOSED'],
    currency: 'EUR',
    sale: { opensAt: new Date().toISOString() },
  }
  const organizer = { token: await server.token('olga', { roles: ['organizer'] }) }
  const created = await server.ask(
    'mutation ($input: CreateEventInput!) { createEvent(input: $input) { id } }',
    { input },
    organizer,
  )
  expect(created.errors).toBeUndefined()
  const { data } = await server.ask(PLAN, { id: created.data.createEvent.id })
  const { areas, focus, sections } = data.event
  expect(areas).toMatchObject([
    {
      kind: 'POLYGON',
      x: 0,
      y: -100,
      rotation: 5,
      feature: 'STAGE',
      width: null,
      color: '#ccc',
      sectionId: sections[0].id,
    },
  ])
  expect(areas[0].points).toHaveLength(3)
  expect(areas[0].text).toEqual({ text: 'Stage', x: 30, y: 20, size: 16, color: null })
  expect(focus).toEqual({ x: expect.any(Number), y: expect.any(Number) })
  expect(sections[0].priceLevels).toEqual([
    { key: 'A', onSale: true },
    { key: 'CLOSED', onSale: false },
  ])
  const [first, second] = sections[0].layout
  expect(first).toMatchObject({
    rowIndex: 0,
    runPosition: 1,
    ring: false,
    rowLabel: 'Table 1',
    seatLabel: 'Chair 1',
    radius: 12,
  })
  expect(first.rowLabels).toHaveLength(1)
  expect(first.across).toMatch(/^seat_.*_2$/)
  expect([first.run, second.run].sort()).toEqual([1, 2])
})

test('an event of an older version has none of it', async () => {
  const { id } = await insertEvent(server.db)
  const { data } = await server.ask(PLAN, { id })
  expect(data.event).toMatchObject({ areas: [], focus: null })
  expect(data.event.sections[0].layout[0]).toEqual({
    rowIndex: null,
    run: null,
    runPosition: null,
    ring: false,
    across: null,
    rank: null,
    rowLabels: [],
    rowLabel: null,
    seatLabel: null,
    radius: null,
  })
})
