import { afterEach, describe, expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { NotEnoughAvailable, SaleOver, SeatsTaken, TicketLimitReached } from '../../../src/sale/refusals.ts'
import { cancelOrder } from '../../../src/sql/orders/orderTransitions.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { ask, askFor, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase({ connections: 40 })
const processes = [testCheckout(database), testCheckout(database.another())] as const
const { holds } = processes[0]

const events: TestEvent[] = []
async function newEvent(options?: TestEventOptions): Promise<TestEvent> {
  const event = await insertEvent(database, options)
  events.push(event)
  return event
}

afterEach(async () => {
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

const holdsOf = (i: number) => processes[i % 2 === 0 ? 0 : 1].holds
const best = (event: TestEvent, quantity: number, more: object = {}, i = 0) =>
  askFor(holdsOf(i), testAccount(), event, { bestAvailable: { quantity, ...more } })

function seatsOf(result: object): number[] {
  expect(result).toMatchObject({ state: 'ACTIVE' })
  return (result as HoldView).items.map(({ seatNo }) => seatNo)
}

/** Checks that the seats are side by side in one of the rows of twenty. */
function expectBlock(seats: readonly number[]) {
  expect(seats.at(-1)).toBe((seats[0] as number) + seats.length - 1)
  expect(Math.ceil((seats[0] as number) / 20)).toBe(Math.ceil((seats.at(-1) as number) / 20))
}

describe('best available, side by side', () => {
  test('takes the best rows first, and no block crosses the end of a row', async () => {
    const event = await newEvent({ sections: [{ seats: 60 }] })
    const rows: number[] = []
    for (let i = 0; i < 15; i++) {
      const seats = seatsOf(await best(event, 4))
      expectBlock(seats)
      rows.push(Math.ceil((seats[0] as number) / 20))
    }
    expect(rows).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3])
    const refusal = await best(event, 4)
    expect(refusal).toBeInstanceOf(NotEnoughAvailable)
    expect(refusal).toMatchObject({ available: 0 })
  })

  test('waits for the locks of a block from its lowest seat number up, even where the row is numbered from the right', async () => {
    const event = await newEvent({ sections: [{ seats: 4 }] })
    await database.sql('update seats set row_place = 5 - no where event_id = $1', [event.id])
    const [first, waiting] = [await database.pool.connect(), await database.pool.connect()]
    try {
      await first.query('begin')
      await first.query('select from seats where event_id = $1 and no = 1 for update', [event.id])
      await waiting.query('begin')
      const { rows: pids } = await waiting.query('select pg_backend_pid() as pid')
      const block = waiting.query('select nos from take_block($1, null, null, 4, 0, true, false, true)', [
        event.id,
      ])
      await expect
        .poll(() => database.sql('select pg_blocking_pids($1) as pids', [pids[0].pid]), { timeout: 20_000 })
        .not.toEqual([{ pids: [] }])
      const { rows } = await first.query(
        'select no from seats where event_id = $1 order by no for update skip locked',
        [event.id],
      )
      expect(rows.map(({ no }) => no)).toEqual([1, 2, 3, 4])
      await first.query('commit')
      expect((await block).rows).toEqual([{ nos: [4, 3, 2, 1] }])
      await waiting.query('rollback')
    } finally {
      // Closes the connections, with any transaction that a failure left open.
      first.release(true)
      waiting.release(true)
    }
  })

  test('reports the length of the longest free block to each request for more seats than any row has', async () => {
    const event = await newEvent({ sections: [{ seats: 60 }], ticketLimit: 30 })
    for (let i = 0; i < 3; i++) expect(await best(event, 21)).toMatchObject({ available: 20 })
    await ask(holds, testAccount(), event, [10])
    await ask(holds, testAccount(), event, [30])
    await ask(holds, testAccount(), event, [55])
    for (let i = 0; i < 3; i++) expect(await best(event, 21)).toMatchObject({ available: 14 })
    expect(await best(event, 14)).toMatchObject({ state: 'ACTIVE' })
  })

  test('finds a block beyond an aisle, and none across it', async () => {
    const event = await newEvent({ sections: [{ seats: 20 }] })
    // Seats 4 and up stand beyond the aisle.
    await database.sql('update seats set row_place = row_place + 1 where event_id = $1 and no > 3', [
      event.id,
    ])
    await ask(holds, testAccount(), event, [8])
    expect(seatsOf(await best(event, 4))).toEqual([4, 5, 6, 7])
  })

  test('searches one section or one price level, and refuses a section without that level', async () => {
    const event = await newEvent({ sections: [{ seats: 20 }, { seats: 20 }, { places: 5 }] })
    expect(seatsOf(await best(event, 2, { sectionId: event.sectionId(2) })).every((no) => no > 20)).toBe(true)
    expect(seatsOf(await best(event, 2, { sectionId: 'B' })).every((no) => no > 20)).toBe(true)
    const levelId = event.sectionId(2).replace('sec', 'lvl')
    expect(seatsOf(await best(event, 2, { priceLevelId: levelId })).every((no) => no > 20)).toBe(true)
    const none = best(event, 2, { priceLevelId: levelId, sectionId: event.sectionId(1) })
    await expect(none).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
    await expect(best(event, 2, { sectionId: event.sectionId(3) })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    })
  })

  test('leaves no single seat while another block leaves none', async () => {
    const event = await newEvent({ sections: [{ seats: 40 }], allowOrphanSeats: false })
    // Row 1 has five free seats, of which a block of four would leave one. Row 2 is free.
    await ask(
      holds,
      testAccount(),
      event,
      Array.from({ length: 8 }, (_, i) => i + 1),
    )
    await ask(
      holds,
      testAccount(),
      event,
      Array.from({ length: 7 }, (_, i) => i + 14),
    )
    expect(seatsOf(await best(event, 4))[0]).toBeGreaterThan(20)
    // Where there is no other block, it is sold.
    for (let i = 0; i < 4; i++) seatsOf(await best(event, 4))
    expectBlock(seatsOf(await best(event, 4)))
  })

  test('takes the seats of an expired hold, before any sweeper runs', async () => {
    const event = await newEvent({ sections: [{ seats: 4 }] })
    const first = await best(event, 4)
    expect(await best(event, 2)).toBeInstanceOf(NotEnoughAvailable)
    await runOut(database, first as HoldView)
    expect(seatsOf(await best(event, 4))).toEqual([1, 2, 3, 4])
  })

  test('finds seats that came back in front of the first-row hint, before it refuses', async () => {
    const event = await newEvent({ sections: [{ seats: 60 }] })
    const made: HoldView[] = []
    for (let i = 0; i < 15; i++) made.push((await best(event, 4)) as HoldView)
    const [first] = made
    await database.sql(
      "update seats set held_until = now() - interval '1 second' where event_id = $1 and hold_id = $2",
      [event.id, first?.id],
    )
    await database.sql(
      "update holds set expires_at = now() - interval '1 second' where event_id = $1 and id = $2",
      [event.id, first?.id],
    )
    expect(seatsOf(await best(event, 4))).toEqual(first?.items.map(({ seatNo }) => seatNo))
  })
})

