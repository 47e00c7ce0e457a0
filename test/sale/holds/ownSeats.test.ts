import { expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { SeatsInOwnHold, SeatsTaken } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase({ connections: 20 })
const sale = testCheckout(database)
const { holds } = sale

function exchange(
  account: Account,
  event: TestEvent,
  holdId: string,
  seatNos: readonly number[],
  idempotencyKey = `key-${Math.random()}`,
) {
  const caller = { account, deviceId: null, admissionToken: null }
  return holds.exchange(caller, { holdId, idempotencyKey, seats: seatNos.map(event.seatId) })
}

const seatsOf = (hold: object) => (hold as HoldView).items.map(({ seatNo }) => seatNo)

test('a fan who names seats of their own hold gets that hold, and is not in conflict with themselves', async () => {
  const event = await insertEvent(database, { ticketLimit: 10 })
  const [ana, bob] = [testAccount(), testAccount()]
  const first = (await ask(holds, ana, event, [1, 2, 3])) as HoldView
  // All of them, and some of them; again at once, as after a refusal that other calls share.
  for (const seats of [[1, 2, 3], [3, 1], [2], [2]])
    expect(await ask(holds, ana, event, seats)).toMatchObject({ id: first.id, items: first.items })
  expect(await ask(holds, bob, event, [1, 2])).toBeInstanceOf(SeatsTaken)

  await runOut(database, first)
  const again = await ask(holds, ana, event, [1, 2])
  expect(again).toMatchObject({ state: 'ACTIVE' })
  expect((again as HoldView).id).not.toBe(first.id)
  await expectInvariants(database, event.id)
})

test('own seats with free ones name the live hold, and one exchange takes them all', async () => {
  const event = await insertEvent(database, { ticketLimit: 4 })
  const fan = testAccount()
  const old = (await ask(holds, fan, event, [1, 2])) as HoldView
  const refusal = await ask(holds, fan, event, [2, 3, 4])
  expect(refusal).toMatchObject({
    constructor: SeatsInOwnHold,
    holdId: old.id,
    seats: [event.seatId(2)],
    retryAfterSeconds: expect.any(Number),
  })
  expect(await holds.active(fan, event.id)).toHaveLength(1)
  const next = await exchange(fan, event, old.id, [2, 3, 4])
  expect(seatsOf(next)).toEqual([2, 3, 4])
  expect(await holds.active(fan, event.id)).toMatchObject([{ id: (next as HoldView).id }])
  expect(isHold(await ask(holds, testAccount(), event, [1]))).toBe(true)
  await expectInvariants(database, event.id)
})

test('own seats with seats that others hold or bought name only those as taken, and the hold stays', async () => {
  const event = await insertEvent(database, { ticketLimit: 10 })
  const [fan, other] = [testAccount(), testAccount()]
  const own = (await ask(holds, fan, event, [1, 2])) as HoldView
  await ask(holds, other, event, [3])
  await sale.pay(other, (await ask(holds, other, event, [4])) as HoldView)
  await sale.pay(fan, (await ask(holds, fan, event, [5])) as HoldView)
  const taken = async (seatNos: number[]) => {
    for (const result of [await ask(holds, fan, event, seatNos), await exchange(fan, event, own.id, seatNos)])
      expect(result).toBeInstanceOf(SeatsTaken)
    return (await ask(holds, fan, event, seatNos)) as SeatsTaken
  }
  expect(await taken([2, 3])).toMatchObject({
    unavailable: [event.seatId(3)],
    retryAfterSeconds: expect.any(Number),
  })
  expect(await taken([2, 4, 6])).toMatchObject({ unavailable: [event.seatId(4)], retryAfterSeconds: null })
  // A ticket is no hold: it cannot be exchanged.
  expect(await taken([1, 5])).toMatchObject({ unavailable: [event.seatId(5)], retryAfterSeconds: null })
  expect(await holds.find(fan, own.id)).toMatchObject({ state: 'ACTIVE', expiresAt: own.expiresAt })
  await expectInvariants(database, event.id)
})

test('own seats of two holds name the hold with most of them, and an exchange of it names the other', async () => {
  const event = await insertEvent(database, { ticketLimit: 10 })
  const fan = testAccount()
  const small = (await ask(holds, fan, event, [1])) as HoldView
  const large = (await ask(holds, fan, event, [2, 3])) as HoldView
  expect(await ask(holds, fan, event, [1, 2, 3])).toMatchObject({
    constructor: SeatsInOwnHold,
    holdId: large.id,
    seats: [2, 3].map(event.seatId),
  })
  expect(await exchange(fan, event, large.id, [1, 2, 3])).toMatchObject({ holdId: small.id })
  expect(await holds.active(fan, event.id)).toHaveLength(2)
  await holds.release(fan, small.id)
  expect(seatsOf(await exchange(fan, event, large.id, [1, 2, 3]))).toEqual([1, 2, 3])
  await expectInvariants(database, event.id)
})

test('of two tabs at the same moment one holds its seats, and the other one is pointed to that hold', async () => {
  await sideBySide(20, 4, async () => {
    const event = await insertEvent(database)
    const fan = testAccount()
    const both = await Promise.all([ask(holds, fan, event, [1, 2]), ask(holds, fan, event, [2, 3])])
    const held = both.find(isHold) as HoldView
    expect(both.filter(isHold)).toHaveLength(1)
    expect(both.find((result) => !isHold(result))).toMatchObject({
      holdId: held.id,
      seats: [event.seatId(2)],
    })

    // Both tabs exchange it now: the second one finds the new hold, or has its answer at once.
    const next = await Promise.all(
      [
        [2, 3, 4],
        [1, 2, 4],
      ].map((nos) => exchange(fan, event, held.id, nos)),
    )
    expect(next.filter(isHold)).toHaveLength(1)
    expect(await holds.active(fan, event.id)).toMatchObject([{ id: next.find(isHold)?.id }])
    await expectInvariants(database, event.id)
  })
})

test('after a lost answer the same call, or the selection under a new key, returns the hold that was made', async () => {
  const event = await insertEvent(database)
  const fan = testAccount()
  const old = (await ask(holds, fan, event, [1, 2], 'first')) as HoldView
  for (let i = 0; i < 2; i++)
    expect(await ask(holds, fan, event, [2, 3], 'second')).toMatchObject({ holdId: old.id })
  const next = (await exchange(fan, event, old.id, [2, 3], 'exchange')) as HoldView
  expect(await exchange(fan, event, old.id, [2, 3], 'exchange')).toMatchObject({ id: next.id })
  expect(await ask(holds, fan, event, [2, 3], 'second')).toMatchObject({ id: next.id })
  expect(await ask(holds, fan, event, [1, 2], 'first')).toMatchObject({ id: old.id, state: 'RELEASED' })
  expect(await holds.active(fan, event.id)).toHaveLength(1)
  await expectInvariants(database, event.id)
})

test('twelve fans who change their seats in one row never read that an own seat is taken', async () => {
  const event = await insertEvent(database, {
    sections: [{ seats: 24 }],
    holdsPerMinute: 1_000,
    unpaidHolds: 1_000,
  })
  const random = seededRandom()
  const seen = { held: 0, own: 0, taken: 0 }
  await sideBySide(12, 12, async () => {
    const fan = testAccount()
    let own: HoldView | undefined
    for (let n = 0; n < 12; n++) {
      const before = own ? seatsOf(own) : []
      // Some fans want a seat beside their own.
      const first = random() < 0.3 ? Math.min(21, before.at(-1) ?? 1) : 1 + Math.floor(random() * 21)
      const seats = [first, first + 1, first + 2].slice(0, 1 + Math.floor(random() * 3))
      const mixed = seats.filter((no) => before.includes(no))
      let result = await ask(holds, fan, event, seats)
      if (result instanceof SeatsInOwnHold) {
        expect(result).toMatchObject({ holdId: own?.id, seats: mixed.map(event.seatId) })
        seen.own++
        const changed = await exchange(fan, event, result.holdId, seats)
        if (isHold(changed)) result = changed
        else expect(changed).toBeInstanceOf(SeatsTaken)
      }
      if (result instanceof SeatsTaken) {
        expect(result.unavailable).not.toEqual([])
        for (const no of before) expect(result.unavailable).not.toContain(event.seatId(no))
        seen.taken++
      } else if (isHold(result)) {
        if (own && own.id !== result.id) await holds.release(fan, own.id)
        own = result
        seen.held++
      }
      expect(await holds.active(fan, event.id)).toMatchObject(own ? [{ id: own.id }] : [])
    }
  })
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0)
  await expectInvariants(database, event.id)
})
