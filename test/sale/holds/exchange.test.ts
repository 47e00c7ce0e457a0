import { afterEach, expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import type { HoldSelection } from '../../../src/sale/holds/holdInput.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import {
  HoldInCheckout,
  HoldNotFound,
  NotEnoughAvailable,
  SeatsTaken,
  TicketLimitReached,
} from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase({ connections: 20 })
const sale = testCheckout(database)
const { holds } = sale

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

async function held(event: TestEvent, account: Account, seatNos: number[]): Promise<HoldView> {
  const result = await ask(holds, account, event, seatNos)
  if (!isHold(result)) throw new Error(`not held: ${result.constructor.name}`)
  return result
}

function exchange(
  account: Account,
  holdId: string,
  selection: HoldSelection,
  idempotencyKey = `key-${Math.random()}`,
) {
  return holds.exchange(
    { account, deviceId: null, admissionToken: null },
    { holdId, idempotencyKey, ...selection },
  )
}

async function heldBy(event: TestEvent, holdId: string): Promise<number[]> {
  const rows = await database.sql<{ no: number }>(
    'select no from seats where event_id = $1 and hold_id = $2 order by no',
    [event.id, holdId],
  )
  return rows.map(({ no }) => no)
}

const seatsOf = (hold: HoldView) => hold.items.map(({ seatNo }) => seatNo)

test('an exchange keeps a seat of both selections, frees the other one, and gives no more time', async () => {
  const event = await newEvent()
  const account = testAccount()
  const old = await held(event, account, [1, 2])
  const result = await exchange(account, old.id, { seats: [event.seatId(2), event.seatId(3)] })
  expect(result).toMatchObject({ state: 'ACTIVE', expiresAt: old.expiresAt })
  const { id } = result as HoldView
  expect(await heldBy(event, id)).toEqual([2, 3])
  expect(await holds.find(account, old.id)).toMatchObject({ state: 'RELEASED' })
  expect(await ask(holds, testAccount(), event, [1])).toMatchObject({ state: 'ACTIVE' })
  expect(await holds.find(account, id)).toMatchObject({ expiresAt: old.expiresAt })
})

test('a refused exchange leaves the old hold with its seats and its time', async () => {
  const event = await newEvent({ ticketLimit: 4 })
  const account = testAccount()
  const old = await held(event, account, [1, 2])
  await held(event, testAccount(), [5])
  expect(await exchange(account, old.id, { seats: [event.seatId(4), event.seatId(5)] })).toBeInstanceOf(
    SeatsTaken,
  )
  const five = Array.from({ length: 5 }, (_, i) => event.seatId(i + 6))
  expect(await exchange(account, old.id, { seats: five })).toBeInstanceOf(TicketLimitReached)
  expect(await exchange(testAccount(), old.id, { seats: [event.seatId(6)] })).toBeInstanceOf(HoldNotFound)
  expect(await holds.find(account, old.id)).toMatchObject({ state: 'ACTIVE', expiresAt: old.expiresAt })
  expect(await heldBy(event, old.id)).toEqual([1, 2])
})

test('a fan exchanges all tickets that the limit allows, for the best seats or for fewer', async () => {
  const event = await newEvent({ ticketLimit: 2 })
  const account = testAccount()
  const old = await held(event, account, [7, 8])
  const best = (await exchange(account, old.id, { bestAvailable: { quantity: 2 } })) as HoldView
  expect(seatsOf(best)).toHaveLength(2)
  const one = (await exchange(account, best.id, { seats: [event.seatId(9)] })) as HoldView
  expect(seatsOf(one)).toEqual([9])
  expect(await exchange(account, one.id, { bestAvailable: { quantity: 2, together: true } })).toMatchObject({
    state: 'ACTIVE',
  })
  expect(await holds.active(account, event.id)).toHaveLength(1)
})

test('an exchange for more than is free says what is free, and the old hold stays', async () => {
  const event = await newEvent({ sections: [{ seats: 4 }], ticketLimit: 4 })
  const account = testAccount()
  const old = await held(event, account, [1])
  await held(event, testAccount(), [3])
  expect(await exchange(account, old.id, { bestAvailable: { quantity: 3 } })).toBeInstanceOf(
    NotEnoughAvailable,
  )
  expect(await heldBy(event, old.id)).toEqual([1])
})

