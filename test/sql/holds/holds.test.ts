import { randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { newId } from '../../../src/sale/ids.ts'
import { analyzeGrown } from '../../../src/sql/database/statistics.ts'
import { expireHolds, releaseHold } from '../../../src/sql/holds/endedHolds.ts'
import {
  callHoldBest,
  callHoldGeneralAdmission,
  callHoldSeats,
  type NewHold,
} from '../../../src/sql/holds/holds.ts'
import { seeBest, seeGeneralAdmission } from '../../../src/sql/holds/looks.ts'
import { type TestDatabase, testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'

/*
 * A hold reads as few rows in a large event as in a small one, whatever its connection's plans were made for. A connection
 * keeps its plans, and those of a sale's first minute were made for empty tables.
 */

let calls = 0
const digest = () => new Uint8Array(randomBytes(8))
const newHold = ({ id: eventId }: TestEvent): NewHold => ({
  eventId,
  accountId: `fan-${calls++}`,
  idempotencyKey: 'key',
  inputHash: 'hash',
  holdId: newId('hld', eventId),
  admission: null,
  origin: { device: digest(), address: digest() },
  wait: false,
})
const ANYWHERE = { quantity: 2, sectionNo: null, levelNo: null }
const BEST = { ...ANYWHERE, fromRow: 0, look: true }

type Call = (db: TestDatabase, event: TestEvent, floor: number) => Promise<unknown>
const held = (answer: { outcome: string }) => expect(answer.outcome).toBe('held')
let seat = 201
const ways: Record<string, Call> = {
  'named seats': async (db, event) =>
    held(await callHoldSeats(db, newHold(event), { seatNos: [seat++, seat++], wheelchairSeatNos: [] })),
  'best, side by side': async (db, event) =>
    held(await callHoldBest(db, newHold(event), { ...BEST, together: true })),
  'best of a section': async (db, event) =>
    held(await callHoldBest(db, newHold(event), { ...BEST, sectionNo: 1, together: true })),
  'best of a price level': async (db, event) =>
    held(await callHoldBest(db, newHold(event), { ...BEST, levelNo: 1, together: true })),
  'best, apart': async (db, event) =>
    held(await callHoldBest(db, newHold(event), { ...BEST, together: false })),
  'general admission': async (db, event, floor) =>
    held(await callHoldGeneralAdmission(db, newHold(event), { quantity: 2, sectionNo: floor, look: true })),
  'a look at the best': async (db, event) =>
    expect((await seeBest(db, event.id, { ...ANYWHERE, together: true, fromRow: 0 })).available).toBe(2),
  'a look at general admission': async (db, event, floor) =>
    expect(await seeGeneralAdmission(db, event.id, { quantity: 2, sectionNo: floor })).toBe(2),
}

async function giveBack(db: TestDatabase, event: TestEvent): Promise<void> {
  const [released, expired] = [newHold(event), newHold(event)]
  for (const hold of [released, expired]) held(await callHoldBest(db, hold, { ...BEST, together: true }))
  const { outcome } = await releaseHold(db, event.id, released.holdId, released.accountId)
  expect(outcome).toBe('released')
  await db.sql(`update holds set expires_at = now() where event_id = $1 and id = $2`, [
    event.id,
    expired.holdId,
  ])
  expect(await expireHolds(db, event.id, 10)).toHaveLength(1)
}

async function rowsRead(db: TestDatabase, work: () => Promise<unknown>): Promise<number> {
  const total = async () => {
    await db.sql('select pg_stat_force_next_flush()')
    const [row] = await db.sql('select sum(seq_tup_read + idx_tup_fetch)::int as n from pg_stat_user_tables')
    return row?.n as number
  }
  const before = await total()
  await work()
  return (await total()) - before
}

const BEFORE = 'before any table was analyzed'
const TINY = 'for a tiny event'
// A new connection has no plans, and PostgreSQL drops those of an idle one when other databases change much.
const GROWN = 'for the large event, whose holds were not analyzed'
describe.each([BEFORE, TINY, GROWN])(
  'with plans made %s, these read few rows of a large event with 5,000 holds:',
  async (when) => {
    const db = await testDatabase({ connections: 1 })
    // Else it may analyze the tables between the calls, and the title is wrong.
    for (const table of ['seats', 'holds', 'hold_items', 'admissions'])
      await db.sql(`alter table ${table} set (autovacuum_enabled = false)`)
    const tiny = await insertEvent(db, {
      sections: [{ seats: 400 }, { places: 100 }],
      allowOrphanSeats: false,
    })
    await db.sql('analyze seats')
    const callAll = async () => {
      for (let i = 0; i < 8; i++) {
        for (const call of Object.values(ways)) await call(db, tiny, 2)
        await giveBack(db, tiny)
      }
    }
    await callAll()
    if (when === TINY) {
      await db.sql('analyze')
      await callAll()
    }
    const large = await insertEvent(db, {
      sections: [...Array(10).fill({ seats: 1_000 }), { places: 5_000 }],
      // Then a hold reads whole rows of seats too.
      allowOrphanSeats: false,
    })
    // As createEvent does.
    await db.sql('analyze seats')
    await db.sql(
      `with held as (
       update seats s set status = 1, hold_id = 'hld_' || s.no, held_until = now() + interval '1 hour', revision = 1
       where s.event_id = $1 and s.no between 5001 and 10000
       returning s.no, s.hold_id, s.level_no
     ), items as (
       insert into hold_items (event_id, hold_id, seat_no, level_no, price, fee)
       select $1, hold_id, no, level_no, 1, 1 from held
     )
     insert into holds (event_id, id, account_id, idempotency_key, input_hash, amount, currency, expires_at, quantity, device, address)
     select $1, hold_id, 'another-' || no, 'key', 'hash', 2, 'EUR', now() + interval '1 hour', 1, int8send(no), int8send(no)
     from held`,
      [large.id],
    )

    test.each(Object.entries(ways))('%s', async (_, call) => {
      if (when === GROWN) await db.sql('discard plans')
      expect(await rowsRead(db, () => call(db, large, 11))).toBeLessThan(400)
    })

    test('release and expiry, once the worker has analyzed the tables that grew', async () => {
      // PostgreSQL counts a session's new rows up to a second after their commit.
      await expect.poll(() => analyzeGrown(db), { timeout: 30_000 }).toEqual([])
      const [known] = await db.sql(`select reltuples from pg_class where relname = 'holds'`)
      expect(known?.reltuples).toBeGreaterThan(5_000)
      expect(await rowsRead(db, () => giveBack(db, large))).toBeLessThan(400)
    })
  },
)

test('each way to hold, to look and to release is one statement, which a connection prepares once', async () => {
  const db = await testDatabase({ connections: 1 })
  const statements: unknown[] = []
  db.pool.on('connect', (client) => {
    const query = client.query.bind(client) as (...args: unknown[]) => unknown
    Object.assign(client, {
      query(...args: unknown[]) {
        statements.push(args[0])
        return query(...args)
      },
    })
  })
  const event = await insertEvent(db, { sections: [{ seats: 400 }, { places: 100 }] })
  for (const call of Object.values(ways)) {
    for (let i = 0; i < 2; i++) {
      statements.length = 0
      await call(db, event, 2)
      expect(statements).toHaveLength(1)
    }
  }
  await giveBack(db, event)
  const prepared = await db.sql('select name from pg_prepared_statements order by 1')
  expect(prepared.map(({ name }) => name)).toEqual([
    'expire_holds',
    'hold_best',
    'hold_general_admission',
    'hold_seats',
    'release_hold',
    'see_best',
    'see_general_admission',
  ])
})
