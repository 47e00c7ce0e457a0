// Two places of a general-admission area over GraphQL, against the statement alone.
import { newId } from '../src/sale/ids.ts'
import { compare, figure } from './support/compare.ts'
import { heldBySql } from './support/heldBySql.ts'
import { startHolding } from './support/holding.ts'
import { load } from './support/load.ts'

const HOLDS = 1_000
const ROUNDS = 5

const holding = await startHolding([{ places: 40_000 }])
const { api, event, stores } = holding
const TEXT = 'select * from hold_general_admission($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)'
const sql = heldBySql({
  url: stores.databaseUrl,
  answers: HOLDS,
  next() {
    const { accountId, key } = holding.nextCaller()
    const area = [null, null, null, false, 1, 2, true]
    return {
      name: 'hold',
      text: TEXT,
      values: [event.id, accountId, key, 'hash', newId('hld', event.id), ...area],
    }
  },
})
const next = () => holding.hold({ generalAdmission: { sectionId: event.sectionId(1), quantity: 2 } })
const ours = {
  name: 'fairgate',
  run: async () => (await load({ server: api, answers: HOLDS, expect: '"state":"ACTIVE"', next })).perSecond,
}
// As in ./hold.ts: every connection has planned by the same statistics before anything is counted.
for (const { run } of [sql, ours]) await run()
await holding.db.pool.query('vacuum analyze')

await compare({ title: 'general admission over GraphQL', unit: 'holds/s', rounds: ROUNDS, limit: sql, ours })
process.stdout.write(`updates of seats that were HOT: ${figure(await holding.hotShare())}, at least 0.9\n`)

await sql.stop()
await holding.stop()