test('an exchange counts the seats that it frees, also after other fans were refused the same wish: 40 halls', async () => {
  const random = seededRandom()
  const ROWS = 3
  const SEATS = 8
  for (let n = 0; n < 40; n++) {
    const event = await newEvent({ sections: Array(ROWS).fill({ seats: SEATS }), ticketLimit: 10 })
    const account = testAccount()
    const mine = 1 + Math.floor(random() * (ROWS * SEATS - 1))
    const old = await held(event, account, mine % SEATS === 0 ? [mine] : [mine, mine + 1])
    const others = event.seatNos.filter((no) => !seatsOf(old).includes(no) && random() < 0.6)
    if (others.length > 0)
      await database.sql('update seats set status = 3 where event_id = $1 and no = any ($2)', [
        event.id,
        others,
      ])
    const isFree = (no: number) => !others.includes(no)
    let run = 0
    let longest = 0
    for (const no of event.seatNos) {
      run = (no % SEATS === 1 ? 0 : run) + 1
      if (!isFree(no)) run = 0
      longest = Math.max(longest, run)
    }
    const free = event.seatNos.filter(isFree).length
    const together = random() < 0.6
    const available = together ? longest : free
    const quantity = Math.min(10, Math.max(1, available + Math.floor(random() * 3) - 1))
    const selection = { bestAvailable: { quantity, together } }
    // A stranger is refused, where the seats of the hold would be needed.
    for (let i = 0; i < 2; i++) {
      const stranger = testAccount()
      const result = await holds.hold(
        { account: stranger, deviceId: null, admissionToken: null },
        { eventId: event.id, idempotencyKey: `key-${i}`, ...selection },
      )
      if (isHold(result)) await holds.release(stranger, result.id)
      else expect(result).toBeInstanceOf(NotEnoughAvailable)
    }
    const result = await exchange(account, old.id, selection)
    if (quantity <= available) expect(seatsOf(result as HoldView)).toHaveLength(quantity)
    else {
      expect(result).toMatchObject({ constructor: NotEnoughAvailable, available })
      expect(await heldBy(event, old.id)).toEqual(seatsOf(old))
    }
  }
})

test('the same key and input return the new hold; an exchange of a hold that is over is refused', async () => {
  const event = await newEvent()
  const account = testAccount()
  const old = await held(event, account, [1])
  const selection = { seats: [event.seatId(2)] }
  const twice = await Promise.all([0, 1].map(() => exchange(account, old.id, selection, 'once')))
  expect(new Set(twice.map((hold) => (hold as HoldView).id)).size).toBe(1)
  const [first] = twice as [HoldView]
  expect(await exchange(account, old.id, selection, 'once')).toMatchObject({ id: first.id })
  expect(await exchange(account, old.id, selection, 'another')).toBeInstanceOf(HoldNotFound)
  await expect(exchange(account, old.id, { seats: [event.seatId(3)] }, 'once')).rejects.toMatchObject({
    code: 'IDEMPOTENCY_KEY_REUSED',
  })
  await runOut(database, first)
  expect(await exchange(account, first.id, { seats: [event.seatId(4)] })).toBeInstanceOf(HoldNotFound)
  expect(await exchange(account, 'no id', { seats: [event.seatId(4)] })).toBeInstanceOf(HoldNotFound)
})

test('a hold whose order is paying is not exchanged', async () => {
  const event = await newEvent()
  const account = testAccount()
  const old = await held(event, account, [1])
  await database.sql(
    `select claim_order($1, $2, $3, 'ord_exchange', 'k', 'hash', null, 'sandbox', 'pm_card_visa')`,
    [event.id, old.id, account.id],
  )
  expect(await exchange(account, old.id, { seats: [event.seatId(2)] })).toBeInstanceOf(HoldInCheckout)
  expect(await heldBy(event, old.id)).toEqual([1])
})

test('fans who exchange at the same moment never share a seat, and each one keeps a hold', async () => {
  const event = await newEvent({ sections: [{ seats: 20 }], ticketLimit: 2 })
  const fans = Array.from({ length: 6 }, (_, i) => ({ account: testAccount(), seat: 2 * i + 1 }))
  const first = await Promise.all(fans.map(({ account, seat }) => held(event, account, [seat])))
  const results = await sideBySide(60, 12, async (i) => {
    const fan = i % fans.length
    const { account } = fans[fan] as (typeof fans)[number]
    const [own] = await holds.active(account, event.id)
    const to = 1 + ((i * 7) % 20)
    return exchange(account, (own ?? (first[fan] as HoldView)).id, { seats: [event.seatId(to)] }).catch(
      (error: { code?: string }) => {
        if (error.code !== 'REQUEST_IN_PROGRESS' && error.code !== 'OVERLOADED') throw error
      },
    )
  })
  expect(results.filter((result) => result && isHold(result)).length).toBeGreaterThan(0)
  for (const { account } of fans) expect(await holds.active(account, event.id)).toHaveLength(1)
})

test('exchanges of one account wait for each other without a connection each', async () => {
  const event = await newEvent()
  const account = testAccount()
  const old = await held(event, account, [1])
  const client = await database.pool.connect()
  const waiting = async () => {
    // A transaction keeps what it has read of the activity once.
    await client.query('select pg_stat_clear_snapshot()')
    return (
      await client.query(
        "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )
    ).rowCount
  }
  await client.query('begin')
  await client.query('select from holds where event_id = $1 and id = $2 for update', [event.id, old.id])
  const results = Promise.all(
    Array.from({ length: 8 }, (_, i) => exchange(account, old.id, { seats: [event.seatId(2)] }, `key-${i}`)),
  )
  await expect.poll(waiting, { timeout: 30_000 }).toBeGreaterThan(0)
  await Promise.all(Array.from({ length: 8 }, () => database.sql('select 1')))
  expect(await waiting()).toBe(1)
  await client.query('commit')
  client.release()
  const held8 = (await results).filter(isHold)
  expect(held8).toHaveLength(1)
})
