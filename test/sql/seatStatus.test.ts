import { readdir, readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { AVAILABLE, HELD, NOT_FOR_SALE, SOLD } from '../../src/seatStatus.ts'
import { functionFiles } from '../../src/sql/database/migrate.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'

const db = await testDatabase()
const STATUSES = { AVAILABLE, HELD, SOLD, NOT_FOR_SALE }

test('each status has one number, in SQL and in TypeScript', async () => {
  const { rows } = await db.pool.query('select name, seat_status(name) as no from unnest($1::text[]) name', [
    Object.keys(STATUSES),
  ])
  expect(Object.fromEntries(rows.map(({ name, no }) => [name, no]))).toEqual(STATUSES)
})

test('an unknown status fails, and no statement names one', async () => {
  await expect(db.sql(`select seat_status('HOLD')`)).rejects.toThrow('"HOLD"')
  const texts = [...(await functionFiles()).values()]
  const folder = new URL('../../src/sql/', import.meta.url)
  for (const file of await readdir(folder, { recursive: true }))
    if (file.endsWith('.ts')) texts.push(await readFile(new URL(file, folder), 'utf8'))
  const names = texts.flatMap((text) => [...text.matchAll(/seat_status\('(.*?)'\)/g)].map(([, name]) => name))
  expect(new Set(names)).toEqual(new Set(Object.keys(STATUSES)))
})

test('only is_free says what is free, and only it has a status as a number', async () => {
  for (const [file, text] of await functionFiles()) {
    const code = text.replaceAll(/--.*/g, '')
    if (file !== 'is_free.sql') expect(code, file).not.toMatch(/held_until <= |\bstatus (=|<>|in) *\(?\d/)
  }
})

test('the planner inlines names and rule, so that plans are the same as with the numbers', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 2_000 }] })
  await db.sql('analyze seats')
  const plan = async (predicate: string) =>
    (
      await db.sql(
        `explain (costs off) select no from seats s where s.event_id = '${event.id}' and s.no = 7 and ${predicate}`,
      )
    )
      .map((row) => String(row['QUERY PLAN']).replaceAll("'1'::smallint", '1'))
      .join('\n')
  const free = await plan(
    '(s.status = 0 or s.status = 1 and s.held_until <= now() and s.held_until <= sale_clock())',
  )
  expect(free).toContain('Index Scan using seats_pkey')
  expect(await plan('is_free(s.status, s.held_until)')).toBe(free)
  expect(await plan(`s.status = seat_status('HELD')`)).toBe(await plan('s.status = 1'))
})
