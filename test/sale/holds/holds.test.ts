import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { Fault } from '../../../src/sale/faults.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { newId } from '../../../src/sale/ids.ts'
import {
  HoldInCheckout,
  HoldNotFound,
  SaleNotOpen,
  SaleOver,
  SalePaused,
  SeatsTaken,
  TicketLimitReached,
  TooManyHolds,
} from '../../../src/sale/refusals.ts'
import { createDatabase } from '../../../src/sql/database.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { LONG } from '../../support/long.ts'
import { lossyProxy } from '../../support/lossyProxy.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase({ connections: 40 })
/** Two processes on one database. */
const processes = [testCheckout(database), testCheckout(database.another())] as const
const [sale, other] = processes
const { holds } = sale
const PAIRS = LONG ? 5_000 : 500

const events: TestEvent[] = []
async function newEvent(options?: TestEventOptions): Promise<TestEvent> {
  const event = await insertEvent(database, options)
  events.push(event)
  return event
}

afterEach(async () => {
  await workOutbox(database, sale)
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

/** In turn on one process and the other. */
const holdsOf = (i: number) => processes[i % 2 === 0 ? 0 : 1].holds

async function heldNow(event: TestEvent): Promise<number[]> {
  const rows = await database.sql<{ no: number }>(
    'select no from seats where event_id = $1 and status = 1 order by no',
    [event.id],
  )
  return rows.map(({ no }) => no)
}

async function heldBy(event: TestEvent, holdId: string): Promise<number[]> {
  const rows = await database.sql<{ no: number }>(
    'select no from seats where event_id = $1 and hold_id = $2 order by no',
    [event.id, holdId],
  )
  return rows.map(({ no }) => no)
}

function expectHold(result: object): HoldView {
  expect(result).toMatchObject({ state: 'ACTIVE' })
  return result as HoldView
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  return values
    .map((value) => ({ value, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value)
}

describe('a hold', () => {
  test('takes every seat at the price of this moment, by id or by the plan’s key', async () => {
    const event = await newEvent({ currency: 'JPY', price: 5_000n, fee: 450n, holdSeconds: 300 })
    const account = testAccount()
    const result = await holds.hold({ account, deviceId: null, admissionToken: null }, null, {
      eventId: event.id,
      seats: ['A-1-3', event.seatId(1)],
      idempotencyKey: 'k',
    })
    const hold = expectHold(result)
    expect(hold).toMatchObject({
      eventId: event.id,
      amount: { amount: 10_900n, currency: 'JPY' },
      items: [1, 3].map((seatNo) => ({ seatNo, levelNo: 1, price: 5_000n, fee: 450n })),
      orderId: null,
    })
    expect(await heldBy(event, hold.id)).toEqual([1, 3])
    // At least as long as was promised, and up to a tenth longer, so that a burst does not end as one.
    const seconds = (hold.expiresAt.getTime() - hold.asOf.getTime()) / 1_000
    expect(seconds).toBeGreaterThanOrEqual(299.9)
    expect(seconds).toBeLessThanOrEqual(330.1)

    await database.sql('update price_levels set price = 9000 where event_id = $1', [event.id])
    expect(await holds.find(account, hold.id)).toMatchObject({ amount: { amount: 10_900n } })
    expect(await ask(holds, testAccount(), event, [7])).toMatchObject({ amount: { amount: 9_450n } })
    expect(await holds.active(account)).toMatchObject([{ id: hold.id }])
    expect(await holds.active(account, event.id)).toMatchObject([{ id: hold.id }])
    expect(await holds.active(account, 'evt_other')).toEqual([])
  })

  test('is its account’s alone', async () => {
    const event = await newEvent()
    const hold = expectHold(await ask(holds, testAccount(), event, [1]))
    const stranger = testAccount()
    expect(await holds.find(stranger, hold.id)).toBeNull()
    expect(await holds.release(stranger, hold.id)).toBeInstanceOf(HoldNotFound)
    expect(await heldBy(event, hold.id)).toEqual([1])
  })

  /** Runs `look` in the transaction of a raw call, before its commit. */
  async function inTransaction(event: TestEvent, seatNos: number[], look: string) {
    const client = await database.pool.connect()
    try {
      await client.query('begin')
      const { rows } = await client.query(
        "select outcome from hold_seats($1, $2, 'k', 'input', $3, null, null, null, false, $4, '{}')",
        [event.id, testAccount().id, newId('hld', event.id), seatNos],
      )
      const [seen] = (await client.query(look)).rows
      await client.query('commit')
      return { ...rows[0], ...seen }
    } finally {
      client.release()
    }
  }

  test('commits without waiting for the disk', async () => {
    const event = await newEvent()
    const look = "select current_setting('synchronous_commit') as waits"
    expect(await inTransaction(event, [1, 2], look)).toEqual({ outcome: 'held', waits: 'off' })
    const [later] = await database.sql(look)
    expect(later).toEqual({ waits: 'on' })
  })

  test('refused for seats seen taken writes nothing, not even a transaction id', async () => {
    const event = await newEvent()
    await ask(holds, testAccount(), event, [2])
    const look = 'select pg_current_xact_id_if_assigned() as id'
    expect(await inTransaction(event, [1, 2], look)).toEqual({ outcome: 'taken', id: null })
  })
})

describe('one seat', () => {
  test('200 buyers: one hold, 199 SeatsTaken, nothing else', async () => {
    const event = await newEvent()
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, i) => ask(holdsOf(i), testAccount(), event, [7])),
    )
    const [hold, ...more] = results.filter(isHold)
    expect(more).toEqual([])
    expect(await heldBy(event, (hold as HoldView).id)).toEqual([7])
    const refusals = results.filter((result) => result instanceof SeatsTaken)
    expect(refusals).toHaveLength(199)
    for (const refusal of refusals) {
      expect(refusal.unavailable).toEqual([event.seatId(7)])
      expect(refusal.retryAfterSeconds).toBeGreaterThan(590)
    }
  })

  test('a seat that somebody has locked and leaves free is not refused', async () => {
    const event = await newEvent()
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query('select from seats where event_id = $1 and no = 2 for no key update', [event.id])
    const asked = ask(holds, testAccount(), event, [1, 2, 3])
    await sleep(300)
    await client.query('rollback')
    client.release()
    expectHold(await asked)
  })

  test('a seat that stays locked is overload, and nothing is held', async () => {
    const event = await newEvent()
    const client = await database.pool.connect()
    await client.query('begin')
    await client.query('select from seats where event_id = $1 and no = 2 for no key update', [event.id])
    await expect(ask(holds, testAccount(), event, [1, 2])).rejects.toMatchObject({ code: 'OVERLOADED' })
    await client.query('rollback')
    client.release()
    expect(await database.sql('select from holds where event_id = $1', [event.id])).toEqual([])
  })
})

describe('the same seats', () => {
  test(`${PAIRS} pairs ask for the same four free seats: one of each pair wins, every time`, async () => {
    const event = await newEvent({ sections: [{ seats: 4 * PAIRS }] })
    const random = seededRandom()
    const winners = await sideBySide(PAIRS, 8, async (round) => {
      const seats = [1, 2, 3, 4].map((n) => 4 * round + n)
      const results = await Promise.all(
        processes.map((process) => ask(process.holds, testAccount(), event, shuffled(seats, random))),
      )
      for (const result of results) expect(isHold(result) || result instanceof SeatsTaken).toBe(true)
      return results.filter(isHold).length
    })
    expect(winners.filter((count) => count !== 1)).toEqual([])
    expect(await heldNow(event)).toHaveLength(4 * PAIRS)
  }, 600_000)

  test('overlapping sets in opposite orders: no deadlock, no hold in part, and every refusal is true', async () => {
    const event = await newEvent({ sections: [{ seats: 40 }] })
    const random = seededRandom()
    const asked: Promise<{ seats: number[]; result: object }>[] = []
    for (let i = 0; i < 120; i++) {
      const from = 1 + Math.floor(random() * 34)
      const seats = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, n) => from + n)
      const order = i % 2 === 0 ? seats : seats.toReversed()
      asked.push(ask(holdsOf(i), testAccount(), event, order).then((result) => ({ seats, result })))
    }
    const answers = await Promise.all(asked)
    const held = new Set(
      answers.flatMap(({ result }) => (isHold(result) ? result.items.map((i) => i.seatNo) : [])),
    )
    for (const { seats, result } of answers) {
      if (isHold(result)) {
        expect(await heldBy(event, result.id)).toEqual(seats)
        continue
      }
      expect(result).toBeInstanceOf(SeatsTaken)
      // Nothing was released, so what was seen taken is taken now.
      const { unavailable } = result as SeatsTaken
      expect(unavailable.length).toBeGreaterThan(0)
      for (const id of unavailable) {
        const no = Number(id.split('_')[2])
        expect(seats).toContain(no)
        expect(held).toContain(no)
      }
    }
  })

  test('40 buyers of one row while holds come and go: a refusal names only seats that somebody held meanwhile', async () => {
    const event = await newEvent({ sections: [{ seats: 20 }] })
    const random = seededRandom()
    const held: { seats: number[]; from: number; to: number }[] = []
    const refused: { seats: number[]; from: number; to: number }[] = []
    await sideBySide(40, 40, async (i) => {
      const account = testAccount()
      for (let n = 0; n < 12; n++) {
        const first = 1 + Math.floor(random() * 17)
        const seats = [first, first + 1, first + 2, first + 3]
        const from = performance.now()
        const result = await ask(holdsOf(i), account, event, shuffled(seats, random))
        if (isHold(result)) {
          await sleep(random() * 5)
          expect(await holdsOf(i + 1).release(account, result.id)).toMatchObject({ state: 'RELEASED' })
          held.push({ seats, from, to: performance.now() })
        } else {
          expect(result).toBeInstanceOf(SeatsTaken)
          const named = (result as SeatsTaken).unavailable.map((id) => Number(id.split('_')[2]))
          expect(named.length).toBeGreaterThan(0)
          refused.push({ seats: named, from, to: performance.now() })
        }
      }
    })
    expect(refused.length).toBeGreaterThan(0)
    for (const { seats, from, to } of refused) {
      for (const no of seats) {
        expect(held.some((hold) => hold.seats.includes(no) && hold.from < to && hold.to > from)).toBe(true)
      }
    }
  })
})