describe('best available, at the same moment', () => {
  test.each([{ allowOrphanSeats: true }, { allowOrphanSeats: false }])(
    'gives 100 of 110 fans a block of 4 where there are exactly 100 blocks (orphan seats $allowOrphanSeats)',
    async (given) => {
      const event = await newEvent({ sections: [{ seats: 200 }, { seats: 200 }], ...given })
      const results = await Promise.all(Array.from({ length: 110 }, (_, i) => best(event, 4, {}, i)))
      const blocks = results.filter(isHold).map(seatsOf)
      expect(blocks).toHaveLength(100)
      for (const block of blocks) expectBlock(block)
      expect(new Set(blocks.flat()).size).toBe(400)
      for (const result of results) if (!isHold(result)) expect(result).toMatchObject({ available: 0 })
    },
  )

  test('refuses no fan while a block is free, with mixed quantities and holds that expire', async () => {
    const event = await newEvent({ sections: [{ seats: 400 }] })
    const random = seededRandom()
    const refused: { quantity: number; available: number }[] = []
    await sideBySide(240, 48, async (i) => {
      const quantity = 1 + Math.floor(random() * 5)
      const result = await best(event, quantity, {}, i)
      if (!isHold(result)) refused.push({ quantity, ...(result as NotEnoughAvailable) })
      else {
        expectBlock(seatsOf(result))
        if (random() < 0.3) await runOut(database, result)
      }
    })
    for (const { quantity, available } of refused) expect(available).toBeLessThan(quantity)
    // At the end each request for one seat succeeds until no seat is left.
    const [left] = await database.sql<{ n: number }>(
      'select count(*)::int as n from seats where event_id = $1 and (status = 0 or held_until <= now())',
      [event.id],
    )
    const singles = await Promise.all(
      Array.from({ length: (left?.n ?? 0) + 3 }, (_, i) => best(event, 1, {}, i)),
    )
    expect(singles.filter(isHold)).toHaveLength(left?.n ?? 0)
  })
})

