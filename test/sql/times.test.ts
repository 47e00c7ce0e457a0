import { expect, test } from 'vitest'
import { createAuditTrail } from '../../src/sale/ops/auditTrail.ts'
import { readTimeCursor } from '../../src/sale/page.ts'
import { searchEvents } from '../../src/sql/events/eventSearch.ts'
import { listOpenLetters } from '../../src/sql/ops/deadLetters.ts'
import { listOrders } from '../../src/sql/orders/orders.ts'
import { readChangedPlaces } from '../../src/sql/room/changedPlaces.ts'
import { leavePlace, retakePlace } from '../../src/sql/room/places.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'

const db = await testDatabase()

/** Times of one millisecond, at its very ends too, in an order that ids do not follow. */
const MICROSECONDS = [999, 0, 500, 499, 1]
const timeOf = (i: number) => `2026-07-01T10:00:00.123${String(MICROSECONDS[i]).padStart(3, '0')}Z`
const TIMES = MICROSECONDS.map((_, i) => timeOf(i))
const NEWEST_FIRST = [0, 2, 3, 4, 1].map((i) => `id-${i}`)

/** Reads a list two rows at a time, by the cursor that each page's last row gives. */
async function readAll<Row extends { id: string }>(
  readPage: (after: { at: string; id: string } | null) => Promise<Row[]>,
  atOf: (row: Row) => string,
): Promise<string[]> {
  const ids: string[] = []
  for (let after: { at: string; id: string } | null = null; ; ) {
    const rows = await readPage(after)
    ids.push(...rows.map(({ id }) => id))
    const last = rows.at(-1)
    if (!last) return ids
    const cursor = Buffer.from(JSON.stringify([atOf(last), last.id])).toString('base64url')
    after = readTimeCursor(cursor)
  }
}

test('every time column has microseconds', async () => {
  const columns = await db.sql<{ name: string; type: string }>(
    `select c.table_name || '.' || c.column_name as name, format_type(a.atttypid, a.atttypmod) as type
     from information_schema.columns c
     join pg_attribute a on a.attrelid = format('%I.%I', c.table_schema, c.table_name)::regclass and a.attname = c.column_name
     where c.table_schema = current_schema() and c.table_name <> '_prisma_migrations'
       and (c.data_type ~ '^(time|date|interval)' or c.udt_name ~ '^_(time|date|interval)')`,
  )
  expect(columns.length).toBeGreaterThan(40)
  const wrong = columns.filter(({ type }) => !/^timestamp\(6\) with time zone(\[\])?$/.test(type))
  expect(wrong).toEqual([])
})

test('a time that is written as now() is never in the future', async () => {
  const event = await insertEvent(db, {})
  for (let i = 0; i < 200; i++) {
    await db.sql('update sales set opens_at = now() where event_id = $1', [event.id])
    expect(
      await db.sql('select opens_at <= now() as "isOpen" from sales where event_id = $1', [event.id]),
    ).toEqual([{ isOpen: true }])
  }
})

test.each(TIMES)(
  '%s is read as its millisecond, rounded down, by each of the ways in which rows are read',
  async (time) => {
    const { rows } = await db.pool.query('select $1::timestamptz as at, to_json($1::timestamptz) as json', [
      time,
    ])
    const [row] = await db.prisma.$queryRaw<[{ at: Date }]>`select ${time}::timestamptz as at`
    const read = [rows[0].at, new Date(rows[0].json), row.at]
    expect(read.map((at) => at.toISOString())).toEqual(Array(3).fill('2026-07-01T10:00:00.123Z'))
  },
)

test('a list of orders shows each order of one millisecond once', async () => {
  await db.sql(
    `insert into orders (event_id, id, hold_id, account_id, idempotency_key, input_hash, amount, currency, state, payment,
       provider, placed_at)
     select 'evt_x', 'id-' || i, 'hold-' || i, 'ana', 'key-' || i, 'hash', 0, 'EUR', 'CONFIRMED', 'NONE', 'none', t::timestamptz
     from unnest($1::text[]) with ordinality x (t, n) cross join lateral (select n - 1 as i) y`,
    [TIMES],
  )
  const ids = await readAll(
    (after) =>
      listOrders(db, 'ana', {
        eventId: null,
        after: after && { placedAt: after.at, id: after.id },
        limit: 2,
      }),
    ({ exactPlacedAt }) => exactPlacedAt,
  )
  expect(ids).toEqual(NEWEST_FIRST)
})

