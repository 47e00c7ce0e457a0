import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { startJobs } from '../../../src/jobs/index.ts'
import { testAccount } from '../../support/checkout.ts'
import { fairgate, fairgateWith } from '../../support/cli.ts'
import { insertEvent } from '../../support/event.ts'
import { QUICK } from '../../support/jobs.ts'
import { testServer } from '../../support/server.ts'

const { app, db, url, token } = await testServer()
const jobs = await startJobs(app, { timings: QUICK })
afterAll(() => jobs.close(5_000))
const FAIRGATE_TOKEN = await token('rita', { roles: ['ops'] })
const event = await insertEvent(db, { sections: [{ seats: 4 }] })
for (const seatNo of [1, 2]) {
  const fan = testAccount()
  const hold = await app.holds.hold(
    { account: fan, deviceId: null, admissionToken: null },
    { eventId: event.id, seats: [event.seatId(seatNo)], idempotencyKey: 'hold' },
  )
  if (!('expiresAt' in hold)) throw new Error('no hold')
  await app.checkout.checkout(fan, { holdId: hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'pay' })
}

test('the command refunds every order of an event, and shows the progress until the money is returned', async () => {
  const before = await fairgateWith({ FAIRGATE_TOKEN }, 'refund-event', event.id, '--status', '--server', url)
  expect(before).toMatchObject({ code: 1, err: 'the event is not called off\n' })
  const args = ['refund-event', event.slug, '--server', url]
  const done = await fairgateWith({ FAIRGATE_TOKEN }, ...args, '--reason', 'ill', '--per-second', '100')
  expect(done).toMatchObject({
    code: 0,
    err: '',
    out: expect.stringMatching(
      /2 orders refunded, no order left; €109\.00 returned, €0\.00 owed\n$|2 orders refunded, no order left; €0\.00 returned, €0\.00 owed\n$/,
    ),
  })
  expect(await db.sql('select distinct state from orders where event_id = $1', [event.id])).toEqual([
    { state: 'CANCELLED' },
  ])
  expect((await fairgateWith({ FAIRGATE_TOKEN }, ...args, '--status')).code).toBe(0)
})

test.each<[string, string[], RegExp]>([
  ['no event', ['--reason', 'ill'], /Give one event: its slug or its id/],
  ['no reason', ['evt_x'], /--reason is missing/],
])('%s is refused with one sentence', async (_name, args, message) => {
  expect(await fairgate('refund-event', ...args)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringMatching(message),
  })
})

test.each(['refund-event', 'holders'])(
  '%s asks for a token where the service gives none by itself',
  async (command) => {
    const production = createServer((_request, response) => response.writeHead(404).end())
    await once(production.listen(0, '127.0.0.1'), 'listening')
    const { port } = production.address() as AddressInfo
    const answer = await fairgate(command, 'gala', '--reason', 'ill', '--server', `http://127.0.0.1:${port}`)
    production.close()
    expect(answer).toMatchObject({
      code: 1,
      out: '',
      err: 'Set FAIRGATE_TOKEN to the token of an account with the role ops\n',
    })
  },
)

test('a fan’s token is refused', async () => {
  const answer = await fairgateWith(
    { FAIRGATE_TOKEN: await token('ana') },
    ...['refund-event', event.id, '--reason', 'ill', '--server', url],
  )
  expect(answer).toMatchObject({ code: 1, err: 'FORBIDDEN: This needs the role ops.\n' })
})
