import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { createPulse } from '../../src/sale/holds/databasePulse.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import { testApps } from '../support/apps.ts'
import { runOut, testAccount } from '../support/checkout.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { insertEvent, type TestEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { until } from '../support/jobs.ts'
import { isTemporary, persist } from '../support/line.ts'
import { buy } from '../support/lineLoss.ts'
import { LONG } from '../support/long.ts'
import { lossyProxy } from '../support/lossyProxy.ts'
import { testPostgres } from '../support/postgres.ts'
import { testRedis } from '../support/redis.ts'
import { fan, type TestFan } from '../support/room.ts'
import { synchronousStandby } from '../support/standby.ts'

/** The 40 s take part in npm run test:long alone. With the shorter outage, a gap counts as one sooner. In seconds. */
const [AWAY, GAP] = LONG ? [40, 5] : [4, 2]
/** What Ana's hold, and Dot's admission, have left when the database goes away. In seconds. */
const LEFT = AWAY - 1
const HOUR = 3_600

const redis = await testRedis()
const primary = await testPostgres()
/** The virtual address of the database, for the standby too. */
const address = await lossyProxy(primary.url)
const standby = await synchronousStandby(primary, address.url)
const startApp = await testApps({ databaseUrl: address.url, redisUrl: redis.url })
const apps = [await startApp(), await startApp()] as const
const { db } = apps[0]
for (const app of apps) {
  const pulse = createPulse({ ...app, gapSeconds: GAP })
  pulse.start()
  cleanUp(() => pulse.close())
}

/** Both processes lose the primary at once, with all of its sessions. */
async function lose() {
  primary.hang()
  await primary.kill()
}

function crowd(event: TestEvent, wanted: number, ben: TestFan) {
  let isOver = false
  let isAbandoned = false
  const sold: number[] = []
  /** The answers that Ben got, in order. */
  const answers: string[] = []

  async function buyOneByOne(app: App, firstSeat: number) {
    const who = fan()
    for (let seatNo = firstSeat; !isOver; seatNo++) {
      while (!isAbandoned) {
        const state = await buy(app, event, who, seatNo).catch((error) => {
          if (!isTemporary(error)) throw error
        })
        if (state === 'CONFIRMED') break
        await sleep(100)
      }
      sold.push(seatNo)
      await sleep(20)
    }
  }
  async function tryToTake() {
    for (let i = 0; !isOver; i++) {
      const { holds } = apps[i % 2] as App
      const input = { eventId: event.id, seats: [event.seatId(wanted)], idempotencyKey: `${i}` }
      const answer = await holds.hold(ben, input).then(
        ({ constructor: { name } }) => name,
        (error) => (isTemporary(error) ? 'away' : String(error)),
      )
      answers.push(answer)
      await sleep(10)
    }
  }
  const all = Promise.all([
    ...[101, 201, 301].map((no, i) => buyOneByOne(apps[i % 2] as App, no)),
    tryToTake(),
  ])
  all.catch(() => {})
  return {
    sold,
    answers,
    /** Waits until each fan has the order that they are buying. */
    async end() {
      isOver = true
      await all
    },
    async abandon() {
      isOver = isAbandoned = true
      await Promise.allSettled([all])
    },
  }
}

/**
 * Takes the database away in the middle of a sale, until `restore`. Three fans buy seat after seat, and Ben tries again and again
 * to hold a seat of Ana, whose hold ends meanwhile.
 */
async function expectSaleSurvives(restore: () => Promise<unknown>): Promise<void> {
  const [first, second] = apps
  const event = await insertEvent(db, { sections: [{ seats: 400 }], ticketLimit: 400, holdsPerMinute: 400 })
  const [ana, ben, dot] = [fan(), fan(), testAccount()]
  const input = { eventId: event.id, seats: [1, 2].map(event.seatId), idempotencyKey: 'ana' }
  const anas = (await first.holds.hold(ana, input)) as HoldView
  const { sold, answers, end, abandon } = crowd(event, 2, ben)
  try {
    await until(() => sold.length >= 3 && answers.includes('SeatsTaken'), 'sales and a refusal')
    await db.pool.query(
      `insert into admissions (event_id, account_id, arrival, place, device, admitted_at, expires_at)
       values ($1, $2, 1, 1, '\\x00', now() - interval '1 minute', now() + make_interval(secs => $3))`,
      [event.id, dot.id, LEFT],
    )
    await runOut(db, anas, -LEFT)
    const before = await endsOf(event, anas, dot.id)
    await lose()
    const [soldBefore, answersBefore] = [sold.length, answers.length]
    await sleep(AWAY * 1_000)
    expect(sold).toHaveLength(soldBefore)
    await restore()

    await until(async () => {
      const now = await endsOf(event, anas, dot.id).catch(() => before)
      return now.every((endsAt, i) => endsAt - (before[i] as number) >= AWAY * 1_000)
    }, 'hold and admission to get the time of the outage')
    await runOut(db, anas, -HOUR)
    await until(() => answers.slice(answersBefore).includes('SeatsTaken'), 'another refusal')
    await until(() => sold.length > soldBefore + 3, 'further sales')
  } catch (error) {
    await abandon()
    throw error
  }
  await end()
  expect(new Set(answers)).toEqual(new Set(['SeatsTaken', 'away']))
  let order = ''
  await until(async () => {
    order = await pay(second, ana, anas)
    return order !== 'PAYING' && order !== 'CheckoutBusy'
  }, 'an answer of the payment provider')
  expect(order).toBe('CONFIRMED')
  const { rows } = await db.pool.query(
    `select t.seat_no as "no" from tickets t join seats s on s.event_id = t.event_id and s.no = t.seat_no
     where t.event_id = $1 and t.voided_at is null and s.order_id = t.order_id order by 1`,
    [event.id],
  )
  expect(rows.map(({ no }) => no)).toEqual([1, 2, ...sold].sort((a, b) => a - b))
  await expectInvariants(db, event.id)
}

async function pay({ checkout }: App, { account }: TestFan, { id }: HoldView): Promise<string> {
  const input = { holdId: id, paymentMethod: 'pm_card_visa', idempotencyKey: 'pay' }
  const order = await persist(() => checkout.checkout(account, input))
  return 'state' in order ? order.state : order.constructor.name
}

/** The ends of a hold and of an admission, in milliseconds. */
async function endsOf({ id }: TestEvent, hold: HoldView, account: string): Promise<number[]> {
  const { rows } = await db.pool.query<{ end: Date }>(
    `select expires_at as end from holds where event_id = $1 and id = $2
     union all
     select expires_at from admissions where event_id = $1 and account_id = $3`,
    [id, hold.id, account],
  )
  return rows.map(({ end }) => end.getTime())
}

// In this order: the second one ends the primary for good.
describe('a sale survives', { shuffle: false }, () => {
  test(`the database stops for ${AWAY} s in the middle of a sale: no sold seat is lost, no held seat goes to another fan, and the sale goes on by itself`, () =>
    expectSaleSurvives(async () => address.moveTo(await primary.restartElsewhere())))

  test('the primary is killed and a synchronous standby is promoted: no sold seat is lost, no held seat goes to another fan, and the sale goes on by itself', () =>
    expectSaleSurvives(async () => {
      await standby.promote()
      address.moveTo(standby.url)
    }))
})
