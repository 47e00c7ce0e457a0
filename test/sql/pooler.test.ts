import { expect, test } from 'vitest'
import { createDatabase } from '../../src/sql/database/database.ts'
import { requireFitDatabase } from '../../src/sql/database/fitness.ts'
import { migrate } from '../../src/sql/database/migrate.ts'
import { testAccount, testCheckout } from '../support/checkout.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { testPgBouncer } from '../support/pgbouncer.ts'

const db = await testDatabase()
// Fewer connections than two processes use: each of them moves between clients all the time.
const pooledUrl = await testPgBouncer(db.url, 4)
const [one, other] = [createDatabase(pooledUrl), createDatabase(pooledUrl)]
cleanUp(() => Promise.all([one.close(), other.close()]))

test('through PgBouncer in transaction mode every purchase succeeds, and no seat is sold twice', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 40 }] })
  const processes = [testCheckout(one), testCheckout(other)]
  const bought = await Promise.all(
    Array.from({ length: 40 }, async (_, i) => {
      const process = processes[i % 2] as (typeof processes)[number]
      const account = testAccount()
      const hold = await process.hold(account, event, [i + 1])
      return process.pay(account, hold)
    }),
  )
  expect(bought.map((order) => 'state' in order && order.state)).toEqual(Array(40).fill('CONFIRMED'))
  expect(await db.sql(`select 1 from tickets where event_id = $1`, [event.id])).toHaveLength(40)
  await expectInvariants(db, event.id)
})

test('through PgBouncer times are in UTC, whatever the zone of the server', async () => {
  const name = new URL(db.url).pathname.slice(1)
  await db.sql(`alter database ${name} set timezone = 'Pacific/Auckland'`)
  try {
    const [again, pooled] = [db.another(), createDatabase(await testPgBouncer(db.url, 1))]
    for (const database of [again, pooled]) {
      await requireFitDatabase(database)
      const { rows } = await database.pool.query(`select current_setting('TimeZone') as zone`)
      expect(rows[0].zone).toBe('UTC')
    }
    await pooled.close()
  } finally {
    await db.sql(`alter database ${name} reset timezone`)
  }
})

test('a migration through PgBouncer is refused with a sentence, since its lock needs a session', async () => {
  await expect(migrate(pooledUrl)).rejects.toThrow(/^leads to a pooler such as PgBouncer/)
  for (const { pool, pooler, expected } of [
    { ...one, expected: true },
    { ...db, expected: false },
  ]) {
    await pool.query('select 1')
    // The answer to its own question may come in the same packet.
    await expect.poll(() => pooler.isPooled).toBe(expected)
  }
})
