import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import type { Account, Role } from '../../../src/sale/caller.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import type { EventInput } from '../../../src/sale/events/eventInput.ts'
import { createEvents } from '../../../src/sale/events/events.ts'
import { createEventThread } from '../../../src/sale/events/eventThread.ts'
import type { InputFault } from '../../../src/sale/faults.ts'
import { createBlocks } from '../../../src/sale/holds/blocks.ts'
import { planId } from '../../../src/sale/ids.ts'
import { createAuditTrail } from '../../../src/sale/ops/auditTrail.ts'
import type { SaleView } from '../../../src/sale/saleView.ts'
import { testDatabase } from '../../support/database.ts'
import { stadium } from '../../support/stadium.ts'

const db = await testDatabase()
const roomDb = await testDatabase()
const published: string[] = []
const eventThread = createEventThread()
afterAll(eventThread.close)
const events = createEvents({
  db,
  roomDb,
  catalogue: createCatalogue(db),
  eventThread,
  publish: (channel) => published.push(channel),
  sales: { refresh: async (eventId) => ({ eventId }) as SaleView },
  waitingRoom: {
    setAdmission: async () => null,
    beaconFault: async () => null,
    revealBeacon: () => Promise.reject(new Error('not here')),
  },
})
const auditTrail = createAuditTrail({ db })

const organizer: Account = {
  id: 'olga',
  email: null,
  emailVerified: false,
  roles: new Set(['organizer'] as const),
}
const hall = readFileSync(new URL('../../../demo/sports-hall.json', import.meta.url), 'utf8')

let slugs = 0
function input(more: Partial<EventInput> = {}): EventInput {
  return {
    slug: `hall-${++slugs}`,
    name: 'The Night',
    performers: ['The Band'],
    startsAt: new Date('2027-06-01T18:00:00Z'),
    timeZone: 'Europe/Berlin',
    venue: { name: 'Riethsporthalle', city: 'Erfurt', latitude: 50.99, longitude: 11.03 },
    seatingPlan: JSON.parse(hall),
    prices: [
      { category: 'Kategorie I', price: 6_500, fee: 450 },
      { category: 'Kategorie II', price: 4_550 },
      { category: 'VIP', price: 19_900, fee: null },
    ],
    currency: 'EUR',
    sale: { opensAt: new Date('2027-01-10T10:00:00Z') },
    ...more,
  }
}

const onlyArea = { seatingPlan: null, generalAdmission: [{ key: 'floor', name: 'Floor', capacity: 3 }] }

async function faultsOf(work: Promise<unknown>): Promise<InputFault[]> {
  const error = await work.then(
    () => null,
    (reason) => reason,
  )
  expect(error?.code).toBe('BAD_USER_INPUT')
  return error.extensions.faults
}