describe('best available, apart', () => {
  test('takes a whole block where there is one, and otherwise seats apart', async () => {
    const event = await newEvent({ sections: [{ seats: 20 }] })
    await ask(holds, testAccount(), event, [5, 8, 10, 14])
    expectBlock(seatsOf(await best(event, 6, { together: false })))
    const rest = await best(event, 6, { together: false })
    expect(seatsOf(rest)).toHaveLength(6)
    expect(await best(event, 6, { together: true })).toBeInstanceOf(NotEnoughAvailable)
    expect(await best(event, 6, { together: false })).toMatchObject({ available: 4 })
  })

  test('holds each of the last single seats once, and refuses no fan while enough are free', async () => {
    const event = await newEvent({ sections: [{ seats: 200 }] })
    const odd = event.seatNos.filter((no) => no % 2 === 1)
    for (let i = 0; i < odd.length; i += 5) await ask(holds, testAccount(), event, odd.slice(i, i + 5))
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) => best(event, 2, { together: false }, i)),
    )
    expect(results.filter(isHold)).toHaveLength(50)
    for (const result of results) if (!isHold(result)) expect(result).toMatchObject({ available: 0 })
  })
})

test('best available never takes wheelchair seats and companion seats', async () => {
  const event = await newEvent({ sections: [{ seats: 4 }] })
  await database.sql('update seats set wheelchair = true where event_id = $1 and no = 1', [event.id])
  await database.sql('update seats set companion_of = 1 where event_id = $1 and no = 2', [event.id])
  expect(await best(event, 3)).toMatchObject({ available: 2 })
  expect(seatsOf(await best(event, 2))).toEqual([3, 4])
  expect(await best(event, 1, { together: false })).toMatchObject({ available: 0 })
})

test('best available follows the rules of named seats for keys and limits, and works in a sale without seat picking', async () => {
  const event = await newEvent({ seatPicking: false, ticketLimit: 4 })
  const account = testAccount()
  const bestAvailable = { quantity: 3 }
  const hold = await askFor(holds, account, event, { bestAvailable }, 'the key')
  expect(await askFor(holds, account, event, { bestAvailable }, 'the key')).toMatchObject({
    id: (hold as HoldView).id,
  })
  await expect(
    askFor(holds, account, event, { bestAvailable: { quantity: 3, together: false } }, 'the key'),
  ).rejects.toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
  expect(await askFor(holds, account, event, { bestAvailable: { quantity: 2 } })).toMatchObject({
    limit: 4,
    used: 3,
  })
  expect(await best(event, 5)).toBeInstanceOf(TicketLimitReached)
  await expect(best(event, 0)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
})

test('a process that still believes the event is sold out holds a seat that came back', async () => {
  const event = await newEvent({ sections: [{ seats: 4 }] })
  const stale = testCheckout(database, { findSale: async () => ({ state: 'SOLD_OUT' }) as never })
  await database.sql('update seats set status = 3 where event_id = $1', [event.id])
  const one = () => askFor(stale.holds, testAccount(), event, { bestAvailable: { quantity: 1 } })
  for (let i = 0; i < 3; i++) expect(await one()).toMatchObject({ saleState: 'SOLD_OUT' })
  await database.sql('update seats set status = 0, revision = revision + 1 where event_id = $1 and no = 3', [
    event.id,
  ])
  expect(await one()).toMatchObject({ state: 'ACTIVE' })
})

test('a refusal is “sold out” only where the database confirms it, not while seats are held or have come back', async () => {
  const event = await newEvent({ sections: [{ seats: 4 }] })
  const state = { state: 'SOLD_OUT' } as never
  const stale = testCheckout(database, { findSale: async () => state })
  const askAll = () =>
    Promise.all([
      askFor(stale.holds, testAccount(), event, { bestAvailable: { quantity: 2 } }),
      ask(stale.holds, testAccount(), event, [1]),
    ])
  await database.sql('update seats set status = 3, revision = 1 where event_id = $1 and no < 3', [event.id])
  const fan = testAccount()
  const held = await stale.hold(fan, event, [3, 4])
  expect(await askAll()).toEqual([expect.any(NotEnoughAvailable), expect.any(SeatsTaken)])
  const order = await stale.pay(fan, held)
  for (const refusal of await askAll()) {
    expect(refusal).toBeInstanceOf(SaleOver)
    expect(refusal).toMatchObject({ saleState: 'SOLD_OUT', retryAfterSeconds: null })
  }
  expect(await cancelOrder(database, event.id, (order as OrderView).id)).toMatchObject({ cancelled: true })
  await stale.hold(fan, event, [3])
  expect(await askAll()).toEqual([expect.any(NotEnoughAvailable), expect.any(SeatsTaken)])
})