describe('an idempotency key', () => {
  test('six calls with one key at once, 100 rounds: all get the same hold', async () => {
    const event = await newEvent({ sections: [{ seats: 400 }] })
    await sideBySide(100, 4, async (round) => {
      const account = testAccount()
      const seats = [1, 2, 3, 4].map((n) => 4 * round + n)
      const results = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          untilDone(() => ask(holdsOf(i), account, event, seats, 'the key')),
        ),
      )
      const ids = new Set(results.map((result) => expectHold(result).id))
      expect(ids.size).toBe(1)
    })
    expect(await database.sql('select from holds where event_id = $1', [event.id])).toHaveLength(100)
  })

  test('with another input it is refused, then and at the same moment', async () => {
    const event = await newEvent()
    const account = testAccount()
    const outcomes = await Promise.allSettled([
      untilDone(() => ask(holds, account, event, [1, 2], 'the key')),
      untilDone(() => ask(other.holds, account, event, [3, 4], 'the key')),
    ])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    const [rejected] = outcomes.filter((outcome) => outcome.status === 'rejected')
    expect(rejected?.reason).toMatchObject({ code: 'IDEMPOTENCY_KEY_REUSED' })
    await expect(ask(holds, account, event, [5], 'the key')).rejects.toMatchObject({
      code: 'IDEMPOTENCY_KEY_REUSED',
    })
  })

  test('names the same input whatever the order of the seats, and by id or key', async () => {
    const event = await newEvent()
    const account = testAccount()
    const hold = expectHold(await ask(holds, account, event, [1, 2], 'the key'))
    expect(await ask(holds, account, event, [2, 1], 'the key')).toMatchObject({ id: hold.id })
    const byKey = { eventId: event.id, seats: ['A-1-1', 'A-1-2'], idempotencyKey: 'the key' }
    expect(await holds.hold({ account, deviceId: null, admissionToken: null }, null, byKey)).toMatchObject({
      id: hold.id,
    })
  })

  test('is the account’s own, and the event’s', async () => {
    const [event, second] = [await newEvent(), await newEvent()]
    const account = testAccount()
    const ids = [
      expectHold(await ask(holds, account, event, [1], 'the key')).id,
      expectHold(await ask(holds, testAccount(), event, [2], 'the key')).id,
      expectHold(await ask(holds, account, second, [1], 'the key')).id,
    ]
    expect(new Set(ids).size).toBe(3)
  })

  test('a reply lost after the commit, then the retry: the same hold, also when its seats are seen taken', async () => {
    const event = await newEvent({ ticketLimit: 2 })
    const account = testAccount()
    const proxy = await lossyProxy(database.url)
    const cutOff = createDatabase(proxy.url, { connections: 1 })
    const process = testCheckout(cutOff)
    await process.catalogue.event(event.id)
    proxy.loseReplies()
    await expect(ask(process.holds, account, event, [1, 2], 'the key')).rejects.toThrow()
    await cutOff.close()
    expect(await heldNow(event)).toEqual([1, 2])
    const hold = expectHold(await ask(holds, account, event, [1, 2], 'the key'))
    expect(await database.sql('select id from holds where event_id = $1', [event.id])).toEqual([
      { id: hold.id },
    ])
  })

  test('a retry after the hold’s end is told so, and holds nothing anew', async () => {
    const event = await newEvent()
    const account = testAccount()
    const hold = expectHold(await ask(holds, account, event, [1], 'the key'))
    await holds.release(account, hold.id)
    expect(await ask(holds, account, event, [1], 'the key')).toMatchObject({ id: hold.id, state: 'RELEASED' })
  })

  test('a refusal is not remembered', async () => {
    const event = await newEvent()
    const [first, second] = [testAccount(), testAccount()]
    const hold = expectHold(await ask(holds, first, event, [1]))
    expect(await ask(holds, second, event, [1], 'the key')).toBeInstanceOf(SeatsTaken)
    await holds.release(first, hold.id)
    expectHold(await ask(holds, second, event, [1], 'the key'))
  })
})