describe('createEvent', () => {
  test('makes the sections, seats, levels, sale and room of a real hall', async () => {
    const event = await events.create(organizer, input())
    expect(event.sections.map(({ id, key, capacity }) => [id, key, capacity])).toEqual(
      ['D', 'E', 'F', 'A', 'B', 'C'].map((block, i) => [
        `sec_${event.id.slice(4)}_${i + 1}`,
        `Block ${block}`,
        [193, 163, 190, 234, 218, 233][i],
      ]),
    )
    const [seat] = await db.sql('select * from seats where event_id = $1 and key = $2', [event.id, 'D-14-1'])
    expect(seat).toMatchObject({ no: 1, section_no: 1, level_no: 2, status: 0, revision: 0 })
    expect(event.seatNo('D-14-1')).toBe(1)
    const [{ count }] = (await db.sql('select count(*)::int from seats where event_id = $1', [event.id])) as [
      { count: number },
    ]
    expect(count).toBe(1_231)
    expect(await events.priceLevels(event.id)).toMatchObject([
      { no: 1, key: 'Kategorie I', price: 6_500n, fee: 450n, currency: 'EUR', color: '#E87722' },
      { no: 2, key: 'Kategorie II', price: 4_550n, fee: 0n },
      { no: 3, key: 'VIP', price: 19_900n, fee: 0n },
    ])
    const [sale] = await db.sql('select * from sales where event_id = $1', [event.id])
    expect(sale).toMatchObject({
      pre_queue_opens_at: new Date('2027-01-10T09:45:00Z'),
      ends_at: new Date('2027-06-01T18:00:00Z'),
      waiting_room: true,
      paused: false,
      ticket_limit: 4,
      hold_seconds: 600,
    })
    const [room] = (await roomDb.sql('select * from rooms where event_id = $1', [event.id])) as [
      { seed: Buffer; commitment: string; rate_ceiling: number },
    ]
    expect(room.commitment).toBe(createHash('sha256').update(room.seed).digest('hex'))
    expect(room.rate_ceiling).toBe(30)
    expect(await db.sql('select 1 from rooms')).toEqual([])
  })

  test('puts the same seats into the catalogue as into the database', async () => {
    const event = await events.create(organizer, input())
    const rows = await db.sql(
      'select no, key, section_no, level_no from seats where event_id = $1 order by no',
      [event.id],
    )
    expect(rows).toEqual(
      event.sections.flatMap(({ no, firstSeat, layout }) =>
        layout.map(({ key, index, priceLevelId }) => ({
          no: firstSeat + index,
          key,
          section_no: no,
          level_no: Number(priceLevelId.split('_')[2]),
        })),
      ),
    )
  })

  test('keeps a time zone by its canonical name, and reads a plan that begins with a byte order mark', async () => {
    for (const [given, kept] of [
      ['europe/berlin', 'Europe/Berlin'],
      ['gmt', 'UTC'],
      ['Asia/Kolkata', 'Asia/Kolkata'],
      ['Asia/Calcutta', 'Asia/Kolkata'],
      ['US/Pacific', 'America/Los_Angeles'],
    ] as const) {
      const only = { ...onlyArea, prices: [{ category: 'floor', price: 1 }] }
      expect((await events.create(organizer, input({ ...only, timeZone: given }))).timeZone).toBe(kept)
    }
    const { sections } = await events.create(organizer, input({ seatingPlan: `\ufeff${hall}` }))
    expect(sections).toHaveLength(6)
  })

  test('ends the sale when the event begins, unless it ends before', async () => {
    const { id } = await events.create(organizer, input())
    expect(await db.sql('select ends_at from sales where event_id = $1', [id])).toEqual([
      { ends_at: new Date('2027-06-01T18:00:00Z') },
    ])
    const late = new Date('2027-06-01T18:00:00.001Z')
    expect(await faultsOf(events.updateSale(organizer, { eventId: id, endsAt: late }))).toMatchObject([
      { path: ['input', 'endsAt'], message: expect.stringContaining('startsAt') },
    ])
    expect(await faultsOf(events.updateSale(organizer, { eventId: id, opensAt: late }))).toMatchObject([
      { path: ['input', 'opensAt'], message: expect.stringContaining('startsAt') },
    ])
  })

  describe('a plan with categories that are not sold', () => {
    const seat = (seat_guid: string, category: string, x: number) => ({
      seat_guid,
      seat_number: seat_guid,
      category,
      position: { x, y: 0 },
    })
    const seatingPlan = {
      name: 'Hall',
      categories: [{ name: 'I' }, { name: 'II' }, { name: 'CLOSED' }, { name: 'III' }],
      zones: [
        {
          name: 'Hall',
          rows: [
            { row_number: '1', seats: [seat('1', 'I', 0), seat('2', 'CLOSED', 25), seat('3', 'III', 50)] },
          ],
        },
      ],
    }
    const prices = [
      { category: 'I', price: 1_000 },
      { category: 'III', price: 500 },
    ]

    test('needs no price for a category without seats, and none for one that is not for sale', async () => {
      const { id, sections } = await events.create(
        organizer,
        input({ seatingPlan, prices, notForSale: ['CLOSED'] }),
      )
      expect((await events.priceLevels(id)).map(({ no, key, priced }) => [no, key, priced])).toEqual([
        [1, 'I', true],
        [3, 'CLOSED', false],
        [4, 'III', true],
      ])
      expect(sections[0]?.levelNos).toEqual([1, 3, 4])
      const status = () => db.sql('select no, status from seats where event_id = $1 order by no', [id])
      expect((await status()).map((row) => row.status)).toEqual([0, 3, 0])

      const blocks = createBlocks({ db, catalogue: createCatalogue(db), seatMap: { publish: () => {} } })
      const request = { eventId: id, seats: ['2', '3'], reason: 'the balcony opens' }
      await expect(blocks.unblock(organizer, request)).rejects.toMatchObject({
        extensions: {
          faults: [{ path: ['input', 'seats', 0], message: expect.stringMatching(/has no price/) }],
        },
      })
      await events.updateSale(organizer, { eventId: id, prices: [{ category: 'CLOSED', price: 800 }] })
      expect((await blocks.unblock(organizer, request)).changed).toEqual([planId('seat', id, 2)])
      expect((await status()).map((row) => row.status)).toEqual([0, 0, 0])
    })

    test('names the category without a price, and what the organizer can do', async () => {
      await expect(events.create(organizer, input({ seatingPlan, prices }))).rejects.toThrow(
        'input.prices: has no price for "CLOSED": add one, or name it in notForSale',
      )
      await expect(
        events.create(organizer, input({ seatingPlan, prices, notForSale: ['CLOSED', 'IV'] })),
      ).rejects.toThrow('input.notForSale.1: "IV" is no category of the plan')
    })
  })

  test('keeps the areas of a plan, and ranks the seats before its stage, or as the organizer says', async () => {
    const row = (label: string, y: number, category: string) => ({
      row_number: label,
      row_number_position: 'start',
      position: { x: 0, y },
      seats: [0, 1, 2].map((n) => ({
        seat_guid: `${label}${n + 1}`,
        seat_number: String(n + 1),
        position: { x: 25 * n, y: 0 },
        category,
      })),
    })
    const stage = {
      shape: 'rectangle',
      position: { x: 0, y: 100 },
      rectangle: { width: 50, height: 20 },
      text: { text: 'Stage', position: { x: 25, y: 10 } },
    }
    const seatingPlan = {
      name: 'Hall',
      categories: [{ name: 'A' }, { name: 'B' }],
      zones: [{ name: 'Hall', rows: [row('1', 0, 'A'), row('2', 30, 'B')], areas: [stage] }],
    }
    const prices = [
      { category: 'A', price: 1_000 },
      { category: 'B', price: 500 },
    ]
    const bestOf = async (bestSeats?: EventInput['bestSeats']) => {
      const { areas, focus, sections } = await events.create(
        organizer,
        input({ seatingPlan, prices, bestSeats: bestSeats ?? null }),
      )
      const best = sections[0]?.layout.find(({ rank }) => rank === 1)?.key
      return { areas, focus, best, first: sections[0]?.layout[0] }
    }
    const { areas, focus, best, first } = await bestOf()
    expect(areas).toMatchObject([
      { kind: 'RECTANGLE', feature: 'STAGE', sectionId: expect.stringMatching(/^sec_/) },
    ])
    expect([focus, best]).toEqual([{ x: 25, y: 110 }, '22'])
    expect(first).toMatchObject({ rowIndex: 0, runPosition: 1, rowLabels: [{ x: -25, y: 0 }] })
    expect((await bestOf({ near: { x: 50, y: 0 } })).best).toBe('13')
    expect((await bestOf({ categories: ['A'] })).best).toBe('12')
    await expect(bestOf({ categories: ['C'] })).rejects.toThrow('"C" is no category of the plan')
  })

  test('adds areas of general admission after the plan, with a row for each unit', async () => {
    const event = await events.create(
      organizer,
      input({
        seatingPlan: {
          categories: [{ name: 'Box' }],
          zones: [
            {
              name: 'Boxes',
              rows: [{ seats: [{ seat_guid: 'floor/1', position: { x: 1, y: 1 }, category: 'Box' }] }],
            },
          ],
        },
        generalAdmission: [
          {
            key: 'floor',
            name: 'Floor',
            capacity: 3,
            outline: [
              { x: 0, y: 0 },
              { x: 5.5, y: 0 },
            ],
          },
          { key: 'pit', name: 'Pit', capacity: 2, outline: null },
        ],
        prices: [
          { category: 'Box', price: 1 },
          { category: 'floor', price: 2 },
          { category: 'pit', price: 0 },
        ],
      }),
    )
    expect(event.sections.slice(1)).toMatchObject([
      { key: 'floor', kind: 'GENERAL_ADMISSION', capacity: 3, firstSeat: 2, levelNos: [2], layout: [] },
      { key: 'pit', kind: 'GENERAL_ADMISSION', capacity: 2, firstSeat: 5, levelNos: [3], outline: [] },
    ])
    const rows = await db.sql('select no, section_no, level_no from seats where event_id = $1 order by no', [
      event.id,
    ])
    expect(rows.map(({ section_no, level_no }) => [section_no, level_no])).toEqual([
      [1, 1],
      [2, 2],
      [2, 2],
      [2, 2],
      [3, 3],
      [3, 3],
    ])
  })

  test('takes prices in minor units, in every currency of ISO 4217', async () => {
    for (const [currency, price] of [
      ['JPY', 12_000],
      ['KWD', 12_500],
      ['CLF', 12_500],
      ['CHE', 12_500],
      ['UYI', 12_500],
      ['XAD', 12_500],
    ] as const) {
      const event = await events.create(
        organizer,
        input({ ...onlyArea, currency, prices: [{ category: 'floor', price }] }),
      )
      expect(await events.priceLevels(event.id)).toMatchObject([{ price: BigInt(price), currency }])
    }
  })

  test('loads a stadium of 50,000 seats, and updates the planner’s statistics', async () => {
    await db.sql('alter table seats set (autovacuum_enabled = false)')
    const prices = ['Lower', 'Middle', 'Upper'].map((category) => ({ category, price: 5_000 }))
    const event = await events.create(organizer, input({ seatingPlan: stadium(), prices }))
    const [{ count }] = (await db.sql('select count(*)::int from seats where event_id = $1', [event.id])) as [
      { count: number },
    ]
    expect(count).toBe(50_000)
    const [known] = await db.sql<{ seats: number; events: string }>(
      `select reltuples as seats, most_common_vals::text as events
       from pg_class join pg_stats on tablename = relname
       where relname = 'seats' and attname = 'event_id'`,
    )
    expect(known?.seats).toBeGreaterThanOrEqual(50_000)
    expect(known?.events).toContain(event.id)
  })

  test('makes one event for one slug, also when many calls come at once', async () => {
    const twice = input(onlyArea)
    twice.prices = [{ category: 'floor', price: 1 }]
    const answers = await Promise.allSettled(Array.from({ length: 8 }, () => events.create(organizer, twice)))
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await faultsOf(events.create(organizer, twice))).toEqual([
      { path: ['input', 'slug'], message: 'is the slug of another event' },
    ])
    const rooms = await roomDb.sql('select event_id from rooms')
    const known = await db.sql('select id as event_id from events')
    expect(new Set(rooms.map(({ event_id }) => event_id))).toEqual(
      new Set(known.map(({ event_id }) => event_id)),
    )
  })

  test('leaves an entry in the audit trail', async () => {
    const event = await events.create(organizer, input({ name: 'Audited' }))
    const { edges } = await auditTrail.list({ eventId: event.id, first: 10 })
    expect(edges.map(({ node }) => node)).toMatchObject([
      {
        accountId: 'olga',
        action: 'createEvent',
        subject: event.id,
        detail: { slug: event.slug, name: 'Audited', seats: 1_231 },
      },
    ])
  })

  const sale = (more: object) => ({ sale: { ...input().sale, ...more } })
  test.each<[string, Partial<EventInput>, (string | number)[], RegExp]>([
    ['a name of blanks', { name: ' \u00a0\u3000' }, ['input', 'name'], /can be seen/],
    ['an invisible name', { name: '\u200b\u2800\u3164' }, ['input', 'name'], /can be seen/],
    ['a name that reverses the text', { name: 'The \u202eNight' }, ['input', 'name'], /control characters/],
    [
      'a performer with a control character',
      { performers: ['A', '\u0085B'] },
      ['input', 'performers', 1],
      /control characters/,
    ],
    [
      'an opening in the year 1',
      { sale: { opensAt: new Date('0001-01-01T00:00:00Z') } },
      ['input', 'sale', 'opensAt'],
      /2000 to 2999/,
    ],
    [
      'a line that opens in the year 1',
      { sale: { ...input().sale, preQueueOpensAt: new Date('0001-01-01T00:00:00Z') } },
      ['input', 'sale', 'preQueueOpensAt'],
      /2000 to 2999/,
    ],
    [
      'an end in the year 9999',
      { sale: { ...input().sale, endsAt: new Date('9999-12-31T00:00:00Z') } },
      ['input', 'sale', 'endsAt'],
      /2000 to 2999/,
    ],
    [
      'a start in the year 1',
      { startsAt: new Date('0001-01-01T00:00:00Z') },
      ['input', 'startsAt'],
      /2000 to 2999/,
    ],
    ['neither plan nor areas', { seatingPlan: null }, ['input'], /needs a seatingPlan/],
    [
      'a category without a price',
      { prices: input().prices.slice(1) },
      ['input', 'prices'],
      /no price for "Kategorie I"/,
    ],
    [
      'a price without its category',
      { prices: [...input().prices, { category: 'Box', price: 1 }] },
      ['input', 'prices', 3, 'category'],
      /no category/,
    ],
    [
      'a price twice',
      { prices: [...input().prices, { category: 'VIP', price: 1 }] },
      ['input', 'prices', 3, 'category'],
      /twice/,
    ],
    [
      'a negative price',
      { prices: [{ category: 'VIP', price: -1 }] },
      ['input', 'prices', 0, 'price'],
      /whole number/,
    ],
    [
      'a negative fee',
      { prices: [{ category: 'VIP', price: 1, fee: -1 }] },
      ['input', 'prices', 0, 'fee'],
      /whole/,
    ],
    ['a metal as currency', { currency: 'XAU' }, ['input', 'currency'], /ISO 4217/],
    ['an unknown currency', { currency: 'XQQ' }, ['input', 'currency'], /ISO 4217/],
    ['a currency in small letters', { currency: 'eur' }, ['input', 'currency'], /ISO 4217/],
    ['an unknown time zone', { timeZone: 'Europe/Erfurt' }, ['input', 'timeZone'], /IANA/],
    [
      'a sale that opens after the event',
      { sale: { opensAt: new Date('2027-06-01T18:00:00Z') } },
      ['input', 'sale', 'opensAt'],
      /must be before startsAt/,
    ],
    [
      'a sale that ends after the event',
      { sale: { opensAt: new Date('2027-01-10T10:00:00Z'), endsAt: new Date('2027-06-01T18:00:00.001Z') } },
      ['input', 'sale', 'endsAt'],
      /must not be after startsAt/,
    ],
    ['an offset as time zone', { timeZone: '+01:00' }, ['input', 'timeZone'], /IANA/],
    ['a slug with capitals', { slug: 'Hall' }, ['input', 'slug'], /a-z/],
    ['a slug that ends in a hyphen', { slug: 'hall-' }, ['input', 'slug'], /hyphen/],
    ['a slug of 10,000 characters', { slug: 'x'.repeat(10_000) }, ['input', 'slug'], /64/],
    ['a name of 10,000 characters', { name: 'x'.repeat(10_000) }, ['input', 'name'], /at most 200/],
    ['no name', { name: '' }, ['input', 'name'], /empty/],
    [
      'a performer of 10,000 characters',
      { performers: ['x'.repeat(10_000)] },
      ['input', 'performers', 0],
      /200/,
    ],
    ['half a coordinate', { venue: { name: 'Hall', latitude: 1 } }, ['input', 'venue'], /both/],
    [
      'a latitude off the earth',
      { venue: { name: 'Hall', latitude: 91, longitude: 0 } },
      ['input', 'venue', 'latitude'],
      /-90 to 90/,
    ],
    [
      'an area named like a zone',
      { generalAdmission: [{ key: 'Block A', name: 'A', capacity: 1 }] },
      ['input', 'generalAdmission', 0, 'key'],
      /a zone of the plan/,
    ],
    [
      'an area named like a category',
      { generalAdmission: [{ key: 'VIP', name: 'A', capacity: 1 }] },
      ['input', 'generalAdmission', 0, 'key'],
      /a category of the plan/,
    ],
    [
      'an area without units',
      { generalAdmission: [{ key: 'a', name: 'A', capacity: 0 }] },
      ['input', 'generalAdmission', 0, 'capacity'],
      /from 1 to/,
    ],
    [
      'seats and units beyond the limit',
      { generalAdmission: [{ key: 'a', name: 'A', capacity: 149_999 }] },
      ['input', 'generalAdmission'],
      /makes 151230 .* at most 150000/,
    ],
    [
      'a pre-queue after the opening',
      sale({ preQueueOpensAt: new Date('2027-02-01') }),
      ['input', 'sale', 'preQueueOpensAt'],
      /after/,
    ],
    [
      'an end before the opening',
      sale({ endsAt: new Date('2027-01-01') }),
      ['input', 'sale', 'endsAt'],
      /after opensAt/,
    ],
    ['a ticket limit of zero', sale({ ticketLimit: 0 }), ['input', 'sale', 'ticketLimit'], /from 1/],
    ['holds of no time', sale({ holdSeconds: 0 }), ['input', 'sale', 'holdSeconds'], /from 1/],
    ['a negative rate', sale({ admissionRate: -1 }), ['input', 'sale', 'admissionRate'], /from 0/],
    ['no shoppers at all', sale({ shoppersPerOrder: 0 }), ['input', 'sale', 'shoppersPerOrder'], /from 0.01/],
  ])('refuses %s', async (_name, more, path, message) => {
    const before = await db.sql('select count(*) from events')
    const faults = await faultsOf(events.create(organizer, input(more)))
    expect(faults).toContainEqual({ path, message: expect.stringMatching(message) })
    expect(await db.sql('select count(*) from events')).toEqual(before)
  })

  test('reports the faults of all fields at once', async () => {
    const faults = await faultsOf(
      events.create(organizer, input({ slug: '', currency: '', timeZone: '', seatingPlan: '{', name: '' })),
    )
    expect(faults.map(({ path }) => path.join('.')).sort()).toEqual([
      'input.currency',
      'input.name',
      'input.seatingPlan',
      'input.slug',
      'input.timeZone',
    ])
  })
})

