import { expect } from 'vitest'
import type { Database } from '../../src/sql/database.ts'
import { type TestCheckout, workOutbox } from './checkout.ts'
import type { TestDatabase } from './database.ts'
import { expectInvariants } from './invariants.ts'

/**
 * Lets the jobs catch up, and fails with everything that does not add up then: no seat sold twice, no order
 * stuck, no capture without tickets, no tickets without money.
 */
export async function expectSettled(
  db: Database & Pick<TestDatabase, 'sql'>,
  checkout: TestCheckout,
): Promise<void> {
  await workOutbox(db, checkout)
  expect(await unsettledFacts(db)).toEqual([])
  // Of all events again: what a later test broke in an earlier one's must be seen too.
  const events = await db.sql<{ id: string }>('select id from events')
  await expectInvariants(db, ...events.map(({ id }) => id))
}

/** Orders that wait, and what the card network says against what the orders say. */
async function unsettledFacts(db: Pick<TestDatabase, 'sql'>): Promise<string[]> {
  const rows = await db.sql<{ fact: string }>(`
    with paid as (
      select o.id, o.state, o.payment, o.amount, p.state as at_provider
        from orders o left join sandbox_payments p on p.order_id = o.id
    )
    select 'stuck: ' || id as fact from paid where state = 'PAYING'
    union all
    select 'money on its way for good: ' || id from paid where payment = 'AUTHORIZED'
    union all
    select 'tickets without money: ' || id from paid
      where state = 'CONFIRMED' and amount > 0
        and (payment <> 'CAPTURED' or at_provider is distinct from 'captured')
    union all
    select 'money without tickets: ' || id || ' ' || at_provider from paid
      where state <> 'CONFIRMED' and at_provider in ('authorized', 'captured')
    union all
    select 'money of no order: ' || p.order_id from sandbox_payments p
      where p.state in ('authorized', 'captured') and not exists (select from orders o where o.id = p.order_id)
    union all
    select 'left in the outbox: ' || job || ' ' || data from outbox`)
  return rows.map(({ fact }) => fact)
}
