import { afterEach, expect, test } from 'vitest'
import { insertEvent } from '../../../support/event.ts'
import { fakeMollie } from '../../../support/fakeMollie/index.ts'
import { type StripeEvent, signStripe } from '../../../support/fakeStripe/events.ts'
import { fakeStripe } from '../../../support/fakeStripe/index.ts'
import { type Json, testServer } from '../../../support/server.ts'

const stripe = await fakeStripe()
const mollie = await fakeMollie()
const SECRET = 'whsec_of_the_tests'
const { url, app, db, ask, token } = await testServer({
  STRIPE_SECRET_KEY: stripe.secretKey,
  STRIPE_PUBLISHABLE_KEY: 'pk_test_fairgate',
  STRIPE_WEBHOOK_SECRET: SECRET,
  STRIPE_API_URL: stripe.url,
  MOLLIE_API_KEY: mollie.apiKey,
  MOLLIE_API_URL: mollie.url,
})
const event = await insertEvent(db, { sections: [{ places: 500 }], currency: 'EUR' })
afterEach(() => {
  stripe.faults.heal()
  mollie.faults.heal()
})

const HOLD = `mutation ($input: HoldInput!) { hold(input: $input) { __typename
  ... on Hold { id payments { provider publishableKey } } ... on Refusal { message } } }`
const CHECKOUT = `mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename
  ... on Order { id state payment nextAction { url clientSecret } }
  ... on PaymentDeclined { order { id state declineReason } } ... on Refusal { message } } }`
const ORDER = 'query ($id: ID!) { order(id: $id) { state payment declineReason } }'

let keys = 0
async function fanWithHold() {
  const fan = { token: await token() }
  const selection = { generalAdmission: { sectionId: event.sectionId(1), quantity: 1 } }
  const input = { eventId: event.id, selection, idempotencyKey: `hold-${++keys}` }
  const { data } = await ask(HOLD, { input }, fan)
  expect(data.hold).toMatchObject({ __typename: 'Hold' })
  const holdId = data.hold.id as string
  const checkout = async (paymentMethod: string, more: Json = {}) =>
    ask(CHECKOUT, { input: { holdId, paymentMethod, idempotencyKey: `pay-${++keys}`, ...more } }, fan)
  const order = async (id: string) => (await ask(ORDER, { id }, fan)).data.order
  return { fan, hold: data.hold as Json, checkout, order }
}

/** An order of Stripe's that waits for its buyer. */
async function waitingOrder() {
  const fan = await fanWithHold()
  const { data } = await fan.checkout('pm_card_authenticationRequired')
  expect(data.checkout).toMatchObject({ __typename: 'Order', state: 'PAYING' })
  const { id } = data.checkout as { id: string }
  const intent = stripe.intents().find(({ metadata }) => Object.values(metadata).includes(id))
  if (!intent) throw new Error('no intent')
  return { ...fan, id, intentId: intent.id, nextAction: data.checkout.nextAction, read: () => fan.order(id) }
}

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`${url}/webhooks/${path}`, { method: 'POST', headers, body })
  return { status: answer.status, body: (await answer.json()) as Json }
}

const deliver = ({ body }: Pick<StripeEvent, 'body'>, at?: number, secret = SECRET) =>
  post('stripe', body, { 'stripe-signature': signStripe(body, secret, at) })
const lastEvent = (type: string) => stripe.events.findLast((event) => event.type === type) as StripeEvent

test('the order of a buyer who authenticated is sold by the webhook, which may come twice and in any order', async () => {
  const order = await waitingOrder()
  expect(order.nextAction).toEqual({
    url: expect.stringContaining(order.intentId),
    clientSecret: expect.stringContaining(order.intentId),
  })
  stripe.authenticate(order.intentId, 'passed')
  const authorized = lastEvent('payment_intent.amount_capturable_updated')
  expect(await deliver(authorized)).toEqual({ status: 200, body: { ours: true } })
  expect(await order.read()).toMatchObject({ state: 'CONFIRMED', payment: 'AUTHORIZED' })
  await app.checkout.capture(order.id)
  // Old news, twice, after newer news.
  const captured = lastEvent('payment_intent.succeeded')
  for (const notice of [captured, authorized, authorized]) expect((await deliver(notice)).status).toBe(200)
  expect(await order.read()).toMatchObject({ state: 'CONFIRMED', payment: 'CAPTURED' })
  expect(stripe.intent(order.intentId).status).toBe('succeeded')
})

test('ten deliveries of one webhook at once sell one order', async () => {
  const order = await waitingOrder()
  stripe.authenticate(order.intentId, 'passed')
  const notice = lastEvent('payment_intent.amount_capturable_updated')
  const answers = await Promise.all(Array.from({ length: 10 }, () => deliver(notice)))
  expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200))
  expect(await order.read()).toMatchObject({ state: 'CONFIRMED' })
  expect(
    await db.sql('select count(*)::int as tickets from tickets where order_id = $1', [order.id]),
  ).toEqual([{ tickets: 1 }])
})

test('a failed authentication declines the order, and the hold takes another card', async () => {
  const order = await waitingOrder()
  stripe.authenticate(order.intentId, 'failed')
  expect((await deliver(lastEvent('payment_intent.payment_failed'))).status).toBe(200)
  expect(await order.read()).toMatchObject({ state: 'DECLINED', declineReason: 'AUTHENTICATION_FAILED' })
  const { data } = await order.checkout('pm_card_visa')
  expect(data.checkout).toMatchObject({ __typename: 'Order', state: 'CONFIRMED' })
})