describe('updateSale', () => {
  test('changes the fields that are set, publishes the change, and writes an audit entry', async () => {
    const { id } = await events.create(organizer, input())
    published.length = 0
    await events.updateSale(organizer, {
      eventId: id,
      opensAt: new Date('2027-01-10T11:00:00Z'),
      endsAt: new Date('2027-05-31T00:00:00Z'),
      ticketLimit: 6,
      seatPicking: null,
      paused: true,
      prices: [{ category: 'VIP', price: 25_000, fee: 100 }],
    })
    const [sale] = await db.sql('select * from sales where event_id = $1', [id])
    expect(sale).toMatchObject({
      pre_queue_opens_at: new Date('2027-01-10T09:45:00Z'),
      opens_at: new Date('2027-01-10T11:00:00Z'),
      ends_at: new Date('2027-05-31T00:00:00Z'),
      ticket_limit: 6,
      seat_picking: true,
      paused: true,
      waiting_room: true,
    })
    expect(await events.priceLevels(id)).toMatchObject([
      { price: 6_500n, fee: 450n },
      { price: 4_550n, fee: 0n },
      { price: 25_000n, fee: 100n },
    ])
    expect(published).toEqual([`fg:{${id}}:sale`])
    const { edges } = await auditTrail.list({ eventId: id, first: 1 })
    expect(edges[0]?.node).toMatchObject({
      action: 'updateSale',
      detail: {
        opensAt: '2027-01-10T11:00:00.000Z',
        endsAt: '2027-05-31T00:00:00.000Z',
        ticketLimit: 6,
        paused: true,
        prices: [{ level: 3, price: 25_000, fee: 100 }],
      },
    })
    await events.updateSale(organizer, { eventId: id, endsAt: null })
    expect(await db.sql('select ends_at from sales where event_id = $1', [id])).toEqual([
      { ends_at: new Date('2027-06-01T18:00:00Z') },
    ])
  })

  test('refuses a change that contradicts the current sale, and then changes nothing', async () => {
    const { id } = await events.create(organizer, input())
    const early = new Date('2027-01-10T09:00:00Z')
    expect(
      await faultsOf(events.updateSale(organizer, { eventId: id, opensAt: early, paused: true })),
    ).toEqual([{ path: ['input', 'preQueueOpensAt'], message: 'must not be after opensAt' }])
    expect(await faultsOf(events.updateSale(organizer, { eventId: id, endsAt: early }))).toMatchObject([
      { path: ['input', 'endsAt'] },
    ])
    const prices = [{ category: 'Box', price: 1 }]
    expect(await faultsOf(events.updateSale(organizer, { eventId: id, prices, paused: true }))).toMatchObject(
      [{ path: ['input', 'prices', 0, 'category'] }],
    )
    expect(await db.sql('select paused from sales where event_id = $1', [id])).toEqual([{ paused: false }])
  })

  test('does not move the opening after the draw', async () => {
    const { id } = await events.create(organizer, input())
    await roomDb.sql('update rooms set size = 3 where event_id = $1', [id])
    const opensAt = new Date('2027-01-10T12:00:00Z')
    expect(await faultsOf(events.updateSale(organizer, { eventId: id, opensAt }))).toMatchObject([
      { path: ['input'], message: expect.stringMatching(/draw/) },
    ])
    await events.updateSale(organizer, { eventId: id, endsAt: opensAt })
  })

  test('refuses an event that does not exist', async () => {
    expect(await faultsOf(events.updateSale(organizer, { eventId: 'evt_nothing', paused: true }))).toEqual([
      { path: ['input', 'eventId'], message: 'there is no such event' },
    ])
  })
})