/** As a client does: asks again while another call of the account is running. */
async function untilDone<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'REQUEST_IN_PROGRESS') throw error
    }
  }
}

describe('limits', () => {
  test.each([
    { size: 1, calls: 20, fits: 8 },
    { size: 3, calls: 20, fits: 2 },
  ])('one account, $calls calls at once for $size seats each: exactly $fits fit under 8', async (given) => {
    const event = await newEvent({ sections: [{ seats: 100 }], ticketLimit: 8 })
    const account = testAccount()
    const results = await Promise.all(
      Array.from({ length: given.calls }, (_, i) => {
        const seats = Array.from({ length: given.size }, (_, n) => given.size * i + n + 1)
        return untilDone(() => ask(holdsOf(i), account, event, seats))
      }),
    )
    expect(results.filter(isHold)).toHaveLength(given.fits)
    const refused = results.filter((result) => result instanceof TicketLimitReached)
    expect(refused).toHaveLength(given.calls - given.fits)
    for (const { limit, used, retryAfterSeconds } of refused) {
      expect({ limit, used }).toEqual({ limit: 8, used: given.fits * given.size })
      expect(retryAfterSeconds).toBeGreaterThan(590)
    }
  })

  test('more seats than the limit can never be had, whoever holds them', async () => {
    const event = await newEvent({ ticketLimit: 2 })
    const account = testAccount()
    await ask(holds, account, event, [9])
    expect(await ask(holds, testAccount(), event, [8, 9, 10])).toMatchObject({ limit: 2, used: 0 })
    const refusal = await ask(holds, account, event, [1, 2, 3])
    expect(refusal).toBeInstanceOf(TicketLimitReached)
    expect(refusal).toMatchObject({ limit: 2, used: 1, retryAfterSeconds: null })
  })

  test('what comes back is told by the holds that count, and not by those that ran out', async () => {
    const event = await newEvent({ ticketLimit: 4 })
    const account = testAccount()
    await runOut(database, expectHold(await ask(holds, account, event, [1, 2])))
    await runOut(database, expectHold(await ask(holds, account, event, [3])), -60)
    await runOut(database, expectHold(await ask(holds, account, event, [4, 5])), -300)
    const soon = (await ask(holds, account, event, [6, 7])) as TicketLimitReached
    expect(soon).toMatchObject({ limit: 4, used: 3 })
    expect(Math.round((soon.retryAfterSeconds as number) / 60)).toBe(1)
    const later = (await ask(holds, account, event, [6, 7, 8])) as TicketLimitReached
    expect(later).toMatchObject({ limit: 4, used: 3 })
    expect(Math.round((later.retryAfterSeconds as number) / 60)).toBe(5)
  })

  test('tickets count, released and expired holds do not, an order that is paying does past its hold’s end', async () => {
    const event = await newEvent({ ticketLimit: 3 })
    const account = testAccount()
    const bought = expectHold(await ask(holds, account, event, [1]))
    await sale.pay(account, bought)
    await holds.release(account, expectHold(await ask(holds, account, event, [2, 3])).id)
    await runOut(database, expectHold(await ask(holds, account, event, [2, 3])))

    const paid = expectHold(await ask(holds, account, event, [4, 5]))
    let atProvider = () => {}
    const reached = new Promise<void>((resolve) => {
      atProvider = resolve
    })
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    const slow = testCheckout(database, {
      wrap: (provider) => ({
        ...provider,
        async authorize(request) {
          atProvider()
          await answered
          return provider.authorize(request)
        },
      }),
    })
    const paying = slow.pay(account, paid)
    await reached
    await runOut(database, paid)
    expect(await holds.sweep(event.id)).toBe(1)
    expect(await heldBy(event, paid.id)).toEqual([4, 5])
    expect(await holds.release(account, paid.id)).toBeInstanceOf(HoldInCheckout)
    // The hold of [2, 3] ran out and is over; the order is not, and may be declined: not never.
    const refusal = await ask(holds, account, event, [6])
    expect(refusal).toMatchObject({ limit: 3, used: 3 })
    expect((refusal as TicketLimitReached).retryAfterSeconds).toBeGreaterThan(25)
    expect((refusal as TicketLimitReached).retryAfterSeconds).toBeLessThanOrEqual(30)
    answer()
    expect(await paying).toMatchObject({ state: 'CONFIRMED' })
    expect(await ask(holds, account, event, [6])).toMatchObject({
      limit: 3,
      used: 3,
      retryAfterSeconds: null,
    })
    expect(await holds.find(account, paid.id)).toMatchObject({ state: 'SOLD' })
    expect(await holds.release(account, paid.id)).toMatchObject({ state: 'SOLD' })
  })

  test('holds a minute', async () => {
    const event = await newEvent({ holdsPerMinute: 3 })
    const account = testAccount()
    for (const no of [1, 2, 3]) expectHold(await ask(holds, account, event, [no]))
    const refusal = await ask(holds, account, event, [4])
    expect(refusal).toBeInstanceOf(TooManyHolds)
    expect((refusal as TooManyHolds).retryAfterSeconds).toBeGreaterThan(50)
    expect((refusal as TooManyHolds).retryAfterSeconds).toBeLessThanOrEqual(60)
    await database.sql("update holds set created_at = created_at - interval '1 minute' where event_id = $1", [
      event.id,
    ])
    expectHold(await ask(holds, account, event, [4]))
  })

  test('holds that ended unpaid weigh for a minute, or for the longer the longer they lived', async () => {
    const event = await newEvent({ unpaidHolds: 2, ticketLimit: 8 })
    const account = testAccount()
    await holds.release(account, expectHold(await ask(holds, account, event, [1])).id)
    await runOut(database, expectHold(await ask(holds, account, event, [2])))
    const refusal = await ask(holds, account, event, [3])
    expect(refusal).toBeInstanceOf(TooManyHolds)
    expect((refusal as TooManyHolds).retryAfterSeconds).toBeLessThanOrEqual(60)

    await database.sql(
      `update holds set created_at = created_at - interval '20 minutes', expires_at = expires_at - interval '10 minutes',
         ended_at = ended_at - interval '10 minutes' where event_id = $1`,
      [event.id],
    )
    await database.sql(
      `update seats s set held_until = h.expires_at from holds h where s.event_id = $1 and h.id = s.hold_id`,
      [event.id],
    )
    // Each sat on its seat for ten minutes, and ended ten minutes ago: 2 · 2 · 10 minutes after their end.
    const longer = await ask(holds, account, event, [3])
    expect(longer).toBeInstanceOf(TooManyHolds)
    expect(Math.round(((longer as TooManyHolds).retryAfterSeconds as number) / 60)).toBe(30)
    expectHold(await ask(holds, testAccount(), event, [3]))
  })

  test('a hold that was paid for weighs nothing', async () => {
    const event = await newEvent({ unpaidHolds: 1 })
    const account = testAccount()
    for (const no of [1, 2, 3]) await sale.pay(account, expectHold(await ask(holds, account, event, [no])))
    expectHold(await ask(holds, account, event, [4]))
  })
})