test('a list of dead letters shows each letter of one millisecond once', async () => {
  await db.sql(
    `insert into dead_letters (id, queue, job, job_id, data, error, attempts, failed_at)
     select 'id-' || n - 1, 'queue', 'job', n, '{}', 'error', 1, t::timestamptz from unnest($1::text[]) with ordinality x (t, n)`,
    [TIMES],
  )
  const ids = await readAll(
    (after) =>
      listOpenLetters(db, {
        queue: null,
        failedAfter: null,
        failedBefore: null,
        after: after && { failedAt: after.at, id: after.id },
        limit: 2,
      }),
    ({ exactFailedAt }) => exactFailedAt,
  )
  expect(ids).toEqual(NEWEST_FIRST)
})

test('the audit trail shows each entry of one millisecond once', async () => {
  await db.sql(
    `insert into audit_entries (id, at, account_id, action, subject, detail)
     select 'id-' || n - 1, t::timestamptz, 'ops', 'action', 'subject', '{}' from unnest($1::text[]) with ordinality x (t, n)`,
    [TIMES],
  )
  const trail = createAuditTrail({ db })
  const ids: string[] = []
  let after: string | undefined
  do {
    const { edges, hasNextPage } = await trail.list({ first: 2, after })
    ids.push(...edges.map(({ node }) => node.id))
    after = hasNextPage ? edges.at(-1)?.cursor : undefined
  } while (after)
  expect(ids).toEqual(NEWEST_FIRST)
})

test('a search shows each event of one millisecond once', async () => {
  const { id: first } = await insertEvent(db, {})
  const events = [first]
  while (events.length < TIMES.length) events.push((await insertEvent(db, {})).id)
  await db.sql(
    `update events e set starts_at = t::timestamptz, name = 'quartet'
     from unnest($1::text[], $2::text[]) x (id, t) where e.id = x.id`,
    [events, TIMES],
  )
  const found: string[] = []
  for (let after: { rank: number; listedAt: Date; startsAt: Date; id: string } | null = null; ; ) {
    const rows = await searchEvents(db, {
      text: 'quartet',
      startsAfter: null,
      near: null,
      after,
      limit: 2,
    })
    found.push(...rows.map(({ id }) => id))
    after = rows.at(-1) ?? null
    if (!after) break
  }
  expect(found).toEqual(events.toSorted())
  const later = { text: 'quartet', startsAfter: new Date(timeOf(0)), near: null, after: null, limit: 9 }
  expect(await searchEvents(db, later)).toEqual([])
})

test('a change of a place is read once, and the next change of that place is later as a Date too', async () => {
  const event = await insertEvent(db, { waitingRoom: true })
  const device = Buffer.alloc(8, 1)
  await db.sql(
    `insert into places (event_id, arrival, account, device)
     select $1, n, decode(lpad(to_hex(n), 24, '0'), 'hex'), $2 from generate_series(1, 5) n`,
    [event.id, device],
  )
  const changes = async (since: Date) => [...(await readChangedPlaces(db, event.id, since))]
  for (const [i, time] of TIMES.entries())
    await db.sql('update places set changed_at = $3, left_at = $3 where event_id = $1 and arrival = $2', [
      event.id,
      i + 1,
      time,
    ])
  const read = await changes(new Date(0))
  expect(read.map(({ changedAt }) => changedAt.toISOString())).toEqual(
    Array(5).fill('2026-07-01T10:00:00.123Z'),
  )
  expect(await changes(new Date('2026-07-01T10:00:00.123Z'))).toEqual([])
  expect(await changes(new Date('2026-07-01T10:00:00.122Z'))).toHaveLength(5)

  let before = await retakePlace(db, event.id, 1, device)
  for (let i = 0; i < 50; i++) {
    const left = (await leavePlace(db, event.id, 1, device)) as Date
    const taken = await retakePlace(db, event.id, 1, device)
    expect(left.getTime()).toBeGreaterThan(before.getTime())
    expect(taken.getTime()).toBeGreaterThan(left.getTime())
    before = taken
  }
})
