import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { cancelOrder } from '../../../src/sql/orders/orderTransitions.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { ask, askFor, isHold } from '../../support/holds.ts'
import { pidOf, untilBlockedBy } from '../../support/locks.ts'
import { sellOut, waitlistScene } from '../../support/waitlist.ts'

const scene = await waitlistScene()
const { database, sale, waitlist, newEvent, soldOut, stateOf, offerOf, reasonOf, isWaitlistOnly } = scene

describe('ordinary holds that race seats that come back', () => {
  test('never get a seat that fits the waitlist, in 50 rounds', async () => {
    const event = await newEvent({ sections: [{ seats: 40 }], ticketLimit: 2 })
    const orders = await sellOut(sale, event, testAccount, 2)
    const other = testCheckout(database.another())
    for (let round = 0; round < 50; round++) {
      const fan = testAccount()
      const entry = await waitlist.joined(fan, event, { quantity: 2 })
      // The sale is open, as after a single seat came back for which the entry was passed over.
      await database.sql('update sales set waitlist_only = false where event_id = $1', [event.id])
      const [order] = orders.splice(round % orders.length, 1)
      const { id, seatNos } = order as { id: string; seatNos: number[] }
      const [seatNo = 0] = seatNos
      const held = await Promise.all([
        ...[0, 1, 2].map(() => askFor(other.holds, testAccount(), event, { bestAvailable: { quantity: 1 } })),
        cancelOrder(database, event.id, id),
        waitlist.offer(event.id),
        ...[0, 1, 2].map(() => ask(other.holds, testAccount(), event, [seatNo])),
      ])
      expect(held.filter((result) => result && isHold(result))).toEqual([])
      await waitlist.offer(event.id)
      const offer = await offerOf(fan, entry.id)
      expect(offer.items.map((item) => item.seatNo)).toEqual(seatNos)
      const sold = await sale.pay(fan, offer)
      orders.push({ id: (sold as { id: string }).id, seatNos })
    }
  })

  test('never get a seat that another hold gives back, by a release, the sweeper or its expiry, in 24 rounds', async () => {
    const event = await newEvent({ sections: [{ seats: 48 }], ticketLimit: 2 })
    const orders = await sellOut(sale, event, testAccount, 1)
    const other = testCheckout(database.another())
    const cancel = async () => {
      const order = orders.shift() as { id: string; seatNos: number[] }
      await cancelOrder(database, event.id, order.id)
      return order.seatNos[0] as number
    }
    const giveBack = [
      (account: Account, hold: HoldView) => sale.holds.release(account, hold.id),
      async (_: Account, hold: HoldView) => {
        await runOut(database, hold, 0)
        await sale.holds.sweep(event.id)
      },
      (_: Account, hold: HoldView) => runOut(database, hold, 0),
    ]
    for (let round = 0; round < 24; round++) {
      const [ana, fan] = [testAccount(), testAccount()]
      const entry = await waitlist.joined(ana, event, { quantity: 2 })
      // Each seat alone fits no entry, so every fan can hold it.
      const first = await cancel()
      await waitlist.offer(event.id)
      const hold = await sale.hold(fan, event, [first])
      const second = await cancel()
      await waitlist.offer(event.id)
      expect(await isWaitlistOnly(event)).toBe(false)

      const two = { bestAvailable: { quantity: 2, together: false } }
      const held = await Promise.all([
        (giveBack[round % 3] as (typeof giveBack)[0])(fan, hold),
        ...[0, 1, 2, 3].map(async (i) => {
          await sleep(i)
          return [
            await askFor(other.holds, testAccount(), event, two),
            await ask(other.holds, testAccount(), event, [first]),
          ]
        }),
      ])
      expect(held.slice(1).flatMap((results) => (results as object[]).filter(isHold))).toEqual([])
      await waitlist.offer(event.id)
      const offer = await offerOf(ana, entry.id)
      expect(offer.items.map(({ seatNo }) => seatNo)).toEqual([first, second])
      await sale.pay(ana, offer)
    }
  })

  test('get no seat of the waitlist where they passed their gates before the seat came back', async () => {
    const { event, cancel } = await soldOut({}, 1)
    const a = await waitlist.joined(testAccount(), event)
    await database.sql('update sales set waitlist_only = false where event_id = $1', [event.id])
    const client = await database.pool.connect()
    try {
      // Each step is a statement of its own, as in the functions that hold.
      await client.query('begin')
      const call = `'${event.id}', 'eve', 'key', 'hash'`
      const begun = await client.query(
        `select (b.answer).outcome from begin_hold(${call}, 1, null, null, null, null) b`,
      )
      expect(begun.rows).toEqual([{ outcome: null }])
      await cancel(4)
      const locked = await client.query(`select lock_free_seats('${event.id}', '{5}', false) as locked`)
      expect(locked.rows).toEqual([{ locked: true }])
      const written = await client.query(
        `select (w).outcome from write_hold(${call}, 'hld_x_1', '{5}', 600, false) w`,
      )
      expect(written.rows).toEqual([{ outcome: 'wanted' }])
      await client.query('commit')
    } finally {
      client.release()
    }
    await waitlist.offer(event.id)
    expect(await reasonOf(a.id)).toBeNull()
    expect(await database.sql('select account_id from holds where id = $1', ['hld_x_1'])).toEqual([])
  })

  test('do not find the sale open while further seats are just coming back', async () => {
    const { event, orders, cancel } = await soldOut({}, 2)
    const ana = testAccount()
    const a = await waitlist.joined(ana, event, { quantity: 3 })
    await cancel(3)
    const client = await database.pool.connect()
    let offering: Promise<void>
    try {
      const pid = await pidOf(client)
      await client.query('begin')
      await client.query('select cancel_order($1, $2)', [event.id, orders[1]?.id])
      offering = waitlist.offer(event.id)
      await untilBlockedBy(database, pid)
      await client.query('commit')
    } finally {
      client.release()
    }
    await offering
    expect(await stateOf(ana, a.id)).toBe('OFFERED')
  })
})
