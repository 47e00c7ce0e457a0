// The best two seats side by side of a hall of 50,000, over GraphQL: against the statement alone; and those who find
// nothing left against those who hold.
//
// Measured in such a hall, with plans that are made once (prisma/functions/free_seats.sql, blocks_among.sql) and with plans that
// are made at each call: a look at 64 free seats 85 µs and 143 µs, a look at the best two 560 µs and 840 µs. That 50,000 free
// seats have no 21 side by side takes 75 ms, and 220 ms where each seat begins a block.
import { newId } from '../src/sale/ids.ts'
import { compare, figure } from './support/compare.ts'
import { heldBySql } from './support/heldBySql.ts'
import { startHolding } from './support/holding.ts'
import { load } from './support/load.ts'

const HOLDS = 1_000
const ROUNDS = 5

const holding = await startHolding(Array(100).fill({ seats: 500 }))
const { api, event, stores } = holding
const TEXT = 'select * from hold_best($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)'
let fromRow = 0
const sql = heldBySql({
  url: stores.databaseUrl,
  answers: HOLDS,
  next() {
    const { accountId, key } = holding.nextCaller()
    const anywhere = [null, null, null, false, null, null, 2, true, fromRow, true]
    const values = [event.id, accountId, key, 'hash', newId('hld', event.id), ...anywhere]
    return { name: 'hold', text: TEXT, values }
  },
  // As the API remembers it.
  held: ({ from_row }) => {
    fromRow = from_row ?? 0
  },
})
const best = (expect: string, quantity: number) => async () => {
  const next = () => holding.hold({ bestAvailable: { quantity } })
  return (await load({ server: api, answers: HOLDS, expect, next })).perSecond
}
const HELD = '"state":"ACTIVE"'
const unit = 'holds/s'
// As in ./hold.ts: every connection has planned by the same statistics before anything is counted.
for (const run of [sql.run, best(HELD, 2)]) await run()
await holding.db.pool.query('vacuum analyze')
await compare({
  title: 'best available over GraphQL',
  unit,
  rounds: ROUNDS,
  limit: sql,
  ours: { name: 'fairgate', run: best(HELD, 2) },
})
await compare({
  title: 'best available, no such block in the hall',
  unit,
  atLeast: 2,
  rounds: ROUNDS,
  limit: { name: 'fairgate, held', run: best(HELD, 2) },
  ours: { name: 'fairgate, refused', run: best('"NotEnoughAvailable"', 21) },
})
process.stdout.write(`updates of seats that were HOT: ${figure(await holding.hotShare())}, at least 0.9\n`)

await sql.stop()
await holding.stop()
