import { expect } from 'vitest'
import type { Database } from '../../src/sql/database/database.ts'
import { sandboxRecords, type TestCheckout, workOutbox } from './checkout.ts'
import type { TestDatabase } from './database.ts'
import { expectInvariants } from './invariants.ts'
import type { Network, NetworkRecord } from './networks/network.ts'

/**
 * Lets the jobs catch up, then fails with every fact that does not add up: a seat sold twice, a stuck order, a
 * capture without tickets, tickets without money. `networks`: default: the sandbox.
 */
export async function expectSettled(
  db: Database & Pick<TestDatabase, 'sql'>,
  checkout: TestCheckout,
  networks: readonly Pick<Network, 'records'>[] = [{ records: () => sandboxRecords(db) }],
): Promise<void> {
  await workOutbox(db, checkout)
  const records = (await Promise.all(networks.map((network) => network.records()))).flat()
  expect(await unsettledFacts(db, records)).toEqual([])
  // All events again: a later test may have broken the event of an earlier one.
  const events = await db.sql<{ id: string }>('select id from events')
  await expectInvariants(db, ...events.map(({ id }) => id))
}

/** Returns stuck orders, and differences between the orders and the card networks. */
async function unsettledFacts(
  db: Pick<TestDatabase, 'sql'>,
  records: readonly NetworkRecord[],
): Promise<string[]> {
  const rows = await db.sql<{ fact: string }>(
    `
    with network as (
      select "intentId" as intent_id, state, captured - refunded as net
        from jsonb_to_recordset($1::jsonb)
          as record ("intentId" text, state text, captured bigint, refunded bigint)
    ), paid as (
      select o.id, o.state, o.payment, o.money_due, o.amount, o.refunded, n.state as at_provider, n.net
        from orders o left join network n on n.intent_id = o.intent_id
    )
    select 'stuck: ' || id as fact from paid where state = 'PAYING'
    union all
    select 'money never followed: ' || id || ' ' || money_due from paid where money_due is not null
    union all
    select 'tickets without money: ' || id from paid
      where state = 'CONFIRMED' and amount > 0
        and (payment not in ('CAPTURED', 'PARTIALLY_REFUNDED')
          or at_provider is distinct from 'captured' or net <> amount - refunded)
    union all
    select 'money without tickets: ' || id || ' ' || at_provider from paid
      where state <> 'CONFIRMED'
        -- Refunded, with the fees kept.
        and not (state = 'CANCELLED' and payment = 'PARTIALLY_REFUNDED' and net = amount - refunded)
        and (net > 0 or at_provider in ('unconfirmed', 'processing', 'action_required', 'authorized', 'declined'))
    union all
    select 'refund owed: ' || id from refunds where state <> 'DONE'
    union all
    select 'money of no order: ' || n.intent_id from network n
      where (n.net > 0 or n.state not in ('unconfirmed', 'cancelled', 'captured'))
        and not exists (select from orders o where o.intent_id = n.intent_id)
    union all
    select 'left in the outbox: ' || job || ' ' || data from outbox`,
    [JSON.stringify(records)],
  )
  return rows.map(({ fact }) => fact)
}