describe('the end of a hold', () => {
  test('is the database’s clock’s: the seats are free to the next with no sweeper', async () => {
    const event = await newEvent({ holdSeconds: 1 })
    const [first, second] = [testAccount(), testAccount()]
    const hold = expectHold(await ask(holds, first, event, [1, 2]))
    const refusal = await ask(holds, second, event, [2, 3])
    expect(refusal).toMatchObject({ unavailable: [event.seatId(2)] })
    expect((refusal as SeatsTaken).retryAfterSeconds).toBeLessThanOrEqual(2)
    let next: object
    do {
      await sleep(20)
      next = await ask(holds, second, event, [2, 3])
    } while (!isHold(next))
    expect(next.asOf.getTime()).toBeGreaterThanOrEqual(hold.expiresAt.getTime())
    expect(await holds.find(first, hold.id)).toMatchObject({ state: 'EXPIRED' })
    expect(await holds.active(first)).toEqual([])
  })

  test('taken by another, then released by the first: the other’s seats are left alone', async () => {
    const event = await newEvent()
    const [first, second] = [testAccount(), testAccount()]
    const hold = expectHold(await ask(holds, first, event, [1, 2]))
    await runOut(database, hold)
    const next = expectHold(await ask(holds, second, event, [2, 3]))
    sale.mapChanges.length = 0
    expect(await holds.release(first, hold.id)).toMatchObject({ id: hold.id, state: 'EXPIRED' })
    expect(await heldBy(event, next.id)).toEqual([2, 3])
    expect(await heldBy(event, hold.id)).toEqual([])
    expect(sale.mapChanges).toMatchObject([{ seatNo: 1, status: 0 }])
    expect(await holds.sweep(event.id)).toBe(0)
  })

  test('the sweeper frees what nobody took, says so once, and takes nothing from anybody', async () => {
    const event = await newEvent({ sections: [{ seats: 600 }] })
    const made: HoldView[] = []
    for (let i = 0; i < 250; i++) {
      made.push(expectHold(await ask(holds, testAccount(), event, [2 * i + 1, 2 * i + 2])))
    }
    for (const hold of made.slice(0, 230)) await runOut(database, hold)
    const taker = expectHold(await ask(holds, testAccount(), event, [2, 3]))
    sale.mapChanges.length = 0
    sale.published.length = 0
    expect(await holds.sweep(event.id)).toBe(230)
    expect(await holds.sweep(event.id)).toBe(0)
    expect(new Set(sale.mapChanges.map(({ seatNo }) => seatNo)).size).toBe(458)
    expect(sale.mapChanges).toHaveLength(458)
    expect(sale.published).toHaveLength(230)
    expect(await heldBy(event, taker.id)).toEqual([2, 3])
    expect(await heldNow(event)).toHaveLength(42)
  })

  test('release racing release, 200 rounds: released once, and each is told so', async () => {
    const event = await newEvent({ sections: [{ seats: 400 }] })
    for (const process of processes) process.mapChanges.length = 0
    await sideBySide(200, 4, async (round) => {
      const account = testAccount()
      const hold = expectHold(await ask(holdsOf(round), account, event, [2 * round + 1, 2 * round + 2]))
      const results = await Promise.all([0, 1, 2].map((i) => holdsOf(i).release(account, hold.id)))
      for (const result of results) expect(result).toMatchObject({ id: hold.id, state: 'RELEASED' })
    })
    const freed = processes.flatMap(({ mapChanges }) => mapChanges).filter(({ status }) => status === 0)
    expect(freed).toHaveLength(400)
    expect(await database.sql('select from seats where event_id = $1 and revision <> 2', [event.id])).toEqual(
      [],
    )
  })

  test('release, the sweeper and the next taker race for a hold that runs out: each seat changes hands once', async () => {
    const event = await newEvent({ sections: [{ seats: 800 }], ticketLimit: 800 })
    const random = seededRandom()
    await sideBySide(200, 4, async (round) => {
      const account = testAccount()
      const seats = [1, 2, 3, 4].map((n) => 4 * round + n)
      const hold = expectHold(await ask(holds, account, event, seats))
      await runOut(database, hold, 0)
      const moves = shuffled(
        [
          () => holdsOf(round).release(account, hold.id),
          () => holdsOf(round + 1).sweep(event.id),
          () => ask(holdsOf(round), testAccount(), event, seats.slice(0, 2)),
        ],
        random,
      )
      const results = await Promise.all(moves.map((move) => move()))
      const next = results.find(
        (result) => typeof result === 'object' && isHold(result) && result.id !== hold.id,
      )
      expect(await heldBy(event, expectHold(next as object).id)).toEqual(seats.slice(0, 2))
      expect(await heldBy(event, hold.id)).toEqual([])
      expect(await holds.find(account, hold.id)).toMatchObject({ state: 'EXPIRED' })
    })
  })

  test('5,000 holds made at one moment: no second frees more than 3 percent of them', async () => {
    const event = await newEvent({ sections: [{ seats: 5_000 }] })
    const seconds: number[] = []
    for (let first = 1; first < 5_000; first += 500) {
      const rows = await database.sql<{ second: number }>(
        `select floor(extract(epoch from h.expires_at - h.as_of))::int as second
         from generate_series($2::int, $2 + 499) n
         cross join lateral write_hold($1, 'fan-' || n, 'k', 'input', 'hld_' || n, array[n], 600, false) h`,
        [event.id, first],
      )
      seconds.push(...rows.map(({ second }) => second))
    }
    expect(seconds).toHaveLength(5_000)
    const freed = [...Map.groupBy(seconds, (second) => second).values()].map(({ length }) => length)
    expect(Math.max(...freed)).toBeLessThanOrEqual(150)
  })

  test('a subscription tells of it on time, and ends with the release', async () => {
    const event = await newEvent({ holdSeconds: 1 })
    const account = testAccount()
    const hold = expectHold(await ask(holds, account, event, [1]))
    const seen: string[] = []
    for await (const { state } of holds.updates(account, hold.id)) {
      seen.push(state)
      if (state === 'EXPIRED') break
    }
    expect(seen).toEqual(['ACTIVE', 'EXPIRED'])
  })

  test('a subscription ends with the release, and is nobody else’s', async () => {
    const event = await newEvent()
    const account = testAccount()

    const second = expectHold(await ask(holds, account, event, [2]))
    const states: string[] = []
    for await (const { state } of holds.updates(account, second.id)) {
      states.push(state)
      if (state === 'ACTIVE') await holds.release(account, second.id)
    }
    expect(states).toEqual(['ACTIVE', 'RELEASED'])
    await expect(
      holds.updates(testAccount(), second.id)[Symbol.asyncIterator]().next(),
    ).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
    })
  })
})