test('a webhook that comes before our own commit sells the order, and the checkout reports it', async () => {
  const fan = await fanWithHold()
  const reply = stripe.faults.hold(/confirm$/, 'after')
  const call = fan.checkout('pm_card_visa')
  await reply.arrived
  expect(await deliver(lastEvent('payment_intent.amount_capturable_updated'))).toEqual({
    status: 200,
    body: { ours: true },
  })
  reply.release()
  const { data } = await call
  expect(data.checkout).toMatchObject({ __typename: 'Order', state: 'CONFIRMED' })
})

test('a forged, an old, an altered and an unsigned webhook are refused, and change nothing', async () => {
  const order = await waitingOrder()
  stripe.authenticate(order.intentId, 'passed')
  const notice = lastEvent('payment_intent.amount_capturable_updated')
  const altered = notice.body.replace('"livemode":false', '"livemode":true')
  const refused = [
    await deliver(notice, Date.now(), 'whsec_of_somebody_else'),
    await deliver(notice, Date.now() - 600_000),
    await post('stripe', altered, { 'stripe-signature': signStripe(notice.body, SECRET) }),
    await post('stripe', notice.body),
    await post('stripe', notice.body, { 'stripe-signature': 'nonsense' }),
    await post('stripe', 'not JSON', { 'stripe-signature': signStripe('not JSON', SECRET) }),
  ]
  expect(refused.map(({ status }) => status)).toEqual(Array(6).fill(400))
  for (const { body } of refused) expect(body.errors[0].message).toMatch(/signature/i)
  expect(await order.read()).toMatchObject({ state: 'PAYING' })
})

test('a webhook of another installation and one of no interest are accepted, and cost Stripe no call', async () => {
  const notice = (type: string, object: object) =>
    deliver({ body: JSON.stringify({ id: 'evt_x', object: 'event', type, data: { object } }) })
  const before = stripe.requests.length
  const foreign = { id: 'pi_of_another_shop', object: 'payment_intent' }
  expect(await notice('payment_intent.succeeded', foreign)).toEqual({ status: 200, body: { ours: false } })
  expect(await notice('refund.updated', { id: 're_x', payment_intent: null })).toEqual({
    status: 200,
    body: { ours: false },
  })
  expect(await notice('charge.succeeded', { id: 'ch_x' })).toEqual({ status: 200, body: { ours: false } })
  expect(await post('mollie', 'id=tr_of_another_shop')).toEqual({ status: 200, body: { ours: false } })
  expect(stripe.requests).toHaveLength(before)
})

test('while Stripe does not answer, its webhook is answered 503, so that it comes again', async () => {
  const order = await waitingOrder()
  stripe.authenticate(order.intentId, 'passed')
  const notice = lastEvent('payment_intent.amount_capturable_updated')
  stripe.faults.always(/^GET/, 'error before')
  expect((await deliver(notice)).status).toBe(503)
  stripe.faults.heal()
  expect((await deliver(notice)).status).toBe(200)
  expect(await order.read()).toMatchObject({ state: 'CONFIRMED' })
})

test("a fan pays on Mollie's page, and its webhook sells the order", async () => {
  const fan = await fanWithHold()
  const { data } = await fan.checkout('creditcard', { provider: 'mollie' })
  expect(data.checkout).toMatchObject({ state: 'PAYING', nextAction: { clientSecret: null } })
  const paymentId = data.checkout.nextAction.url.split('/').at(-1)
  mollie.buyer(paymentId, 'pays')
  expect(await post('mollie', `id=${paymentId}`)).toEqual({ status: 200, body: { ours: true } })
  expect(await fan.order(data.checkout.id)).toMatchObject({ state: 'CONFIRMED' })
  for (const bad of ['', 'id=', 'id=../payments', 'paymentId=tr_x'])
    expect((await post('mollie', bad)).status).toBe(400)
})

test('a payment method of a provider that takes no orders buys nothing', async () => {
  const fan = await fanWithHold()
  expect(fan.hold.payments).toEqual({ provider: 'stripe', publishableKey: 'pk_test_fairgate' })
  // The sandbox would approve any card.
  for (const provider of ['sandbox', 'adyen', '']) {
    const { errors = [] } = await fan.checkout('pm_card_visa', { provider })
    expect(errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' })
    expect(errors[0]?.message).toContain('input.provider')
  }
})

test('while Stripe is out, holds name Mollie, new orders go there, and a card of Stripe waits', async () => {
  stripe.faults.always(/./, 'error before')
  await expect
    .poll(
      async () => {
        await Promise.allSettled(
          Array.from({ length: 10 }, () =>
            app.payments.of('stripe').retrieve({ eventId: 'evt_x', intentId: 'pi_any' }),
          ),
        )
        return app.payments.forNewOrders().name
      },
      { timeout: 20_000 },
    )
    .toBe('mollie')
  const fan = await fanWithHold()
  expect(fan.hold.payments).toEqual({ provider: 'mollie', publishableKey: null })
  const { data } = await fan.checkout('pm_card_visa', { provider: 'stripe' })
  expect(data.checkout).toMatchObject({ __typename: 'CheckoutBusy' })
  const hosted = await fan.checkout('creditcard', { provider: 'mollie' })
  expect(hosted.data.checkout).toMatchObject({
    state: 'PAYING',
    nextAction: { url: expect.stringContaining('mollie') },
  })
  // The other tests find Stripe as this one found it.
  stripe.faults.heal()
  await expect.poll(() => app.payments.forNewOrders().name, { timeout: 20_000 }).toBe('stripe')
}, 30_000)
