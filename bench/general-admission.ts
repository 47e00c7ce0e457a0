// What:     holds over GraphQL of two units of a general-admission area.
// Limit:    the SQL statement alone.
// Target:   HOT updates of seats: a share of at least 0.9.
// Measured:
import { newId } from '../src/sale/ids.ts'
import { compare, figure } from './support/compare.ts'
import { startHoldBench } from './support/holdBench.ts'
import { load } from './support/load.ts'
import { sqlHolds } from './support/sqlHolds.ts'

const HOLDS = 1_000
const ROUNDS = 5

const bench = await startHoldBench([{ places: 40_000 }])
const { api, event, stores } = bench
const TEXT = 'select * from hold_general_admission($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)'
const sql = sqlHolds({
  url: stores.databaseUrl,
  answers: HOLDS,
  next() {
    const { accountId, key } = bench.nextCaller()
    const area = [null, null, null, false, 1, 2, true]
    return {
      name: 'hold',
      text: TEXT,
      values: [event.id, accountId, key, 'hash', newId('hld', event.id), ...area],
    }
  },
})
const next = () => bench.hold({ generalAdmission: { sectionId: event.sectionId(1), quantity: 2 } })
const ours = {
  name: 'fairgate',
  run: async () => (await load({ server: api, answers: HOLDS, expect: '"state":"ACTIVE"', next })).perSecond,
}
// As in ./hold.ts: every connection has planned with the same statistics before the first counted round.
for (const { run } of [sql, ours]) await run()
await bench.db.pool.query('vacuum analyze')

await compare({ title: 'general admission over GraphQL', unit: 'holds/s', rounds: ROUNDS, limit: sql, ours })
process.stdout.write(`updates of seats that were HOT: ${figure(await bench.hotShare())}, at least 0.9\n`)

await sql.stop()
await bench.stop()
