import { expect, test } from 'vitest'
import { testDatabase } from '../../support/database.ts'

const waits: number[] = []
const db = await testDatabase({ connections: 2, onWait: (ms) => waits.push(ms) })

test('each wait for a connection is reported: of queries, of Prisma, and of transactions', async () => {
  await Promise.all([db.pool.query('select 1'), db.pool.query('select 1')])
  waits.length = 0
  await Promise.all(
    Array.from({ length: 3 }, () => [
      db.pool.query('select pg_sleep(0.1)'),
      db.prisma.$queryRaw`select pg_sleep(0.1) is null`,
      db.prisma.$transaction([db.prisma.$queryRaw`select pg_sleep(0.1) is null`]),
    ]).flat(),
  )
  expect(waits).toHaveLength(9)
  const client = await db.pool.connect()
  client.release()
  expect(waits).toHaveLength(10)
  // Two connections and nine sleeps of 100 ms: the last ones can have begun only when six or more others were done.
  expect(Math.max(...waits)).toBeGreaterThanOrEqual(300)
})

test('the time that the query itself takes is not part of the wait', async () => {
  // The connection is open: its opening is not reported.
  await db.pool.query('select 1')
  const startedAt = performance.now()
  await db.pool.query('select pg_sleep(0.2)')
  expect(waits.at(-1)).toBeLessThanOrEqual(performance.now() - startedAt - 200)
})

test('the time that it takes to open a connection is not reported', async () => {
  const reported: number[] = []
  const { pool } = db.another({ connections: 2, onWait: (ms) => reported.push(ms) })
  const client = await pool.connect()
  await pool.query('select 1')
  expect(reported).toEqual([])
  client.release()
  await pool.query('select 1')
  expect(reported).toHaveLength(1)
})

test('a wait in vain is reported too', async () => {
  const reported: number[] = []
  const { pool } = db.another({ connections: 1, onWait: (ms) => reported.push(ms) })
  const client = await pool.connect()
  await expect(pool.query('select 1')).rejects.toThrow('timeout exceeded')
  client.release()
  expect(reported).toHaveLength(1)
})
