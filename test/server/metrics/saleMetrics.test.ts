import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import { expect, test, vi } from 'vitest'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { lossyProxy } from '../../support/lossyProxy.ts'
import { type Json, testServer } from '../../support/server.ts'

const roomDb = await testDatabase()
const queueProxy = await lossyProxy(roomDb.url)
const { url, app, db, redis, ask, token, socket } = await testServer({ QUEUE_DATABASE_URL: queueProxy.url })
const ops = { authorization: `Bearer ${await token('olga', { roles: ['ops'] })}` }

const METRICS = `subscription ($id: ID!) { saleMetrics(eventId: $id) {
  asOf admissionsPerSecond holdsPerSecond holdsRefusedPerSecond checkoutsPerSecond waiting inside available held sold
  checkoutP99Ms rate rateCeiling rateReason } }`

function metricsOf(id: string, credentials: object = ops) {
  const values = socket(credentials).iterate<Json>({ query: METRICS, variables: { id } })
  return {
    /** The first that fits. */
    async until(fits: (metrics: Json) => boolean): Promise<Json> {
      for (;;) {
        const { value, done } = await values.next()
        if (done) throw new Error('it ended')
        if (fits(value.data.saleMetrics)) return value.data.saleMetrics
      }
    },
    values,
    stop: () => values.return?.(),
  }
}

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

/** The tick of the next second. */
async function tick(id: string) {
  await roomDb.sql("update rooms set ticked_at = ticked_at - interval '1 second' where event_id = $1", [id])
  return app.pacer.tick(id)
}

test('every figure is what happens in the sale', async () => {
  const event = await insertEvent(db, hall, roomDb)
  const fans: Fan[] = []
  for (let i = 0; i < 6; i++) fans.push(await join(event.id))
  const metrics = metricsOf(event.id)
  expect(await metrics.until(({ waiting }) => waiting === 6)).toMatchObject({
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
  // The tick of the next second counts those inside; the purchase has ended one admission.
  await tick(event.id)
  const busy = await metrics.until((now) => now.checkoutsPerSecond > 0 && now.inside === 5)
  expect(busy).toMatchObject({
    holdsPerSecond: 0.2,
    holdsRefusedPerSecond: 0.1,
    checkoutsPerSecond: 0.1,
    waiting: 0,
    available: 98,
    held: 1,
    sold: 1,
  })
  expect(busy.checkoutP99Ms).toBeGreaterThan(0)
  expect(busy.admissionsPerSecond).toBeGreaterThan(0)

  const setAdmission = 'mutation ($input: SetAdmissionInput!) { setAdmission(input: $input) { paused } }'
  const credentials = { token: ops.authorization.slice('Bearer '.length) }
  await ask(setAdmission, { input: { eventId: event.id, rate: 9, paused: true } }, credentials)
  expect(await metrics.until((now) => now.rateCeiling === 9)).toMatchObject({ rate: 0, rateReason: 'paused' })
  await metrics.stop()
})

test('a sale without a waiting room calls nobody, and says so', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 5 }] }, roomDb)
  const metrics = metricsOf(event.id)
  expect(await metrics.until(() => true)).toMatchObject({
    rate: 0,
    rateCeiling: 0,
    rateReason: 'the sale has no waiting room: nobody is called',
    waiting: 0,
    inside: 0,
    available: 5,
  })
  await metrics.stop()
})

test('a sale whose draw waits for public randomness calls nobody, and says so', async () => {
  const event = await insertEvent(db, { ...hall, beaconSource: 'the lottery of Saturday' }, roomDb)
  const metrics = metricsOf(event.id)
  await tick(event.id)
  expect(await metrics.until(({ rate }) => rate === 0)).toMatchObject({
    rateReason: 'the draw waits for its public randomness',
  })
  await app.waitingRoom.revealBeacon(event.id, '7 12 23 31 40 44')
  expect(await metrics.until(({ rate }) => rate > 0)).toMatchObject({ rateReason: '' })
  await metrics.stop()
})

test('however many follow, what a second brings is made once, and nothing when nobody follows any more', async () => {
  const event = await insertEvent(db, hall, roomDb)
  const recent = vi.spyOn(app.load, 'recent')
  const made = () => recent.mock.calls.filter(([id]) => id === event.id).length
  const followers = Array.from({ length: 20 }, () => metricsOf(event.id))
  let told = 0
  await Promise.all(
    followers.map(async ({ until }) => {
      for (let second = 0; second < 3; second++) {
        await until(() => true)
        told++
      }
    }),
  )
  expect(told).toBe(60)
  // The first to come is told of one second more than those who come a moment later.
  expect(made()).toBeLessThanOrEqual(5)
  await Promise.all(followers.map(({ stop }) => stop()))
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const after = made()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  expect(made()).toBe(after)
  recent.mockRestore()
})

test('it is for ops alone, of events there are, and ends with their token', async () => {
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
    // Over for 2 s, which the tolerance of 5 s lets in.
    .setExpirationTime(Math.floor(Date.now() / 1_000) - 2)
    .sign(privateKey)
  const { until } = metricsOf(event.id, { authorization: `Bearer ${short}` })
  let told = 0
  const end = await until(() => ++told < 0).catch((errors) => errors)
  expect(told).toBeGreaterThan(0)
  expect(end).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
})

test('with Redis and then the queue’s database away it goes on, with what was last seen', async () => {
  const event = await insertEvent(db, hall, roomDb)
  await join(event.id)
  const metrics = metricsOf(event.id)
  await metrics.until((now) => now.waiting === 1)

  await redis.kill()
  await db.sql('update seats set status = 3 where event_id = $1 and no <= 10', [event.id])
  // Counted by the database now.
  await metrics.until((now) => now.available === 90)

  queueProxy.loseReplies()
  const readiness = async () => (await fetch(`${url}/readyz`)).json()
  await expect.poll(readiness, { timeout: 10_000 }).toMatchObject({
    ready: true,
    parts: { database: 'ok', redis: 'degraded: fails', queueDatabase: 'degraded: fails' },
  })
  const first = await metrics.until((now) => now.waiting === 1)
  const stale = await metrics.until((now) => now.asOf === first.asOf)
  expect(stale).toMatchObject({ waiting: 1, rate: 4, checkoutP99Ms: null, holdsPerSecond: 0 })
  await metrics.stop()
})
