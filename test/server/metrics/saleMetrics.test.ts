import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, onTestFinished, test, vi } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { lossyProxy } from '../../support/lossyProxy.ts'
import { readUntil } from '../../support/readUntil.ts'
import { type Json, testServer } from '../../support/server.ts'

const roomDb = await testDatabase()
const roomProxy = await lossyProxy(roomDb.url)
const { url, app, db, redis, ask, token, socket } = await testServer({ QUEUE_DATABASE_URL: roomProxy.url })
const ops = { authorization: `Bearer ${await token('olga', { roles: ['ops'] })}` }

const METRICS = `subscription ($id: ID!) { saleMetrics(eventId: $id) {
  asOf admissionsPerSecond holdsPerSecond holdsRefusedPerSecond checkoutsPerSecond waiting inside available held sold
  checkoutP99Ms rate rateCeiling rateReason } }`

function metricsOf(id: string, credentials: object = ops) {
  const values = socket(credentials).iterate<Json>({ query: METRICS, variables: { id } })
  async function next(): Promise<Json> {
    const { value, done } = await values.next()
    if (done) throw new Error('the subscription ended')
    return value.data.saleMetrics
  }
  return {
    next,
    /** Waits for metrics with these figures. Counts and rates come from different clocks, so all of them are awaited. */
    shows: (figures: object) => readUntil(next, (metrics) => expect(metrics).toMatchObject(figures)),
    values,
    stop: () => values.return?.(),
  }
}

/** Matches a figure above 0. */
const POSITIVE = expect.toSatisfy((figure: number) => figure > 0)

const hall = { waitingRoom: true, sections: [{ seats: 100 }], rate: 4 }
const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { __typename ... on Hold { id } } }'
const JOIN =
  'mutation ($id: ID!) { joinQueue(input: { eventId: $id }) { ... on QueuePosition { queueToken } } }'
const POSITION = 'query ($t: String!) { queuePosition(queueToken: $t) { admission { token } } }'
const PAY = 'mutation ($input: CheckoutInput!) { checkout(input: $input) { __typename } }'

async function join(id: string) {
  const device = randomUUID()
  const fan = { token: await token(), device }
  const { data } = await ask(JOIN, { id }, fan)
  return { ...fan, queueToken: data.joinQueue.queueToken as string }
}

type Fan = Awaited<ReturnType<typeof join>>

const readiness = async () => (await fetch(`${url}/readyz`)).json()

/** Runs the tick of the next second. */
async function tick(id: string) {
  await roomDb.sql("update rooms set ticked_at = ticked_at - interval '1 second' where event_id = $1", [id])
  return app.pacer.tick(id)
}

test('every figure shows what happens in the sale', async () => {
  const event = await insertEvent(db, hall, roomDb)
  const fans: Fan[] = []
  for (let i = 0; i < 6; i++) fans.push(await join(event.id))
  const metrics = metricsOf(event.id)
  await metrics.shows({
    waiting: 6,
    admissionsPerSecond: 0,
    holdsPerSecond: 0,
    inside: 0,
    available: 100,
    checkoutP99Ms: null,
    rate: 4,
    rateCeiling: 4,
    rateReason: '',
  })

  const called = async () => {
    await tick(event.id)
    const positions = fans.map((fan) => ask(POSITION, { t: fan.queueToken }, fan))
    const answers = await Promise.all(positions)
    return answers.flatMap(({ data }, i) => {
      const { admission } = data.queuePosition
      return admission ? [{ ...(fans[i] as Fan), admission: admission.token as string }] : []
    })
  }
  await expect.poll(async () => (await called()).length, { timeout: 15_000 }).toBe(6)
  const inside = await called()
  const hold = (i: number, seatNo: number) =>
    ask(
      HOLD,
      {
        input: {
          eventId: event.id,
          selection: { seats: [event.seatId(seatNo)] },
          idempotencyKey: randomUUID(),
        },
      },
      inside[i],
    )
  const { data } = await hold(0, 1)
  await hold(1, 2)
  expect((await hold(2, 2)).data.hold.__typename).toBe('SeatsTaken')
  const input = { holdId: data.hold.id, paymentMethod: 'pm_card_visa', idempotencyKey: 'k' }
  expect((await ask(PAY, { input }, inside[0])).data.checkout.__typename).toBe('Order')
  // The next tick counts the admissions; the purchase has ended one.
  await tick(event.id)
  await metrics.shows({
    inside: 5,
    holdsPerSecond: 0.2,
    holdsRefusedPerSecond: 0.1,
    checkoutsPerSecond: 0.1,
    waiting: 0,
    available: 98,
    held: 1,
    sold: 1,
    checkoutP99Ms: POSITIVE,
    admissionsPerSecond: POSITIVE,
  })

  const setAdmission = 'mutation ($input: SetAdmissionInput!) { setAdmission(input: $input) { paused } }'
  const credentials = { token: ops.authorization.slice('Bearer '.length) }
  await ask(setAdmission, { input: { eventId: event.id, rate: 9, paused: true } }, credentials)
  await metrics.shows({ rateCeiling: 9, rate: 0, rateReason: 'paused' })
  await metrics.stop()
})

