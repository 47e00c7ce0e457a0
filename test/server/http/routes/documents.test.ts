import { expect, test } from 'vitest'
import { importKeys, makeKeys } from '../../../../src/keys.ts'
import type { Clock } from '../../../../src/sale/clock.ts'
import { createLinks } from '../../../../src/sale/documents/links.ts'
import type { OrderView } from '../../../../src/sale/orders/orders.ts'
import { testAccount } from '../../../support/checkout.ts'
import { insertEvent } from '../../../support/event.ts'
import { ask, isHold } from '../../../support/holds.ts'
import { testServer } from '../../../support/server.ts'

const { app, db, url, ask: query, token } = await testServer()
const event = await insertEvent(db)

async function buy(seatNo: number) {
  const account = testAccount()
  const hold = await ask(app.holds, account, event, [seatNo])
  if (!isHold(hold)) throw new Error('no hold')
  const input = { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: `key-${seatNo}` }
  return { account, order: (await app.checkout.checkout(account, input)) as OrderView }
}

async function pdfUrlOf(accountId: string, orderId: string): Promise<string | null> {
  const answer = await query(
    'query ($id: ID!) { order(id: $id) { pdfUrl } }',
    { id: orderId },
    { token: await token(accountId) },
  )
  return (answer as { data: { order: { pdfUrl: string | null } } }).data.order.pdfUrl
}

const open = (address: string) => {
  const { pathname, search } = new URL(address)
  return fetch(`${url}${pathname}${search}`)
}

test('the link to the tickets exists from the capture on, and opens them without an account', async () => {
  const { account, order } = await buy(1)
  expect(await pdfUrlOf(account.id, order.id)).toBeNull()
  await app.checkout.capture(order.id)
  const address = (await pdfUrlOf(account.id, order.id)) as string
  const answer = await open(address)
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'application/pdf',
    'no-store',
  ])
  const bytes = Buffer.from(await answer.arrayBuffer())
  expect(bytes.subarray(0, 5).toString()).toBe('%PDF-')
  expect(Buffer.from(await (await open(address)).arrayBuffer()).equals(bytes)).toBe(true)
})

test('a link opens its own order only, and nothing once the tickets are void', async () => {
  const [{ account, order }, other] = [await buy(2), await buy(3)]
  await app.checkout.capture(order.id)
  await app.checkout.capture(other.order.id)
  const address = (await pdfUrlOf(account.id, order.id)) as string
  const later = String(Number(new URL(address).searchParams.get('until')) + 1)
  const forged = [
    address.replace(order.id, other.order.id),
    address.replace(/until=\d+/, `until=${later}`),
    address.replace(/signature=./, 'signature='),
    address.replace(/\?.*/, ''),
    address.replace(order.id, 'none'),
  ]
  expect(await Promise.all(forged.map(async (link) => (await open(link)).status))).toEqual(
    forged.map(() => 403),
  )
  await db.sql(
    "update orders set state = 'CANCELLED', payment = 'REFUNDED', refunded = amount where id = $1",
    [order.id],
  )
  expect((await open(address)).status).toBe(404)
  expect(await pdfUrlOf(account.id, order.id)).toBeNull()
})

test('a link is valid for one to two hours, also by a key that signs no more', async () => {
  let now = new Date('2026-11-30T19:10:00Z')
  const clock = { now: async () => now } as Clock
  const keys = await importKeys(await makeKeys())
  const [another] = (await importKeys(await makeKeys())).tokens
  const query = new URLSearchParams(await createLinks({ keys, clock }).sign('tickets.pdf', 'ord_a_1'))
  const verify = (tokens: typeof keys.tokens) =>
    createLinks({ keys: { tokens }, clock }).verify('tickets.pdf', 'ord_a_1', query)
  expect(await verify([another, ...keys.tokens])).toBe(true)
  expect(await verify([another])).toBe(false)
  now = new Date('2026-11-30T20:59:59Z')
  expect(await verify(keys.tokens)).toBe(true)
  now = new Date('2026-11-30T21:00:00Z')
  expect(await verify(keys.tokens)).toBe(false)
})