describe('an event has owners', () => {
  const as = (id: string, ...roles: Role[]): Account => ({ ...organizer, id, roles: new Set(roles) })
  const [oscar, ops] = [as('oscar', 'organizer'), as('otto', 'ops')]
  const nothing = [{ path: ['input', 'eventId'], message: 'there is no such event' }]
  const owners = async (eventId: string) =>
    (await db.sql('select account_id from event_owners where event_id = $1 order by 1', [eventId])).map(
      (row) => row.account_id,
    )

  test('the creator is the first; to other organizers the event does not exist, whatever they change', async () => {
    const { id } = await events.create(
      organizer,
      input({ ...onlyArea, prices: [{ category: 'floor', price: 1 }] }),
    )
    expect(await owners(id)).toEqual(['olga'])
    const before = await db.sql('select * from sales where event_id = $1', [id])
    for (const account of [oscar, as('olga'), as('OLGA', 'organizer')]) {
      for (const eventId of [id, 'evt_nothing']) {
        expect(await faultsOf(events.updateSale(account, { eventId, paused: true }))).toEqual(nothing)
        expect(await faultsOf(events.updateSale(account, { eventId, ticketLimit: -1 }))).toEqual(nothing)
        expect(await faultsOf(events.revealBeacon(account, { eventId, beacon: '1' }))).toEqual(nothing)
        expect(await faultsOf(events.setAdmission(account, { eventId, paused: true }))).toEqual(nothing)
        expect(await faultsOf(events.changeOwners(account, { eventId, add: ['oscar'], remove: [] }))).toEqual(
          nothing,
        )
      }
    }
    expect(await db.sql('select * from sales where event_id = $1', [id])).toEqual(before)
    expect((await auditTrail.list({ eventId: id, first: 9 })).edges).toHaveLength(1)
    await events.updateSale(ops, { eventId: id, ticketLimit: 3 })
    expect(await db.sql('select ticket_limit from sales where event_id = $1', [id])).toEqual([
      { ticket_limit: 3 },
    ])
  })

  test('an owner adds and removes owners; one remains, and the audit trail has the change', async () => {
    const { id: eventId } = await events.create(
      organizer,
      input({ ...onlyArea, prices: [{ category: 'floor', price: 1 }] }),
    )
    expect(await events.changeOwners(organizer, { eventId, add: ['oscar', 'oscar'], remove: [] })).toEqual({
      eventId,
      owners: ['olga', 'oscar'],
    })
    await events.updateSale(oscar, { eventId, ticketLimit: 2 })
    await events.changeOwners(oscar, { eventId, add: [], remove: ['olga', 'nobody'] })
    expect(await faultsOf(events.updateSale(organizer, { eventId, ticketLimit: 3 }))).toEqual(nothing)
    const { edges } = await auditTrail.list({ eventId, first: 1 })
    expect(edges[0]?.node).toMatchObject({
      accountId: 'oscar',
      action: 'changeEventOwners',
      detail: { add: [], remove: ['olga', 'nobody'] },
    })
    const many = Array.from({ length: 50 }, (_, i) => `o${i}`)
    const wrong: [string[], string[], (string | number)[]][] = [
      [[], ['oscar'], ['input', 'remove']],
      [many, [], ['input', 'add']],
      [[...many, 'more'], [], ['input', 'add']],
      [['a\0'], [], ['input', 'add', 0]],
      [['\ud800'], [], ['input', 'add', 0]],
      [[], ['x'.repeat(10_000)], ['input', 'remove', 0]],
    ]
    for (const [add, remove, path] of wrong)
      expect(await faultsOf(events.changeOwners(oscar, { eventId, add, remove }))).toMatchObject([{ path }])
    expect(await events.changeOwners(ops, { eventId, add: [], remove: [] })).toEqual({
      eventId,
      owners: ['oscar'],
    })
  })

  test('two owners who remove each other at once: one remains', async () => {
    const { id: eventId } = await events.create(
      organizer,
      input({ ...onlyArea, prices: [{ category: 'floor', price: 1 }] }),
    )
    await events.changeOwners(organizer, { eventId, add: ['oscar'], remove: [] })
    await Promise.allSettled([
      events.changeOwners(organizer, { eventId, add: [], remove: ['oscar'] }),
      events.changeOwners(oscar, { eventId, add: [], remove: ['olga'] }),
    ])
    expect(await owners(eventId)).toHaveLength(1)
  })

  test('an event from before owners has its creator, and without that entry none: only ops may change it', async () => {
    const made = await events.create(
      organizer,
      input({ ...onlyArea, prices: [{ category: 'floor', price: 1 }] }),
    )
    const other = await events.create(
      organizer,
      input({ ...onlyArea, prices: [{ category: 'floor', price: 1 }] }),
    )
    await db.sql('delete from audit_entries where event_id = $1', [other.id])
    await db.sql('drop table event_owners')
    const migration = new URL(
      '../../../prisma/migrations/20261130154500_event_owners/migration.sql',
      import.meta.url,
    )
    await db.pool.query(readFileSync(migration, 'utf8'))
    expect([await owners(made.id), await owners(other.id)]).toEqual([['olga'], []])
    expect(await faultsOf(events.updateSale(organizer, { eventId: other.id, paused: true }))).toEqual(nothing)
    await events.changeOwners(ops, { eventId: other.id, add: ['olga'], remove: [] })
    await events.updateSale(organizer, { eventId: other.id, paused: true })
  })
})