describe('the sale', () => {
  test('not open yet, paused, ended: nothing is held, and a hold made before is still told', async () => {
    const account = testAccount()
    const closed = await newEvent({ opensInSeconds: 120 })
    const refusal = await ask(holds, account, closed, [1])
    expect(refusal).toBeInstanceOf(SaleNotOpen)
    expect((refusal as SaleNotOpen).retryAfterSeconds).toBeGreaterThan(100)

    const event = await newEvent()
    const hold = expectHold(await ask(holds, account, event, [1], 'the key'))
    await database.sql('update sales set paused = true where event_id = $1', [event.id])
    expect(await ask(holds, account, event, [2])).toBeInstanceOf(SalePaused)
    expect(await ask(holds, account, event, [1], 'the key')).toMatchObject({ id: hold.id })
    await database.sql('update sales set paused = false, ends_at = now() where event_id = $1', [event.id])
    expect(await ask(holds, account, event, [2])).toMatchObject({
      saleState: 'ENDED',
      retryAfterSeconds: null,
    })
    expect(await ask(holds, account, event, [2])).toBeInstanceOf(SaleOver)
  })

  test('without seat picking takes no named seats', async () => {
    const event = await newEvent({ seatPicking: false })
    await expect(ask(holds, testAccount(), event, [1])).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  })

  test('a seat that is sold or not for sale never comes back', async () => {
    const event = await newEvent()
    const account = testAccount()
    await sale.pay(account, expectHold(await ask(holds, account, event, [1])))
    await database.sql('update seats set status = 3, revision = 1 where event_id = $1 and no = 2', [event.id])
    await ask(holds, account, event, [3])
    const refusal = await ask(holds, testAccount(), event, [1, 2, 3, 4])
    expect(refusal).toMatchObject({ retryAfterSeconds: null })
    expect((refusal as SeatsTaken).unavailable).toEqual([1, 2, 3].map(event.seatId))
  })
})

