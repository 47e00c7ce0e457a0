import { expect, test } from 'vitest'
import { channels } from '../../../src/redis/keys.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const database = await testDatabase()
const sale = testCheckout(database)

async function buy(account = testAccount(), seatNo = 1, event?: Awaited<ReturnType<typeof insertEvent>>) {
  const at = event ?? (await insertEvent(database))
  const hold = await sale.hold(account, at, [seatNo])
  return { event: at, account, order: (await sale.pay(account, hold)) as OrderView }
}

test('an order and its tickets are found by their account, and by no other account', async () => {
  const { account, order } = await buy()
  const stranger = testAccount()
  const ticketId = order.tickets[0]?.id as string
  expect(await sale.orders.find(account, order.id)).toEqual(order)
  expect(await sale.orders.findByTicket(account, ticketId)).toEqual(order)
  expect(await sale.orders.find(stranger, order.id)).toBeNull()
  expect(await sale.orders.findByTicket(stranger, ticketId)).toBeNull()
  expect(await sale.orders.find(account, 'nonsense')).toBeNull()
  expect(await sale.orders.findByTicket(account, order.id)).toBeNull()
  expect((await sale.orders.list(stranger, { first: 10 })).edges).toEqual([])
})

test('an account lists its orders newest first, page by page, each once, of all events or one', async () => {
  const account = testAccount()
  const event = await insertEvent(database)
  const other = await insertEvent(database)
  const bought: string[] = []
  for (let seatNo = 1; seatNo <= 7; seatNo++) {
    bought.unshift((await buy(account, seatNo, seatNo % 3 === 0 ? other : event)).order.id)
  }
  await database.sql(
    `update orders set placed_at = now() - make_interval(secs => i)
     from unnest($1::text[]) with ordinality x (order_id, i) where id = x.order_id`,
    [bought],
  )
  // Two orders of one moment, with the end of a page between them, are in the sequence of their ids.
  await database.sql(
    'update orders set placed_at = (select placed_at from orders where id = $1) where id = $2',
    [bought[2], bought[3]],
  )

  async function readAll(eventId?: string) {
    const pages: string[][] = []
    let after: string | null = null
    do {
      const page = await sale.orders.list(account, { first: 3, after, eventId })
      expect(page.hasPreviousPage).toBe(after !== null)
      pages.push(page.edges.map(({ node }) => node.id))
      after = page.hasNextPage ? (page.edges.at(-1)?.cursor as string) : null
    } while (after !== null)
    return pages
  }
  expect(await readAll()).toEqual([bought.slice(0, 3), bought.slice(3, 6), bought.slice(6)])
  const ofOther = bought.filter((id) => id.includes(other.id.slice(4)))
  expect(await readAll(other.id)).toEqual([ofOther])
  expect(await readAll('evt_nowhere')).toEqual([[]])
  expect(await readAll('nonsense')).toEqual([[]])
})

test.each([
  [{ first: 0 }],
  [{ first: 101 }],
  [{ first: 1, after: 'nonsense' }],
  [{ first: 1, after: Buffer.from('["never","ord_x_1"]').toString('base64url') }],
])('an invalid page request is refused: %j', async (request) => {
  await expect(sale.orders.list(testAccount(), request)).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
})

test('a subscriber receives the order as it is, then every change once', async () => {
  const { account, order } = await buy()
  const updates = sale.orders.updates(account, order.id)
  expect((await updates.next()).value).toEqual(order)
  const next = updates.next()
  // A message with no change behind it sends nothing.
  sale.publish(channels.order(order.eventId, order.id), '')
  await sale.settle(order.id)
  await workOutbox(database, sale)
  expect((await next).value).toEqual({ ...order, payment: 'CAPTURED' })
  await updates.return?.()
  expect(await updates.next()).toEqual({ done: true, value: undefined })
})

test('no account can subscribe to another account’s order', async () => {
  const { order } = await buy()
  await expect(sale.orders.updates(testAccount(), order.id).next()).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  })
})
