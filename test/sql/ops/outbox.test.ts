import { afterEach, expect, test } from 'vitest'
import { type OutboxRow, readOutboxLag, relayBatch } from '../../../src/sql/ops/outbox.ts'
import { testDatabase } from '../../support/database.ts'

const db = await testDatabase()
afterEach(() => db.sql('delete from outbox'))

const fill = (rows: number, job = 'work') =>
  db.sql(
    `insert into outbox (job, data) select $2, jsonb_build_object('n', n) from generate_series(1, $1) n`,
    [rows, job],
  )
const left = async () => Number((await db.sql('select count(*) from outbox'))[0]?.count)

test('rows are passed on oldest first, a batch at a time, and deleted', async () => {
  await fill(5)
  const seen: OutboxRow[] = []
  const add = async (rows: OutboxRow[]) => void seen.push(...rows)
  expect(await relayBatch(db, ['work'], 3, add)).toBe(3)
  expect(seen.map(({ data }) => data)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
  expect(await left()).toBe(2)
  expect(await relayBatch(db, ['work'], 3, add)).toBe(2)
  expect(await relayBatch(db, ['work'], 3, add)).toBe(0)
  expect(seen).toHaveLength(5)
})

test('a row that could not be passed on stays, and the connection stays usable', async () => {
  await fill(3)
  for (let i = 0; i < 30; i++) {
    await expect(
      relayBatch(db, ['work'], 10, async () => {
        throw new Error('Redis is away')
      }),
    ).rejects.toThrow('Redis is away')
  }
  expect(await left()).toBe(3)
  expect(await relayBatch(db, ['work'], 10, async () => {})).toBe(3)
})

test('a job that only a newer version has stays, and blocks no job behind it', async () => {
  await fill(2, 'brandNew')
  await fill(2)
  const jobs: string[] = []
  expect(
    await relayBatch(db, ['work'], 10, async (rows) => void jobs.push(...rows.map(({ job }) => job))),
  ).toBe(2)
  expect(jobs).toEqual(['work', 'work'])
  expect(await left()).toBe(2)
})

test('ids may be larger than a double can count', async () => {
  await db.sql(`select setval('outbox_id_seq', 9007199254740992)`)
  await fill(3)
  const ids: string[] = []
  await relayBatch(db, ['work'], 10, async (rows) => void ids.push(...rows.map(({ id }) => id)))
  expect(ids).toEqual(['9007199254740993', '9007199254740994', '9007199254740995'])
  await db.sql(`select setval('outbox_id_seq', 1)`)
})

test('concurrent relays pass on every row, each once', async () => {
  await fill(3_000)
  const other = db.another()
  const seen: string[] = []
  const relay = async (database: typeof other) => {
    while (
      (await relayBatch(
        database,
        ['work'],
        50,
        async (rows) => void seen.push(...rows.map(({ id }) => id)),
      )) > 0
    );
  }
  await Promise.all(Array.from({ length: 16 }, (_, i) => relay(i % 2 ? db : other)))
  // A relay that found only locked rows has stopped; the relay that had locked them passed them on.
  expect(new Set(seen).size).toBe(3_000)
  expect(seen).toHaveLength(3_000)
  expect(await left()).toBe(0)
})

test('a relay does not wait for a row that is being written', async () => {
  const client = await db.pool.connect()
  await client.query('begin')
  await client.query(`insert into outbox (job, data) values ('work', '{}')`)
  await fill(1)
  expect(await relayBatch(db, ['work'], 10, async () => {})).toBe(1)
  await client.query('commit')
  client.release()
  expect(await relayBatch(db, ['work'], 10, async () => {})).toBe(1)
})

test('the number of waiting rows and the age of the oldest can be read', async () => {
  expect(await readOutboxLag(db)).toEqual({ rows: 0, oldestSeconds: 0 })
  await fill(2)
  await db.sql(`update outbox set created_at = now() - interval '20 seconds'`)
  const { rows, oldestSeconds } = await readOutboxLag(db)
  expect(rows).toBe(2)
  expect(Math.round(oldestSeconds)).toBe(20)
})
