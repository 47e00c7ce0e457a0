import { expect, test } from 'vitest'
import { inBackground, inForeground } from '../../../src/async/background.ts'
import { shareWithBackground } from '../../../src/sql/database/backgroundShare.ts'
import { testDatabase } from '../../support/database.ts'

// Two of the five may serve the background.
const db = await testDatabase({ connections: 5, pipelines: 1 })
const { pool, prisma } = db

test('the background has a part of the connections, and everything else has the others', async () => {
  const reading = inBackground(() => Array.from({ length: 30 }, () => pool.connect()))
  const [first, second] = await Promise.all(reading.slice(0, 2))
  const one = await pool.connect()
  const other = await inBackground(() => inForeground(() => pool.connect()))
  expect(await prisma.$queryRaw`select 1 as answer`).toEqual([{ answer: 1 }])
  for (const client of [one, other, first, second]) client?.release()
  for (const client of reading.slice(2)) (await client).release()
})

test('operations of the background get connections in rotation, one at a time', async () => {
  const held = await inBackground(() => Promise.all([pool.connect(), pool.connect()]))
  const served: string[] = []
  const read = async (name: string) => {
    const client = await pool.connect()
    served.push(name)
    client.release()
  }
  const all = [
    ...inBackground(() => Array.from({ length: 3 }, () => read('a'))),
    ...inBackground(() => Array.from({ length: 2 }, () => read('b'))),
    inBackground(() => read('c')),
  ]
  held[0].release()
  await Promise.all(all)
  held[1].release()
  expect(served).toEqual(['a', 'b', 'c', 'a', 'b', 'a'])
})

test('a connection that fails gives its part back', async () => {
  for (let i = 0; i < 3; i++) {
    await expect(inBackground(() => pool.query('select 1 / 0'))).rejects.toThrow('division by zero')
    const client = await inBackground(() => pool.connect())
    client.release(new Error('lost'))
  }
  expect((await inBackground(() => pool.query('select 1 as answer'))).rows).toEqual([{ answer: 1 }])
})

test('the background waits only so long, and then fails like the pool', async () => {
  const { pool } = db.another({ connections: 5 })
  shareWithBackground(pool, 1, 50)
  const held = await inBackground(() => pool.connect())
  await expect(inBackground(() => pool.query('select 1'))).rejects.toThrow('timeout exceeded')
  held.release()
  expect((await inBackground(() => pool.query('select 1 as answer'))).rows).toEqual([{ answer: 1 }])
})
