import { expect, test } from 'vitest'
import { insertEvent } from '../../support/event.ts'
import { testServer } from '../../support/server.ts'

const { app, db, ask, token } = await testServer()
const ana = { token: await token('ana') }
const ops = { token: await token('rita', { roles: ['ops'] }) }

const ORDER = `id state payment refunded { amount } total { amount } hold { id state } items { seat { id } }
  tickets { id voided barcode seat { id } order { id } }`
const REFUND = `mutation ($input: RefundOrderInput!) { refundOrder(input: $input) { ${ORDER} } }`
const OWN = `query ($id: ID!) { order(id: $id) { ${ORDER} } }`

/** An order of two seats, paid and captured. */
async function sold() {
  const event = await insertEvent(db, { sections: [{ seats: 4 }] })
  const hold = await ask(
    'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }',
    { input: { eventId: event.id, idempotencyKey: 'h', selection: { seats: [1, 2].map(event.seatId) } } },
    ana,
  )
  const bought = await ask(
    `mutation ($input: CheckoutInput!) { checkout(input: $input) { ... on Order { ${ORDER} } } }`,
    { input: { holdId: hold.data.hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'c' } },
    ana,
  )
  const order = bought.data.checkout
  await app.checkout.capture(order.id)
  return { event, order }
}

test('ops refund a fan’s ticket and see the order, without the codes of the tickets; the fan sees what happened', async () => {
  const { order } = await sold()
  const [first, second] = order.tickets
  const input = { orderId: order.id, ticketIds: [second.id], reason: 'no view', idempotencyKey: 'k' }
  const { data, errors } = await ask(REFUND, { input }, ops)
  expect(errors).toBeUndefined()
  expect(data.refundOrder).toMatchObject({
    id: order.id,
    state: 'CONFIRMED',
    payment: 'REFUND_OWED',
    hold: { state: 'SOLD' },
    tickets: [
      { id: first.id, voided: false, barcode: null },
      { id: second.id, voided: true, barcode: null },
    ],
  })
  const own = (await ask(OWN, { id: order.id }, ana)).data.order
  expect(own.tickets).toMatchObject([{ barcode: expect.stringMatching(/^FG1:/) }, { barcode: null }])
  const fan = await ask(REFUND, { input: { ...input, idempotencyKey: 'mine' } }, ana)
  expect(fan.errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }])
})

test('ops call an event off: its sale ends, and the progress is theirs to see', async () => {
  const { event, order } = await sold()
  const ticketIds = [order.tickets[1].id]
  await ask(REFUND, { input: { orderId: order.id, ticketIds, reason: 'no view', idempotencyKey: 'k' } }, ops)
  const FIELDS =
    'event { id } reason perSecond finishedAt refunded left refused owed { amount currency } returned { amount }'
  const read = `query ($id: ID!) { eventRefund(eventId: $id) { ${FIELDS} } }`
  expect((await ask(read, { id: event.id }, ops)).data).toEqual({ eventRefund: null })
  const start = `mutation ($input: RefundEventInput!) { refundEvent(input: $input) { ${FIELDS} } }`
  const { data } = await ask(start, { input: { eventId: event.id, reason: 'ill' } }, ops)
  expect(data.refundEvent).toMatchObject({
    event: { id: event.id },
    perSecond: 10,
    left: 1,
    owed: { amount: 5_450, currency: 'EUR' },
  })
  expect((await ask(`{ event(id: "${event.id}") { sale { state } } }`)).data.event.sale.state).toBe('ENDED')
  await app.eventRefunds.work(event.id)
  expect((await ask(read, { id: event.id }, ops)).data.eventRefund).toMatchObject({ refunded: 1, left: 0 })
  expect((await ask(read, { id: event.id }, ana)).errors).toMatchObject([
    { extensions: { code: 'FORBIDDEN' } },
  ])
})
