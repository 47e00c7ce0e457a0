import { afterEach, expect, test } from 'vitest'
import { guard } from '../../../src/payments/guard.ts'
import { type PaymentProvider, ProviderBusy } from '../../../src/payments/provider.ts'
import { createRegistry } from '../../../src/payments/registry.ts'
import { createSandbox } from '../../../src/payments/sandbox.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { CALM, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { paymentTable } from '../../support/paymentTable.ts'
import { expectSettled } from '../../support/settled.ts'

const database = await testDatabase()
/** The networks that answer each call with a refusal: they are at their limit. */
const busy = new Set<string>()

function network(name: string): PaymentProvider {
  const real = createSandbox(database, CALM, { publicUrl: 'http://localhost:4000', name })
  return {
    ...real,
    async retrieve(request) {
      if (busy.has(name)) throw new ProviderBusy(1)
      return real.retrieve(request)
    },
  }
}

function installation(...names: [string, ...string[]]) {
  const guarded = (name: string) => guard(network(name), { takePermit: async () => 0 })
  const [first, ...others] = names
  return testCheckout(database, {
    patienceMs: 0,
    payments: createRegistry([guarded(first), ...others.map(guarded)]),
  })
}

const sale = installation('one', 'two')
const { pass, work, endOf } = paymentTable(database, () => sale)
afterEach(async () => {
  busy.clear()
  const left = await database.sql<{ id: string }>(`select id from orders where state = 'PAYING'`)
  for (const { id } of left) await pass(id, 1)
  await work()
  await expectSettled(database, sale)
})

const SEATS = 14

/** Orders that are PAYING: all but the last one at the first provider. */
async function payingAtBoth(): Promise<{ first: string[]; second: string }> {
  const event = await insertEvent(database, { sections: [{ seats: SEATS }] })
  const ids: string[] = []
  for (let seat = 1; seat <= SEATS; seat++) {
    const account = testAccount()
    const { id } = (await sale.checkout(account, {
      holdId: (await sale.hold(account, event, [seat])).id,
      paymentMethod: 'pm_approved_later',
      provider: seat < SEATS ? 'one' : 'two',
      idempotencyKey: 'key',
    })) as OrderView
    ids.push(id)
  }
  for (const [i, id] of ids.entries()) await pass(id, i < SEATS - 1 ? 2 : 1)
  return { first: ids.slice(0, -1), second: ids.at(-1) as string }
}

test('many orders of a provider that is busy keep no order of another provider waiting', async () => {
  const { first, second } = await payingAtBoth()
  busy.add('one')
  await sale.settleStuck()
  expect((await endOf(second))[0]).toBe('CONFIRMED AUTHORIZED')
  for (const id of first) expect((await endOf(id))[0]).toBe('PAYING NONE')
})

test('orders whose time is over end in one run, also where their provider is busy', async () => {
  const { first } = await payingAtBoth()
  busy.add('one')
  for (const id of first) await pass(id, 20)
  await sale.settleStuck()
  for (const id of first) expect((await endOf(id))[0]).toBe('SEATS_GONE NONE')
})

test('a retry finds its order, also where the configuration has lost its provider', async () => {
  const event = await insertEvent(database)
  const account = testAccount()
  const hold = await sale.hold(account, event, [1])
  const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', provider: 'two', idempotencyKey: 'key' }
  const order = (await sale.checkout(account, input)) as OrderView
  const later = installation('one')
  expect(await later.checkout(account, input)).toMatchObject({ id: order.id, state: 'CONFIRMED' })
  await expect(later.checkout(account, { ...input, idempotencyKey: 'another' })).rejects.toThrow(
    'input.provider: must be a provider that `Hold.payments` names',
  )
})