test('a sale without a waiting room calls no fan, and the metrics say so', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 5 }] }, roomDb)
  const metrics = metricsOf(event.id)
  await metrics.shows({
    rate: 0,
    rateCeiling: 0,
    rateReason: 'the sale has no waiting room: no place is called',
    waiting: 0,
    inside: 0,
    available: 5,
  })
  await metrics.stop()
})

test('a sale whose draw waits for public randomness calls no fan, and the metrics say so', async () => {
  const event = await insertEvent(db, { ...hall, beaconSource: 'the lottery of Saturday' }, roomDb)
  const metrics = metricsOf(event.id)
  await tick(event.id)
  await metrics.shows({ rate: 0, rateReason: 'the draw waits for its public randomness' })
  await app.waitingRoom.revealBeacon(event.id, '7 12 23 31 40 44')
  await metrics.shows({ rate: POSITIVE, rateReason: '' })
  await metrics.stop()
})

test('the metrics of a second are computed once for all followers, and not at all without one', async () => {
  const event = await insertEvent(db, hall, roomDb)
  const recent = vi.spyOn(app.load, 'recent')
  const made = () => recent.mock.calls.filter(([id]) => id === event.id).length
  const followers = Array.from({ length: 20 }, () => metricsOf(event.id))
  let received = 0
  await Promise.all(
    followers.map(async ({ next }) => {
      for (let second = 0; second < 3; second++) {
        await next()
        received++
      }
    }),
  )
  expect(received).toBe(60)
  // The first follower receives one second more than those that come a moment later.
  expect(made()).toBeLessThanOrEqual(5)
  await Promise.all(followers.map(({ stop }) => stop()))
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const after = made()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(made()).toBe(after)
  recent.mockRestore()
})

test('the metrics are for ops alone and for existing events, and end with the token', async () => {
  const event = await insertEvent(db, hall, roomDb)
  const codes = async (id: string, credentials: object) => {
    const values = metricsOf(id, credentials).values
    const error = await values.next().then(
      ({ value }) => value.errors,
      (errors) => errors,
    )
    return error[0].extensions.code
  }
  expect(await codes(event.id, {})).toBe('UNAUTHENTICATED')
  expect(await codes(event.id, { authorization: `Bearer ${await token()}` })).toBe('FORBIDDEN')
  expect(await codes('evt_none', ops)).toBe('BAD_USER_INPUT')

  const [{ kid, privateKey }] = app.keys.accounts
  const short = await new SignJWT({ email_verified: true, roles: ['ops'] })
    .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt' })
    .setSubject('otto')
    .setIssuer(app.env.identity.issuer)
    .setAudience(app.env.identity.audience)
    // Expired 2 s ago, within the tolerance of 5 s.
    .setExpirationTime(Math.floor(Date.now() / 1_000) - 2)
    .sign(privateKey)
  const { next } = metricsOf(event.id, { authorization: `Bearer ${short}` })
  let received = 0
  const end = await (async () => {
    for (;;) {
      await next()
      received++
    }
  })().catch((errors) => errors)
  expect(received).toBeGreaterThan(0)
  expect(end).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
})

test('without Redis and then the room’s database the metrics go on with the last figures', async () => {
  const event = await insertEvent(db, hall, roomDb)
  await join(event.id)
  const metrics = metricsOf(event.id)
  await metrics.shows({ waiting: 1 })
  onTestFinished(async () => {
    roomProxy.heal()
    await redis.restart('lost')
    await expect
      .poll(readiness, { timeout: 20_000 })
      .toMatchObject({ parts: { redis: 'ok', queueDatabase: 'ok' } })
  })

  await redis.kill()
  await db.sql('update seats set status = 3 where event_id = $1 and no <= 10', [event.id])
  // The database counts now.
  await metrics.shows({ available: 90 })

  roomProxy.loseReplies()
  await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({
    ready: true,
    parts: { database: 'ok', redis: 'degraded: fails', queueDatabase: 'degraded: fails' },
  })
  let before: string | undefined
  await readUntil(metrics.next, (metrics) => {
    const last = before
    before = metrics.asOf
    expect(metrics).toMatchObject({ asOf: last, waiting: 1, rate: 4, checkoutP99Ms: null, holdsPerSecond: 0 })
  })
  await metrics.stop()
})
