import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import type { Caller } from '../../../src/sale/caller.ts'
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
import { deviceDigest } from '../../../src/sale/tokens/digests.ts'
import type { AdmissionClaims } from '../../../src/sale/tokens/tokens.ts'
import { createDatabase } from '../../../src/sql/database/database.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { ask, isHold, sideBySide, testAdmissions } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { pidOf, untilBlockedBy } from '../../support/locks.ts'
import { LONG } from '../../support/long.ts'
import { lossyProxy } from '../../support/lossyProxy.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase({ connections: 40 })
const { admissions, tokens } = await testAdmissions(database)
/** Two processes on one database. */
const processes = [testCheckout(database, { admissions }), testCheckout(database.another())] as const
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

/** The two processes alternate. */
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
  test('takes seats by id or by the plan’s key, and locks in the price of that moment', async () => {
    const event = await newEvent({ currency: 'JPY', price: 5_000n, fee: 450n, holdSeconds: 300 })
    const account = testAccount()
    const result = await holds.hold(
      { account, deviceId: null, admissionToken: null },
      {
        eventId: event.id,
        seats: ['A-1-3', event.seatId(1)],
        idempotencyKey: 'k',
      },
    )
    const hold = expectHold(result)
    expect(hold).toMatchObject({
      eventId: event.id,
      amount: { amount: 10_900n, currency: 'JPY' },
      items: [1, 3].map((seatNo) => ({ seatNo, levelNo: 1, price: 5_000n, fee: 450n })),
      orderId: null,
    })
    expect(await heldBy(event, hold.id)).toEqual([1, 3])
    // At least as long as promised, and up to a tenth longer, so that a burst of holds does not expire as a burst.
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

  test('cannot be read or released by another account', async () => {
    const event = await newEvent()
    const hold = expectHold(await ask(holds, testAccount(), event, [1]))
    const stranger = testAccount()
    expect(await holds.find(stranger, hold.id)).toBeNull()
    expect(await holds.release(stranger, hold.id)).toBeInstanceOf(HoldNotFound)
    expect(await heldBy(event, hold.id)).toEqual([1])
  })

  /** Calls hold_seats and then reads `look` in one transaction, before its commit. */
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

  test('writes nothing where it is refused for seats seen taken, not even a transaction id', async () => {
    const event = await newEvent()
    await ask(holds, testAccount(), event, [2])
    const look = 'select pg_current_xact_id_if_assigned() as id'
    expect(await inTransaction(event, [1, 2], look)).toEqual({ outcome: 'taken', id: null })
  })
})