describe('events', () => {
  test('are found by words of name, performers and venue, the best match first', async () => {
    const make = (name: string, performers: string[], venue: string, startsAt: string) =>
      events.create(
        organizer,
        input({
          ...onlyArea,
          prices: [{ category: 'floor', price: 1 }],
          name,
          performers,
          venue: { name: venue },
          startsAt: new Date(startsAt),
        }),
      )
    const late = await make('Zwielicht', ['Nachtigall'], 'Oper', '2030-03-03T20:00:00Z')
    const early = await make('Sommer', ['Quartett'], 'Zwielichthaus', '2030-01-01T20:00:00Z')
    const found = async (search: string, more = {}) =>
      (await events.search({ search, first: 10, ...more })).edges.map(({ node }) => node.id)

    expect(await found('zwielicht')).toEqual([late.id, early.id])
    expect(await found('ZWIEL nachti')).toEqual([late.id])
    expect(await found('oper zwielicht')).toEqual([late.id])
    expect(await found('zwielicht', { startsAfter: new Date('2030-02-01') })).toEqual([late.id])
    expect(await found("'; drop table events; --")).toEqual([])
    expect(await found('!!! & |')).toEqual([])
    // The database cuts and folds no more than ten words can be.
    expect(await found(`zwielicht${' '.repeat(1_000)}nothing`)).toEqual([late.id, early.id])
    // It computes the words of an event once, when the event is written: for a rank, each match counts.
    const [written] = await db.sql<{ definition: string }>(
      "select pg_get_functiondef('event_search'::regproc) as definition",
    )
    await db.sql(
      `create or replace function event_search(name text, performers text[], venue text, city text) returns tsvector
       language plpgsql immutable as $$ begin raise 'computed again'; end $$`,
    )
    try {
      expect(await found('zwielicht')).toEqual([late.id, early.id])
    } finally {
      await db.sql(written?.definition ?? '')
    }

    const first = await events.search({ search: 'zwielicht', first: 1 })
    expect(first).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    const second = await events.search({ search: 'zwielicht', first: 1, after: first.edges[0]?.cursor })
    expect(second.edges.map(({ node }) => node.id)).toEqual([early.id])
    expect(second).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
  })

  test('are found whatever the case, the accents and the script of the words', async () => {
    const make = (name: string) =>
      events.create(organizer, input({ ...onlyArea, prices: [{ category: 'floor', price: 1 }], name }))
    const written = {
      'Motörhead — Beyoncé’s Straße': ['MOTORHEAD', 'beyonce', 'beyoncé', 'STRASSE', 'straße', 'motörh'],
      'Łódź Ørsted ĐURO': ['lodz', 'ŁÓDŹ', 'orsted', 'Ørst', 'duro'],
      'İstanbul ILIK': ['istanbul', 'İSTANBUL', 'ilik'],
      ΣΊΣΥΦΟΣ: ['σίσυφος', 'σισυφοσ'],
      'Щелкунчик Ёлка': ['щелк', 'ЕЛКА', 'ёлка'],
      'यात्रा संगीत': ['यात्रा', 'संगीत'],
      '아이유 콘서트': ['아이유', '콘서'],
      'ﬁnale Ａｒａｓｈｉ 嵐': ['finale', 'arashi', '嵐'],
      "O'Connor AC/DC": ["o'connor", 'ac/dc', 'AC DC'],
    }
    for (const [name, searches] of Object.entries(written)) {
      const { id } = await make(name)
      for (const search of searches) {
        const found = await events.search({ search, first: 10 })
        expect([search, ...found.edges.map(({ node }) => node.id)]).toContain(id)
      }
    }
  })

  test('are listed from the next coming event on, then the past ones, page by page, each once', async () => {
    for (const startsAt of ['2001-01-01T20:00:00Z', '2024-06-01T20:00:00Z']) {
      const sale = { opensAt: new Date('2000-02-01T00:00:00Z') }
      const only = { ...onlyArea, prices: [{ category: 'floor', price: 1 }] }
      await events.create(organizer, input({ ...only, startsAt: new Date(startsAt), sale }))
    }
    const seen: string[] = []
    let after: string | null = null
    do {
      const page: Awaited<ReturnType<typeof events.search>> = await events.search({ first: 3, after })
      seen.push(...page.edges.map(({ node }) => node.id))
      after = page.hasNextPage ? (page.edges.at(-1)?.cursor ?? null) : null
    } while (after)
    const coming = await db.sql('select id from events where starts_at > now() order by starts_at, id')
    const past = await db.sql('select id from events where starts_at < now() order by starts_at desc, id')
    expect(past).toHaveLength(2)
    expect(seen).toEqual([...coming, ...past].map(({ id }) => id))
  })

  test('are found near a point', async () => {
    const at = (latitude: number, longitude: number) =>
      events.create(
        organizer,
        input({
          ...onlyArea,
          prices: [{ category: 'floor', price: 1 }],
          name: 'Nearby',
          venue: { name: 'Hall', latitude, longitude },
        }),
      )
    const tokyo = await at(35.68, 139.69)
    const yokohama = await at(35.44, 139.64)
    const near = async (km: number) =>
      (
        await events.search({ search: 'nearby', near: { latitude: 35.68, longitude: 139.69, km }, first: 10 })
      ).edges.map(({ node }) => node.id)
    expect(await near(1)).toEqual([tokyo.id])
    // The two halls are 27 km apart.
    expect(await near(26)).toEqual([tokyo.id])
    expect(new Set(await near(28))).toEqual(new Set([tokyo.id, yokohama.id]))
  })

  test('refuse a page of wrong size, a cursor of another list, and a point off the earth', async () => {
    for (const first of [0, 101, -1])
      expect(await faultsOf(events.search({ first }))).toMatchObject([{ path: ['first'] }])
    for (const after of ['', 'x', 'WyIxIl0', Buffer.from('["a","b","c","d"]').toString('base64url')])
      expect(await faultsOf(events.search({ first: 1, after }))).toMatchObject([{ path: ['after'] }])
    const cursor = (...parts: string[]) => Buffer.from(JSON.stringify(parts)).toString('base64url')
    const [rank, at, id] = ['0', '2027-06-01T18:00:00.000Z', 'evt_x']
    for (const after of [
      ...['-271821-04-20T00:00:00.000Z', '+275760-09-13T00:00:00.000Z', '0000-12-31T23:59:59.999Z'].map(
        (wrong) => cursor(rank, at, wrong, id),
      ),
      cursor(rank, 'x', at, id),
      ...['1e300', '1e-300', 'Infinity'].map((wrong) => cursor(wrong, at, at, id)),
      cursor(rank, at, at, 'evt_\0'),
    ])
      expect(await faultsOf(events.search({ first: 1, after }))).toEqual([
        { path: ['after'], message: 'is not a cursor of this list' },
      ])
    expect((await events.search({ first: 1, after: cursor(rank, at, at, id) })).hasPreviousPage).toBe(true)
    const near = { latitude: 91, longitude: 0, km: -1 }
    expect(await faultsOf(events.search({ first: 1, near }))).toHaveLength(2)
  })
})
