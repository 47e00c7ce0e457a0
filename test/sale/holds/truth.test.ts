import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from 'vitest'
import { AVAILABLE } from '../../../src/sale/map/seatStatus.ts'
import type { OrderView } from '../../../src/sale/orders/orders.ts'
import { NotEnoughAvailable, SaleOver, SeatsTaken } from '../../../src/sale/refusals.ts'
import { cancelOrder } from '../../../src/sql/orders.ts'
import { type TestCheckout, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { ask, askFor, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'
import { testRedis } from '../../support/redis.ts'
import { testRoom } from '../../support/room.ts'

/** The history of every seat, written as each transaction begins to commit. */
const database = await testDatabase({ connections: 40 })
const processes = [testCheckout(database), testCheckout(database.another())] as const
const holdsOf = (i: number) => (processes[i % 2] as (typeof processes)[0]).holds

beforeAll(() =>
  database.sql(`
    create table seat_history (at float8, event_id text, no int, taken boolean);
    create function log_seat() returns trigger language plpgsql as $$
    begin
      insert into seat_history
      values (extract(epoch from clock_timestamp()) * 1000, new.event_id, new.no, new.status <> 0);
      return null;
    end $$;
    create constraint trigger log_seat after update of status on seats
      deferrable initially deferred for each row when (old.status is distinct from new.status) execute function log_seat()`),
)

interface Refused {
  what: readonly number[]
  from: number
  to: number
}

/** Milliseconds on the clock that the database's is too. */
const now = () => performance.timeOrigin + performance.now()

/** True for a seat that nobody had, as far as its history tells, at any time between `from` and `to`. */
async function freeThroughout(event: TestEvent) {
  const rows = await database.sql<{ at: number; no: number; taken: boolean }>(
    'select at, no, taken from seat_history where event_id = $1 order by at',
    [event.id],
  )
  const changes = Map.groupBy(rows, ({ no }) => no)
  return (no: number, from: number, to: number) => {
    let taken = false
    for (const change of changes.get(no) ?? []) {
      if (change.at > to) break
      if (change.at > from && (taken || change.taken)) return false
      taken = change.taken
    }
    return !taken
  }
}

describe('40 buyers of random blocks in one row', () => {
  test('fewer than 0.5 percent of the refusals name a seat that stayed free through the request', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 20 }] })
    const random = seededRandom()
    const refused: Refused[] = []
    await sideBySide(40, 40, async (i) => {
      const account = testAccount()
      for (let n = 0; n < 30; n++) {
        const size = 1 + Math.floor(random() * 4)
        const first = 1 + Math.floor(random() * (21 - size))
        const from = now()
        const seats = Array.from({ length: size }, (_, k) => first + k)
        const result = await ask(holdsOf(i), account, event, seats)
        if (isHold(result)) {
          await sleep(random() * 5)
          await holdsOf(i + 1).release(account, result.id)
        } else {
          const named = (result as SeatsTaken).unavailable.map((id) => Number(id.split('_')[2]))
          expect(result).toBeInstanceOf(SeatsTaken)
          expect(named.length).toBeGreaterThan(0)
          refused.push({ what: named, from, to: now() })
        }
      }
    })
    const isFree = await freeThroughout(event)
    const untrue = refused.filter(({ what, from, to }) => what.some((no) => isFree(no, from, to)))
    console.log(`${refused.length} refusals, ${untrue.length} of seats that stayed free`)
    expect(refused.length).toBeGreaterThan(100)
    expect(untrue.length).toBeLessThan(0.005 * refused.length)
    await expectInvariants(database, event.id)
  })

  test('nobody is told that there is not enough while a block stays free through the request', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 20 }] })
    const random = seededRandom()
    const refused: Refused[] = []
    await sideBySide(40, 40, async (i) => {
      const account = testAccount()
      for (let n = 0; n < 20; n++) {
        const quantity = 1 + Math.floor(random() * 4)
        const from = now()
        const result = await askFor(holdsOf(i), account, event, { bestAvailable: { quantity } })
        if (isHold(result)) {
          await sleep(random() * 5)
          await holdsOf(i + 1).release(account, result.id)
        } else {
          expect(result).toBeInstanceOf(NotEnoughAvailable)
          refused.push({ what: [quantity], from, to: now() })
        }
      }
    })
    const isFree = await freeThroughout(event)
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

test('nobody is told that it is sold out while a seat stays unsold through the request, by sales that are a second old', async () => {
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
    const told: { refusal: object; from: number; to: number }[] = []
    /** When seat 4 was certainly not sold. */
    const unsold: { from: number; to: number }[] = []
    let isOver = false

    /** Asks for what is never to be had: seat 1 is blocked, and no two of the others are free at once. */
    async function askInVain(i: number) {
      const { holds } = checkouts[i % 2] as TestCheckout
      while (!isOver) {
        const from = now()
        const refusal = await (random() < 0.5
          ? ask(holds, testAccount(), event, [1])
          : askFor(holds, testAccount(), event, { bestAvailable: { quantity: 2 } }))
        told.push({ refusal, from, to: now() })
        await sleep(20 * random())
      }
    }

    async function comeAndGo() {
      for (let n = 0; n < 25; n++) {
        const { hold, pay } = checkouts[n % 2] as TestCheckout
        const account = testAccount()
        const held = await hold(account, event, [4])
        if (n > 0) (unsold.at(-1) as (typeof unsold)[0]).to = now()
        const order = await pay(account, held)
        await sleep(150 * random())
        const { seatNos, revisions } = await cancelOrder(database, event.id, (order as OrderView).id)
        unsold.push({ from: now(), to: Number.POSITIVE_INFINITY })
        await rooms[n % 2]?.seatMap.publish(
          event.id,
          (seatNos as number[]).map((seatNo, k) => ({
            seatNo,
            status: AVAILABLE,
            revision: revisions?.[k] as number,
          })),
        )
        await sleep(60 * random())
      }
      isOver = true
    }

    await database.sql('update seats set status = 3, revision = 1 where event_id = $1 and no < 4', [event.id])
    await Promise.all([...Array.from({ length: 6 }, (_, i) => askInVain(i)), comeAndGo()])

    const soldOut = told.filter(({ refusal }) => refusal instanceof SaleOver)
    const untrue = soldOut.filter(({ from, to }) =>
      unsold.some((unsoldThen) => unsoldThen.from <= from && to <= unsoldThen.to),
    )
    console.log(`${soldOut.length} of ${told.length} were told that it is sold out, ${untrue.length} untruly`)
    expect(soldOut.length).toBeGreaterThan(20)
    expect(told.length - soldOut.length).toBeGreaterThan(20)
    expect(untrue).toEqual([])
    await expectInvariants(database, event.id)
  } finally {
    for (const room of rooms) room.close()
  }
})