describe('one seat', () => {
  test('goes to one of 200 simultaneous buyers, and the other 199 get SeatsTaken', async () => {
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

  test('is not refused while another session locks it and leaves it free', async () => {
    const event = await newEvent()
    const client = await database.pool.connect()
    const pid = await pidOf(client)
    await client.query('begin')
    await client.query('select from seats where event_id = $1 and no = 2 for no key update', [event.id])
    const holding = ask(holds, testAccount(), event, [1, 2, 3])
    await untilBlockedBy(database, pid)
    await client.query('rollback')
    client.release()
    expectHold(await holding)
  })

  test('is OVERLOADED while another session keeps it locked, and nothing is held', async () => {
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
  test(`go to exactly one fan of each of ${PAIRS} pairs that request the same four free seats`, async () => {
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

  test('cause no deadlock and no partial hold where overlapping sets come in opposite orders, and every refusal is true', async () => {
    const event = await newEvent({ sections: [{ seats: 40 }] })
    const random = seededRandom()
    const calls: Promise<{ seats: number[]; result: object }>[] = []
    for (let i = 0; i < 120; i++) {
      const from = 1 + Math.floor(random() * 34)
      const seats = Array.from({ length: 2 + Math.floor(random() * 5) }, (_, n) => from + n)
      const order = i % 2 === 0 ? seats : seats.toReversed()
      calls.push(ask(holdsOf(i), testAccount(), event, order).then((result) => ({ seats, result })))
    }
    const answers = await Promise.all(calls)
    const held = new Set(
      answers.flatMap(({ result }) => (isHold(result) ? result.items.map((i) => i.seatNo) : [])),
    )
    for (const { seats, result } of answers) {
      if (isHold(result)) {
        expect(await heldBy(event, result.id)).toEqual(seats)
        continue
      }
      expect(result).toBeInstanceOf(SeatsTaken)
      // No hold was released, so every seat that was seen taken is still taken.
      const { unavailable } = result as SeatsTaken
      expect(unavailable.length).toBeGreaterThan(0)
      for (const id of unavailable) {
        const no = Number(id.split('_')[2])
        expect(seats).toContain(no)
        expect(held).toContain(no)
      }
    }
  })

  test('are named in a refusal only where another fan held them meanwhile: 40 buyers of one row, while holds come and go', async () => {
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
  test('gives six simultaneous calls the same hold, in 100 rounds', async () => {
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

  test('is refused with another input, later and at the same moment', async () => {
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

  test('recognizes the same input in any order of the seats, by id or by key', async () => {
    const event = await newEvent()
    const account = testAccount()
    const hold = expectHold(await ask(holds, account, event, [1, 2], 'the key'))
    expect(await ask(holds, account, event, [2, 1], 'the key')).toMatchObject({ id: hold.id })
    const byKey = { eventId: event.id, seats: ['A-1-1', 'A-1-2'], idempotencyKey: 'the key' }
    expect(await holds.hold({ account, deviceId: null, admissionToken: null }, byKey)).toMatchObject({
      id: hold.id,
    })
  })

  test('belongs to one account and one event', async () => {
    const [event, second] = [await newEvent(), await newEvent()]
    const account = testAccount()
    const ids = [
      expectHold(await ask(holds, account, event, [1], 'the key')).id,
      expectHold(await ask(holds, testAccount(), event, [2], 'the key')).id,
      expectHold(await ask(holds, account, second, [1], 'the key')).id,
    ]
    expect(new Set(ids).size).toBe(3)
  })

  test('returns the same hold to the retry after a reply was lost, although its seats are now taken', async () => {
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

  test('returns the ended hold to a retry after its end, and holds nothing again', async () => {
    const event = await newEvent()
    const account = testAccount()
    const hold = expectHold(await ask(holds, account, event, [1], 'the key'))
    await holds.release(account, hold.id)
    expect(await ask(holds, account, event, [1], 'the key')).toMatchObject({ id: hold.id, state: 'RELEASED' })
  })

  test('can be used again after a refusal', async () => {
    const event = await newEvent()
    const [first, second] = [testAccount(), testAccount()]
    const hold = expectHold(await ask(holds, first, event, [1]))
    expect(await ask(holds, second, event, [1], 'the key')).toBeInstanceOf(SeatsTaken)
    await holds.release(first, hold.id)
    expectHold(await ask(holds, second, event, [1], 'the key'))
  })
})

/** Repeats a call while another call of the account runs, as a client does. */
async function untilDone<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'REQUEST_IN_PROGRESS') throw error
    }
  }
}

describe('the limits of an account', () => {
  test.each([
    { size: 1, calls: 20, fits: 8 },
    { size: 3, calls: 20, fits: 2 },
  ])(
    'let exactly $fits of $calls simultaneous holds of $size seats fit under a limit of 8',
    async (given) => {
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
    },
  )

  test('refuse more seats than the limit for good, whether the seats are free or held', async () => {
    const event = await newEvent({ ticketLimit: 2 })
    const account = testAccount()
    await ask(holds, account, event, [9])
    expect(await ask(holds, testAccount(), event, [8, 9, 10])).toMatchObject({ limit: 2, used: 0 })
    const refusal = await ask(holds, account, event, [1, 2, 3])
    expect(refusal).toBeInstanceOf(TicketLimitReached)
    expect(refusal).toMatchObject({ limit: 2, used: 1, retryAfterSeconds: null })
  })

  test('name a retry time by the holds that count, and not by expired holds', async () => {
    const event = await newEvent({ ticketLimit: 4 })
    const account = testAccount()
    await runOut(database, expectHold(await ask(holds, account, event, [1, 2])))
    await runOut(database, expectHold(await ask(holds, account, event, [3])), -60)
    await runOut(database, expectHold(await ask(holds, account, event, [4, 5])), -300)
    const oneShort = (await ask(holds, account, event, [6, 7])) as TicketLimitReached
    expect(oneShort).toMatchObject({ limit: 4, used: 3 })
    expect(Math.round((oneShort.retryAfterSeconds as number) / 60)).toBe(1)
    const twoShort = (await ask(holds, account, event, [6, 7, 8])) as TicketLimitReached
    expect(twoShort).toMatchObject({ limit: 4, used: 3 })
    expect(Math.round((twoShort.retryAfterSeconds as number) / 60)).toBe(5)
  })

  test('count tickets, and an order that is PAYING even past its hold’s end, but no released or expired holds', async () => {
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
        async confirm(request) {
          atProvider()
          await answered
          return provider.confirm(request)
        },
      }),
    })
    const paying = slow.pay(account, paid)
    await reached
    await runOut(database, paid)
    expect(await holds.sweep(event.id)).toBe(1)
    expect(await heldBy(event, paid.id)).toEqual([4, 5])
    expect(await holds.release(account, paid.id)).toBeInstanceOf(HoldInCheckout)
    // The hold of [2, 3] is over. The PAYING order may still be declined, so the refusal names a retry time.
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

  test('include holds a minute', async () => {
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

  test('count a hold that ended unpaid for a minute, or longer the longer it lived', async () => {
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
    // Each held its seat for ten minutes and ended ten minutes ago. Two of them count for 2 · 2 · 10 minutes after their end.
    const longer = await ask(holds, account, event, [3])
    expect(longer).toBeInstanceOf(TooManyHolds)
    expect(Math.round(((longer as TooManyHolds).retryAfterSeconds as number) / 60)).toBe(30)
    expectHold(await ask(holds, testAccount(), event, [3]))
  })

  test('do not count a hold that was paid for', async () => {
    const event = await newEvent({ unpaidHolds: 1 })
    const account = testAccount()
    for (const no of [1, 2, 3]) await sale.pay(account, expectHold(await ask(holds, account, event, [no])))
    expectHold(await ask(holds, account, event, [4]))
  })
})

describe('the end of a hold', () => {
  test('follows the database’s clock, and frees the seats for the next fan before any sweeper runs', async () => {
    const event = await newEvent()
    const [first, second] = [testAccount(), testAccount()]
    const made = expectHold(await ask(holds, first, event, [1, 2]))
    const refusal = await ask(holds, second, event, [2, 3])
    expect(refusal).toMatchObject({ unavailable: [event.seatId(2)] })
    const seconds = (made.expiresAt.getTime() - made.asOf.getTime()) / 1_000
    expect((refusal as SeatsTaken).retryAfterSeconds).toBeLessThanOrEqual(Math.ceil(seconds))
    await runOut(database, made, -1)
    const hold = (await holds.find(first, made.id)) as HoldView
    let next: object
    do {
      await sleep(20)
      next = await ask(holds, second, event, [2, 3])
    } while (!isHold(next))
    expect(next.asOf.getTime()).toBeGreaterThanOrEqual(hold.expiresAt.getTime())
    expect(await holds.find(first, hold.id)).toMatchObject({ state: 'EXPIRED' })
    expect(await holds.active(first)).toEqual([])
  })

  test('leaves alone the seats that another hold took, where the first fan releases later', async () => {
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

  test('lets the sweeper free the seats that no other hold took, publish each once, and end no live hold', async () => {
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

  test('comes once where three releases race, and each of them returns the released hold, in 200 rounds', async () => {
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

  test('changes the owner of each seat once where a release, the sweeper and the next hold race, in 200 rounds', async () => {
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

  test('is spread, so that no second frees more than 3 percent of 5,000 holds made at one moment', async () => {
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

  test('reaches a subscriber on time', async () => {
    const event = await newEvent({ holdSeconds: 1 })
    let seen: string[]
    do {
      const account = testAccount()
      const hold = expectHold(await ask(holds, account, event, [1]))
      seen = []
      for await (const { state } of holds.updates(account, hold.id)) {
        seen.push(state)
        if (state === 'EXPIRED') break
      }
      // Where the machine stood still for the second that the hold lasts, the subscriber saw its end alone.
    } while (seen.length === 1 && seen[0] === 'EXPIRED')
    expect(seen).toEqual(['ACTIVE', 'EXPIRED'])
  })

  test('completes the subscription where the hold is released, and no other account can subscribe', async () => {
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
  test('holds nothing while it is not open, paused or over, and still returns a hold made before', async () => {
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
    await database.sql(
      "update sales set paused = false, ends_at = now() - interval '1 second' where event_id = $1",
      [event.id],
    )
    expect(await ask(holds, account, event, [2])).toMatchObject({
      saleState: 'ENDED',
      retryAfterSeconds: null,
    })
    expect(await ask(holds, account, event, [2])).toBeInstanceOf(SaleOver)
  })

  test('refuses named seats where it has no seat picking', async () => {
    const event = await newEvent({ seatPicking: false })
    await expect(ask(holds, testAccount(), event, [1])).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  })

  test('names no retry time for seats that are sold or not for sale', async () => {
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

describe('a hold in a sale with a waiting room', () => {
  const device = new Uint8Array(deviceDigest('the phone'))

  async function admitted(change: string) {
    const event = await newEvent({ waitingRoom: true })
    const account = testAccount()
    await database.sql(
      `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
       values ($1, $2, 5, 3, $3, now() + interval '5 minutes')`,
      [event.id, account.id, device],
    )
    await database.sql(`update admissions set ${change} where event_id = $1`, [event.id])
    const expiresAt = new Date(Date.now() + 300_000)
    const claims = { eventId: event.id, accountId: account.id, arrival: 5, place: 3, device, expiresAt }
    const caller = { account, deviceId: 'the phone', admissionToken: tokens.signAdmissionToken(claims) }
    const input = { eventId: event.id, seats: [event.seatId(1)], idempotencyKey: 'the key' }
    return {
      event,
      hold: (from: Partial<Caller> = {}) => holds.hold({ ...caller, ...from, account }, input),
      tokenOf: (change: Partial<AdmissionClaims>) => tokens.signAdmissionToken({ ...claims, ...change }),
    }
  }

  test('needs an admission, and extends it to the hold’s own end', async () => {
    const { event, hold } = await admitted('place = 3')
    const without = { admissionToken: null }
    expect(await hold(without)).toMatchObject({ message: expect.stringContaining('waiting room') })
    const made = expectHold(await hold())
    const [row] = await database.sql('select expires_at from admissions where event_id = $1', [event.id])
    expect(row).toEqual({ expires_at: made.expiresAt })
    expect(await hold(without)).toMatchObject({ id: made.id })
  })

  test('leaves an admission as it is that lasts longer than the hold', async () => {
    const { event, hold } = await admitted("expires_at = '2100-01-01Z'")
    expectHold(await hold())
    const [row] = await database.sql('select expires_at from admissions where event_id = $1', [event.id])
    expect(row).toEqual({ expires_at: new Date('2100-01-01Z') })
  })

  test.each([
    { name: 'has ended', change: 'ended_at = now()' },
    { name: 'has run out', change: "expires_at = now() - interval '1 second'" },
    { name: 'has moved to another device', change: "device = '\\x0000000000000000'" },
    { name: 'is of another place', change: 'place = 4' },
    { name: 'is of an earlier arrival', change: 'arrival = 6' },
  ])('is refused where the admission $name', async ({ change }) => {
    const { hold } = await admitted(change)
    expect((await hold()).constructor.name).toBe('AdmissionRequired')
  })

  test.each([
    { name: 'another account', change: { accountId: 'another' } },
    { name: 'another event', change: { eventId: 'evt_another' } },
    { name: 'another device', change: { device: new Uint8Array(8) } },
    { name: 'an admission that ran out', change: { expiresAt: new Date(Date.now() - 2_000) } },
  ])('is refused with a token of $name', async ({ change }) => {
    const { hold, tokenOf } = await admitted('place = 3')
    expect((await hold({ admissionToken: tokenOf(change) })).constructor.name).toBe('AdmissionRequired')
    expectHold(await hold())
  })
})

describe('invalid input is named by its field', () => {
  async function faultsOf(seats: string[], idempotencyKey = 'k', eventId?: string) {
    const event = await newEvent()
    const input = { eventId: eventId ?? event.id, seats, idempotencyKey }
    const caller = { account: testAccount(), deviceId: null, admissionToken: null }
    const fault = await holds.hold(caller, input).then(
      () => undefined,
      (error) => error,
    )
    expect(fault).toMatchObject({ code: 'BAD_USER_INPUT' })
    return (fault as Fault).extensions.faults
  }
  const seat = (i: number) => ['input', 'selection', 'seats', i]

  test('a seat that is named twice, by id or by key', async () => {
    expect(await faultsOf(['A-1-1', 'A-1-2', 'A-1-1'])).toMatchObject([{ path: seat(2) }])
    const event = await newEvent()
    const both = [event.seatId(1), 'A-1-1']
    expect(await faultsOf(both, 'k', event.id)).toMatchObject([{ path: seat(1) }])
  })

  test('seats that do not exist, or belong to another event', async () => {
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

  test('units of general admission, which have no names', async () => {
    const event = await newEvent({ sections: [{ places: 10 }] })
    await expect(ask(holds, testAccount(), event, [1])).rejects.toMatchObject({ code: 'BAD_USER_INPUT' })
  })
})