describe('with a waiting room', () => {
  const device = Buffer.from('device-8')
  const shown = { arrival: 5, place: 3, device }

  async function admitted(change: string) {
    const event = await newEvent({ waitingRoom: true })
    const account = testAccount()
    await database.sql(
      `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
       values ($1, $2, 5, 3, $3, now() + interval '5 minutes')`,
      [event.id, account.id, device],
    )
    await database.sql(`update admissions set ${change} where event_id = $1`, [event.id])
    const caller = { account, deviceId: null, admissionToken: null }
    const input = { eventId: event.id, seats: [event.seatId(1)], idempotencyKey: 'the key' }
    return { event, hold: (token: typeof shown | null) => holds.hold(caller, token, input) }
  }

  test('an admission is needed, and stretched to the hold’s own end', async () => {
    const { event, hold } = await admitted('place = 3')
    expect(await hold(null)).toMatchObject({ message: expect.stringContaining('waiting room') })
    const made = expectHold(await hold(shown))
    const [row] = await database.sql('select expires_at from admissions where event_id = $1', [event.id])
    expect(row).toEqual({ expires_at: made.expiresAt })
    expect(await hold(null)).toMatchObject({ id: made.id })
  })

  test('one that lasts longer than the hold is left as it is', async () => {
    const { event, hold } = await admitted("expires_at = '2100-01-01Z'")
    expectHold(await hold(shown))
    const [row] = await database.sql('select expires_at from admissions where event_id = $1', [event.id])
    expect(row).toEqual({ expires_at: new Date('2100-01-01Z') })
  })

  test.each([
    { name: 'has ended', change: 'ended_at = now()' },
    { name: 'has run out', change: 'expires_at = now()' },
    { name: 'has moved to another device', change: "device = '\\x0000000000000000'" },
    { name: 'is of another place', change: 'place = 4' },
    { name: 'is of an earlier arrival', change: 'arrival = 6' },
  ])('one that $name holds nothing', async ({ change }) => {
    const { hold } = await admitted(change)
    expect((await hold(shown)).constructor.name).toBe('AdmissionRequired')
  })
})

