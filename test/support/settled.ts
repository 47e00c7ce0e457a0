import { expect } from 'vitest'
import type { Database } from '../../src/sql/database.ts'
import { type TestCheckout, workOutbox } from './checkout.ts'
import type { TestDatabase } from './database.ts'
import { expectInvariants } from './invariants.ts'

/**
 * Lets the jobs catch up, then fails with every fact that does not add up: a seat sold twice, a stuck order, a
 * capture without tickets, tickets without money.
 */
export async function expectSettled(
  db: Database & Pick<TestDatabase, 'sql'>,
  checkout: TestCheckout,
): Promise<void> {
  await workOutbox(db, checkout)
  expect(await unsettledFacts(db)).toEqual([])
  // All events again: a later test may have broken the event of an earlier one.
  const events = await db.sql<{ id: string }>('select id from events')
  await expectInvariants(db, ...events.map(({ id }) => id))
}

/** Returns stuck orders, and differences between the orders and the card network. */
async function unsettledFacts(db: Pick<TestDatabase, 'sql'>): Promise<string[]> {
  const rows = await db.sql<{ fact: string }>(`
    with paid as (
      select o.id, o.state, o.payment, o.amount, p.state as at_provider
        from orders o left join sandbox_payments p on p.order_id = o.id
    )
    select 'stuck: ' || id as fact from paid where state = 'PAYING'
    union all
    select 'money never captured: ' || id from paid where payment = 'AUTHORIZED'
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
