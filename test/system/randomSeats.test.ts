import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { createBlocks } from '../../src/sale/holds/blocks.ts'
import { createDatabase, type Database } from '../../src/sql/database/database.ts'
import { cancelOrder } from '../../src/sql/orders/orderTransitions.ts'
import { opsAccount, testAccount, testCheckout } from '../support/checkout.ts'
import type { TestDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { ask } from '../support/holds.ts'
import { expectInvariants } from '../support/invariants.ts'
import { LOG_LOCK_WAITS, watchLocks } from '../support/locks.ts'
import { LONG } from '../support/long.ts'
import { testPostgres } from '../support/postgres.ts'
import { printedSeed } from '../support/random.ts'
import { anOffer, everyStep, modelSeats, type Play, plays, type World } from '../support/seatModel.ts'
import { expectSteps, recordSteps } from '../support/seatSteps.ts'
import { expectSettled } from '../support/settled.ts'
import { testWaitlist } from '../support/waitlist.ts'

const postgres = await testPostgres(LOG_LOCK_WAITS)
// Two processes use as many connections as many processes would, so that their holds race.
const pools = [1, 2].map(() => createDatabase(postgres.url, { pipelines: 1_000 })) as [Database, Database]
afterAll(() => Promise.all(pools.map((pool) => pool.close())))
const [db] = pools
const sql: TestDatabase['sql'] = async (text, values) => (await db.pool.query(text, values as unknown[])).rows
const world = {
  db,
  sales: [testCheckout(db), testCheckout(pools[1])],
  waitlist: testWaitlist(db),
} as const satisfies World
await recordSteps(db)

/** The examples alone make every step and an offer. */
const parameters: fc.Parameters<[Play]> = {
  numRuns: LONG ? 10 : 4,
  examples: [[everyStep], [anOffer]],
  endOnFailure: true,
}

test('under random concurrent work every seat makes only allowed steps, and no statement waits for a lock', async () => {
  const locks = watchLocks(db, postgres)
  await fc.assert(
    fc.asyncProperty(plays, async (play) => {
      const model = await modelSeats(world, play)
      for (const round of play.rounds) {
        await Promise.all(round.map(model.take))
        await model.expectOrder()
      }
      await model.expectSteps()
    }),
    { ...parameters, seed: printedSeed() },
  )
  await expectSettled({ ...db, sql }, world.sales[0])
  expect(await locks.stop()).toEqual([])

  // Every allowed step has happened.
  const steps = await sql(
    `select distinct from_status || ' to ' || to_status
       || case when from_status = 1 and to_status = 1 and from_hold = to_hold then ', extended' else '' end as step
     from seat_steps order by 1`,
  )
  expect(steps.map(({ step }) => step)).toEqual([
    '0 to 1',
    '0 to 3',
    '1 to 0',
    '1 to 1',
    '1 to 1, extended',
    '1 to 2',
    '2 to 0',
    '3 to 0',
  ])
  expect(
    await sql('select count(*)::int as offers from waitlist_entries where offered_at is not null'),
  ).not.toEqual([{ offers: 0 }])
})

test('the log shows a statement that waits for another session’s lock', async () => {
  const [mine, another] = [await db.pool.connect(), await pools[1].pool.connect()]
  const lock = 'select pg_advisory_lock(1)'
  let seen: string[] = []
  // A wait is not counted while the machine stands still, so this repeats until it does not.
  while (seen.length === 0) {
    const locks = watchLocks(db, postgres)
    await mine.query(lock)
    const waiting = another.query(lock)
    await sleep(200)
    await mine.query('select pg_advisory_unlock(1)')
    await waiting
    await another.query('select pg_advisory_unlock(1)')
    seen = await locks.stop()
  }
  expect(seen.join()).toContain('still waiting for ExclusiveLock on advisory lock')
  for (const client of [mine, another]) client.release()
})

test.each([
  ['', true],
  [' in a sale that forbids single seats,', false],
])('concurrent requests for the same seats, in any order,%s never deadlock', async (_, allowOrphanSeats) => {
  const event = await insertEvent(db, { sections: [{ seats: 8 }], allowOrphanSeats })
  const [here, there] = world.sales
  const blocks = createBlocks({ db, catalogue: here.catalogue, seatMap: { publish: () => {} } })
  const [organizer, seats] = [opsAccount(), event.seatNos.map(event.seatId)]
  const locks = watchLocks(db, postgres)
  const bought = new Set<string>()
  for (let round = 0; round < (LONG ? 40 : 12); round++) {
    const [ana, bob, cid] = [testAccount(), testAccount(), testAccount()]
    const held = await here.hold(ana, event, event.seatNos)
    await db.pool.query('select run_out($1, $2)', [event.id, held.id])
    await Promise.all([
      here.pay(ana, held),
      there.pay(ana, held),
      blocks.block(organizer, { eventId: event.id, seats, reason: 'camera' }),
      blocks.block(organizer, { eventId: event.id, seats: seats.toReversed(), reason: 'another' }),
      ask(here.holds, bob, event, event.seatNos.toReversed()),
      ask(there.holds, cid, event, event.seatNos.slice(2)),
      there.holds.release(ana, held.id),
      here.holds.sweep(event.id),
    ])
    for (const account of [ana, bob, cid]) {
      for (const { id } of await here.holds.active(account, event.id)) await here.holds.release(account, id)
      for (const { node } of (await here.orders.list(account, { first: 9 })).edges) {
        bought.add(node.state)
        await cancelOrder(db, event.id, node.id)
      }
    }
    await here.holds.sweep(event.id)
    await blocks.unblock(organizer, { eventId: event.id, seats, reason: 'over' })
  }
  await expectInvariants(db, event.id)
  await expectSteps(db, event.id)
  expect(await locks.stop()).toEqual([])
  // Some rounds sell every seat and some none.
  expect(bought.size).toBeGreaterThan(0)
})