describe('a caller’s mistake is named where it was made', () => {
  async function faultsOf(seats: string[], idempotencyKey = 'k', eventId?: string) {
    const event = await newEvent()
    const input = { eventId: eventId ?? event.id, seats, idempotencyKey }
    const caller = { account: testAccount(), deviceId: null, admissionToken: null }
    const fault = await holds.hold(caller, null, input).then(
      () => undefined,
      (error) => error,
    )
    expect(fault).toMatchObject({ code: 'BAD_USER_INPUT' })
    return (fault as Fault).extensions.faults
  }
  const seat = (i: number) => ['input', 'selection', 'seats', i]

  test('a seat named twice, under whatever name', async () => {
    expect(await faultsOf(['A-1-1', 'A-1-2', 'A-1-1'])).toMatchObject([{ path: seat(2) }])
    const event = await newEvent()
    const both = [event.seatId(1), 'A-1-1']
    expect(await faultsOf(both, 'k', event.id)).toMatchObject([{ path: seat(1) }])
  })

  test('seats that are not there, or another event’s', async () => {
    const event = await newEvent()
    expect(await faultsOf(['A-1-1', 'nowhere', event.seatId(1), ''])).toMatchObject([
      { path: seat(1) },
      { path: seat(2) },
      { path: seat(3) },
    ])
  })

  test('no seats, too many, no event, no key', async () => {
    expect(await faultsOf([])).toMatchObject([{ path: ['input', 'selection', 'seats'] }])
    expect(await faultsOf(Array.from({ length: 1_001 }, () => 'A-1-1'))).toHaveLength(1)
    expect(await faultsOf(['A-1-1'], 'k', 'evt_nowhere')).toMatchObject([{ path: ['input', 'eventId'] }])
    expect(await faultsOf(['A-1-1'], '')).toMatchObject([{ path: ['input', 'idempotencyKey'] }])
    expect(await faultsOf(['A-1-1'], 'k'.repeat(10_000))).toMatchObject([
      { path: ['input', 'idempotencyKey'] },
    ])
  })

  test('places of general admission have no names', async () => {
    const event = await newEvent({ sections: [{ places: 10 }] })
    await expect(ask(holds, testAccount(), event, [1])).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  })
})
