import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { NotEnoughAvailable, SaleOver, SeatsTaken } from '../../../src/sale/refusals.ts'
import { cancelOrder } from '../../../src/sql/orders/orderTransitions.ts'
import { type TestCheckout, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { ask, askFor, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'
import { testRedis } from '../../support/redis.ts'
import { testRoom } from '../../support/room.ts'
import { createReturns, earliest, freeThroughout, latest, recordSeats } from '../../support/seatHistory.ts'

const database = await testDatabase({ connections: 40 })
const processes = [testCheckout(database), testCheckout(database.another())] as const
const holdsOf = (i: number) => (processes[i % 2] as (typeof processes)[0]).holds

beforeAll(() => recordSeats(database))

interface Refused {
  what: readonly number[]
  from: number
  to: number
}

describe('40 buyers request random blocks in one row', () => {
  test('fewer than 0.5 percent of the refusals name a seat that stayed free through the request', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 20 }] })
    const random = seededRandom()
    const refused: Refused[] = []
    const returns = createReturns()
    await sideBySide(40, 40, async (i) => {
      const account = testAccount()
      for (let n = 0; n < 30; n++) {
        const size = 1 + Math.floor(random() * 4)
        const first = 1 + Math.floor(random() * (21 - size))
        const from = earliest()
        const seats = Array.from({ length: size }, (_, k) => first + k)
        const result = await ask(holdsOf(i), account, event, seats)
        if (isHold(result)) {
          await sleep(random() * 5)
          await holdsOf(i + 1).release(account, result.id)
          returns.gaveBack(result.items.map(({ seatNo }) => seatNo))
        } else {
          const named = (result as SeatsTaken).unavailable.map((id) => Number(id.split('_')[2]))
          expect(result).toBeInstanceOf(SeatsTaken)
          expect(named.length).toBeGreaterThan(0)
          refused.push({ what: named, from, to: latest() })
        }
      }
    })
    const isFree = await freeThroughout(database, event, returns.seenAt)
    const untrue = refused.filter(({ what, from, to }) => what.some((no) => isFree(no, from, to)))
    console.log(`${refused.length} refusals, ${untrue.length} of seats that stayed free`)
    expect(refused.length).toBeGreaterThan(100)
    expect(untrue.length).toBeLessThan(0.005 * refused.length)
    await expectInvariants(database, event.id)
  })

  test('fewer than 0.5 percent of the refusals as “not enough” come while a block stays free through the request', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 20 }] })
    const random = seededRandom()
    const refused: Refused[] = []
    const returns = createReturns()
    await sideBySide(40, 40, async (i) => {
      const account = testAccount()
      for (let n = 0; n < 20; n++) {
        const quantity = 1 + Math.floor(random() * 4)
        const from = earliest()
        const result = await askFor(holdsOf(i), account, event, { bestAvailable: { quantity } })
        if (isHold(result)) {
          await sleep(random() * 5)
          await holdsOf(i + 1).release(account, result.id)
          returns.gaveBack(result.items.map(({ seatNo }) => seatNo))
        } else {
          expect(result).toBeInstanceOf(NotEnoughAvailable)
          refused.push({ what: [quantity], from, to: latest() })
        }
      }
    })
    const isFree = await freeThroughout(database, event, returns.seenAt)
    const untrue = refused.filter(({ what: [quantity = 0], from, to }) =>
      event.seatNos.some(
        (first) =>
          first + quantity <= 21 &&
          Array.from({ length: quantity }, (_, k) => first + k).every((no) => isFree(no, from, to)),
      ),
    )
    console.log(`${refused.length} refusals, ${untrue.length} while a block stayed free`)
    expect(refused.length).toBeGreaterThan(50)
    expect(untrue.length).toBeLessThan(0.005 * refused.length)
    await expectInvariants(database, event.id)
  })
})

test('a process whose copy of the sale is a second old refuses no fan as “sold out” while a seat stays unsold through the request', async () => {
  const redis = await testRedis()
  const rooms = await Promise.all(
    [database, database.another()].map((db) => testRoom({ db, redisUrl: redis.url })),
  )
  const checkouts = rooms.map(({ db, sales, seatMap }) =>
    testCheckout(db, { findSale: sales.find, seatMap }),
  ) as [TestCheckout, TestCheckout]
  try {
    const event = await insertEvent(database, { sections: [{ seats: 4 }] })
    const random = seededRandom()
    const refusals: { refusal: object; from: number; to: number }[] = []
    /** The times in which seat 4 was certainly not sold. */
    const unsold: { from: number; to: number }[] = []
    let isOver = false

    /** Requests that can never succeed: seat 1 is blocked, and no two of the others are free at the same time. */
    async function requestInVain(i: number) {
      const { holds } = checkouts[i % 2] as TestCheckout
      while (!isOver) {
        const from = earliest()
        const refusal = await (random() < 0.5
          ? ask(holds, testAccount(), event, [1])
          : askFor(holds, testAccount(), event, { bestAvailable: { quantity: 2 } }))
        refusals.push({ refusal, from, to: latest() })
        await sleep(20 * random())
      }
    }

    /** True once both kinds of refusals are enough to judge. */
    const isEnough = () => {
      const soldOut = refusals.filter(({ refusal }) => refusal instanceof SaleOver).length
      return soldOut > 20 && refusals.length - soldOut > 20
    }
    async function sellAndCancel() {
      for (let n = 0; n < 25 || (!isEnough() && n < 200); n++) {
        const { hold, pay } = checkouts[n % 2] as TestCheckout
        const account = testAccount()
        const held = await hold(account, event, [4])
        if (n > 0) (unsold.at(-1) as (typeof unsold)[0]).to = earliest()
        const order = await pay(account, held)
        await sleep(150 * random())
        const { changes } = await cancelOrder(database, event.id, (order as OrderView).id)
        unsold.push({ from: latest(), to: Number.POSITIVE_INFINITY })
        await rooms[n % 2]?.seatMap.publish(event.id, changes)
        await sleep(60 * random())
      }
      isOver = true
    }

    await database.sql('update seats set status = 3, revision = 1 where event_id = $1 and no < 4', [event.id])
    await Promise.all([...Array.from({ length: 6 }, (_, i) => requestInVain(i)), sellAndCancel()])

    const soldOut = refusals.filter(({ refusal }) => refusal instanceof SaleOver)
    const untrue = soldOut.filter(({ from, to }) =>
      unsold.some((unsoldThen) => unsoldThen.from <= from && to <= unsoldThen.to),
    )
    console.log(
      `${soldOut.length} of ${refusals.length} refusals were “sold out”, ${untrue.length} of them untrue`,
    )
    expect(soldOut.length).toBeGreaterThan(20)
    expect(refusals.length - soldOut.length).toBeGreaterThan(20)
    expect(untrue).toEqual([])
    await expectInvariants(database, event.id)
  } finally {
    for (const room of rooms) room.close()
  }
})
