import { expect, test } from 'vitest'
import { insertEvent } from '../../../support/event.ts'
import { testServer } from '../../../support/server.ts'

const { app, db, ask, token, url } = await testServer()

const BUY = `mutation ($input: CheckoutInput!) {
  checkout(input: $input) { __typename ... on Order { id state nextAction { clientSecret url expiresAt } } }
}`

async function waiting() {
  const event = await insertEvent(db, { sections: [{ seats: 2 }] })
  const fan = { token: await token(`fan-${event.id}`), device: 'phone' }
  const held = await ask(
    'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }',
    { input: { eventId: event.id, idempotencyKey: 'k', selection: { seats: [event.seatId(1)] } } },
    fan,
  )
  const input = { holdId: held.data.hold.id, paymentMethod: 'pm_needs_action', idempotencyKey: 'pay' }
  const { id, state, nextAction } = (await ask(BUY, { input }, fan)).data.checkout
  expect(state).toBe('PAYING')
  const path = new URL(nextAction.url).pathname
  const read = async () =>
    (await ask('query ($id: ID!) { order(id: $id) { state declineReason nextAction { url } } }', { id }, fan))
      .data.order
  const decide = (decision: string) =>
    fetch(new URL(`${path}/decision`, url), {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ decision }),
    })
  return { event, id, path, read, decide }
}

test('a buyer approves on the sandbox’s page, and comes back to the event with the order bought', async () => {
  const { event, id, path, read, decide } = await waiting()
  const page = await (await fetch(new URL(path, url))).text()
  expect(page).toContain('5450 EUR')
  expect(page).toContain('value="approve"')
  const answer = await decide('approve')
  expect(answer.status).toBe(303)
  expect(new URL(answer.headers.get('location') as string).pathname).toBe(`/payments/return/${id}`)
  expect(await read()).toEqual({ state: 'CONFIRMED', declineReason: null, nextAction: null })
  const back = await fetch(new URL(`/payments/return/${id}`, url), { redirect: 'manual' })
  expect([back.status, back.headers.get('location')]).toEqual([303, `/e/${event.slug}`])
  expect(await (await fetch(new URL(path, url))).text()).toContain('You have decided')
})

test('a buyer who refuses is declined, and a second decision changes nothing', async () => {
  const { read, decide } = await waiting()
  expect((await decide('refuse')).status).toBe(303)
  expect(await read()).toEqual({
    state: 'DECLINED',
    declineReason: 'AUTHENTICATION_FAILED',
    nextAction: null,
  })
  expect((await decide('approve')).status).toBe(303)
  expect(await read()).toMatchObject({ state: 'DECLINED' })
  expect((await decide('maybe')).status).toBe(400)
})

test('the return of a buyer finds an approval that no message reported', async () => {
  const { id, read } = await waiting()
  await db.pool.query(`update sandbox_payments set state = 'authorized' where order_id = $1`, [id])
  expect(await read()).toMatchObject({ state: 'PAYING' })
  await fetch(new URL(`/payments/return/${id}`, url), { redirect: 'manual' })
  expect(await read()).toMatchObject({ state: 'CONFIRMED' })
})

test('ops switch the card network off for all processes, and on again', async () => {
  const ops = { token: await token('otto', { roles: ['ops'] }) }
  const set = (isOut: boolean) =>
    ask('mutation ($isOut: Boolean!) { setSandboxOutage(isOut: $isOut) { isOut } }', { isOut }, ops)
  expect((await set(true)).data.setSandboxOutage).toEqual({ isOut: true })
  const { sandbox } = (await ask('{ sandbox { isOut cards { paymentMethod result } } }')).data
  expect(sandbox.isOut).toBe(true)
  expect(sandbox.cards).toContainEqual({ paymentMethod: 'pm_card_visa', result: 'authorized' })
  await set(false)
  expect(
    (await app.auditTrail.list({ first: 2 })).edges.map(({ node }) => [node.action, node.detail]),
  ).toEqual([
    ['setSandboxOutage', { isOut: false }],
    ['setSandboxOutage', { isOut: true }],
  ])
})
