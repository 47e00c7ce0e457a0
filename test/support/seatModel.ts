import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { expect } from 'vitest'
import type { Account } from '../../src/sale/caller.ts'
import { Fault } from '../../src/sale/faults.ts'
import { type Blocks, createBlocks } from '../../src/sale/holds/blocks.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import type { Database } from '../../src/sql/database.ts'
import { cancelOrder } from '../../src/sql/orders.ts'
import { type TestCheckout, testAccount } from './checkout.ts'
import { insertEvent } from './event.ts'
import { ask, askFor, isHold } from './holds.ts'
import { expectInvariants } from './invariants.ts'
import { expectSteps } from './seatSteps.ts'
import { sellOut, type testWaitlist } from './waitlist.ts'

/** What somebody or something does; `who` is a fan's number, `which` picks one of the fan's holds, the latest first. */
export type Step =
  | { do: 'holdSeats'; who: number; from: number; quantity: number }
  | { do: 'holdBest'; who: number; quantity: number; together: boolean }
  | { do: 'holdPlaces'; who: number; quantity: number }
  | { do: 'release'; who: number; which: number }
  /** Claims, which extends the hold, and buys or is declined. */
  | { do: 'checkout'; who: number; which: number; card: string }
  /** The hold's time is over. */
  | { do: 'runOut'; who: number; which: number }
  /** The hold's time is over, and somebody asks for its very seats before anything is tidied. */
  | { do: 'takeOver'; who: number; which: number; by: number }
  | { do: 'sweep' }
  | { do: 'settle' }
  /** A confirmed order is cancelled at last resort. */
  | { do: 'cancel'; who: number; which: number }
  | { do: 'block' | 'unblock'; from: number; quantity: number }
  | { do: 'joinWaitlist'; who: number; quantity: number; acceptFewer: boolean }
  | { do: 'leaveWaitlist'; who: number }
  | { do: 'offer' }

const FANS = 8
const SEATS = 16
const PLACES = 6
const LIMIT = 6

const who = fc.nat(FANS - 1)
const which = fc.nat(2)
const from = fc.integer({ min: 1, max: SEATS })
const quantity = fc.integer({ min: 1, max: 4 })
const yesOrNo = fc.boolean()
const card = fc.oneof(
  { weight: 6, arbitrary: fc.constant('pm_card_visa') },
  { weight: 3, arbitrary: fc.constant('pm_card_declined') },
  // Half a second until it is asked again.
  { weight: 1, arbitrary: fc.constant('pm_lost_reply') },
)

function step(weight: number, kind: Step['do'], parts: Record<string, fc.Arbitrary<unknown>> = {}) {
  const arbitrary = fc.record({ do: fc.constant(kind), ...parts }, { noNullPrototype: true })
  return { weight, arbitrary: arbitrary as fc.Arbitrary<unknown> as fc.Arbitrary<Step> }
}

const aStep = fc.oneof(
  step(24, 'holdSeats', { who, from, quantity }),
  step(10, 'holdBest', { who, quantity, together: yesOrNo }),
  step(10, 'holdPlaces', { who, quantity }),
  step(10, 'release', { who, which }),
  step(20, 'checkout', { who, which, card }),
  step(14, 'runOut', { who, which }),
  step(10, 'takeOver', { who, which, by: who }),
  step(6, 'sweep'),
  step(2, 'settle'),
  step(8, 'cancel', { who, which }),
  step(5, 'block', { from, quantity }),
  step(5, 'unblock', { from: fc.constant(1), quantity: fc.constant(SEATS) }),
  step(6, 'joinWaitlist', { who, quantity, acceptFewer: yesOrNo }),
  step(2, 'leaveWaitlist', { who }),
  step(6, 'offer'),
)

export interface Play {
  /** Everything is sold before it begins, and half of the fans wait for what comes back. */
  soldOut: boolean
  allowOrphanSeats: boolean
  /** The steps of one round are taken at the same time. */
  rounds: Step[][]
}

export const plays: fc.Arbitrary<Play> = fc.record({
  soldOut: fc.boolean(),
  allowOrphanSeats: fc.boolean(),
  rounds: fc.array(fc.array(aStep, { minLength: 1, maxLength: 12 }), { minLength: 8, maxLength: 20 }),
})

/** Has every step that a seat can make, one after the other: what is drawn may lack some. */
export const everyStep: Play = {
  soldOut: false,
  allowOrphanSeats: true,
  rounds: [
    { do: 'holdSeats', who: 0, from: 1, quantity: 2 },
    { do: 'checkout', who: 0, which: 0, card: 'pm_card_visa' },
    { do: 'holdSeats', who: 1, from: 5, quantity: 2 },
    { do: 'takeOver', who: 1, which: 0, by: 2 },
    { do: 'release', who: 2, which: 0 },
    { do: 'block', from: 9, quantity: 2 },
    { do: 'unblock', from: 1, quantity: SEATS },
    { do: 'cancel', who: 0, which: 0 },
  ].map((step) => [step as Step]),
}

export interface World {
  readonly db: Database
  /** Processes that share nothing but the database. */
  readonly sales: readonly TestCheckout[]
  readonly waitlist: ReturnType<typeof testWaitlist>
}

/** What a hold may be said to be, once it was said to be something. */
const AFTER: Record<string, readonly string[]> = {
  ACTIVE: ['ACTIVE', 'EXPIRED', 'RELEASED', 'SOLD'],
  // Nobody took its seats: a declined card leaves time for another one, and it may still be sold.
  EXPIRED: ['EXPIRED', 'ACTIVE', 'SOLD'],
  RELEASED: ['RELEASED'],
  SOLD: ['SOLD'],
}
const AFTER_ORDER: Record<string, readonly string[]> = {
  PAYING: ['PAYING', 'CONFIRMED', 'DECLINED', 'SEATS_GONE', 'CANCELLED'],
  CONFIRMED: ['CONFIRMED', 'CANCELLED'],
  DECLINED: ['DECLINED'],
  SEATS_GONE: ['SEATS_GONE'],
  CANCELLED: ['CANCELLED'],
}

/** One event's seats with everything that anybody was told of them, each answer held against all before. */
export async function modelSeats({ db, sales, waitlist }: World, { soldOut, allowOrphanSeats }: Play) {
  const event = await insertEvent(db, {
    sections: [{ seats: SEATS }, { places: PLACES }],
    ticketLimit: LIMIT,
    allowOrphanSeats,
  })
  const fans = Array.from({ length: FANS }, () => ({
    account: testAccount(),
    /** Latest first. */
    holds: [] as { id: string; state: string }[],
    orders: [] as { id: string; state: string }[],
    entryId: null as string | null,
  }))
  const organizer = testAccount()
  const soldBefore = soldOut ? await sellOut(sales[0] as TestCheckout, event, testAccount, 2) : []
  for (const [i, fan] of fans.entries()) {
    if (soldOut && i % 2 === 0) {
      const { id } = await waitlist.joined(fan.account, event, { quantity: 1 + (i % 4), acceptFewer: i < 4 })
      fan.entryId = id
    }
  }
  const blocks: Blocks = createBlocks({
    db,
    catalogue: (sales[0] as TestCheckout).catalogue,
    seatMap: { publish: () => {} },
  })
  let taken = 0

  type Fan = (typeof fans)[number]
  const saleOf = (n: number) => sales[n % sales.length] as TestCheckout
  const seatNos = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => first + i).filter((no) => no <= SEATS)

  function tellHold(fan: Fan, { id, state }: HoldView) {
    const known = fan.holds.find((hold) => hold.id === id)
    if (known) {
      expect(AFTER[known.state], `hold ${id}, told as ${known.state}`).toContain(state)
      known.state = state
    } else fan.holds.unshift({ id, state })
  }

  function tellOrder(fan: Fan, { id, state }: { id: string; state: string }) {
    const known = fan.orders.find((order) => order.id === id)
    if (known) {
      expect(AFTER_ORDER[known.state], `order ${id}, told as ${known.state}`).toContain(state)
      known.state = state
    } else fan.orders.unshift({ id, state })
  }

  /** Another call of the account runs on: the caller may try again, and nothing has happened. */
  async function unlessBusy<T>(work: Promise<T>): Promise<T | null> {
    return work.catch((error) => {
      if (error instanceof Fault && error.code === 'REQUEST_IN_PROGRESS') return null
      throw error
    })
  }

  async function held(fan: Fan, quantity: number, asked: Promise<object>) {
    const answer = await unlessBusy(asked)
    if (!answer || !isHold(answer)) return
    expect(answer.items).toHaveLength(quantity)
    expect(answer.state).toBe('ACTIVE')
    tellHold(fan, answer)
  }

  async function runOut({ who, which }: { who: number; which: number }) {
    const hold = (fans[who] as Fan).holds[which]
    if (hold) await db.pool.query('select run_out($1, $2)', [event.id, hold.id])
    return hold
  }

  const take = {
    async holdSeats(s: Step & { do: 'holdSeats' }, sale: TestCheckout) {
      const nos = seatNos(s.from, s.quantity)
      const fan = fans[s.who] as Fan
      await held(fan, nos.length, ask(sale.holds, fan.account, event, nos))
    },
    async holdBest(s: Step & { do: 'holdBest' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const bestAvailable = { quantity: s.quantity, together: s.together }
      await held(fan, s.quantity, askFor(sale.holds, fan.account, event, { bestAvailable }))
    },
    async holdPlaces(s: Step & { do: 'holdPlaces' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const generalAdmission = { sectionId: event.sectionId(2), quantity: s.quantity }
      await held(fan, s.quantity, askFor(sale.holds, fan.account, event, { generalAdmission }))
    },
    async release(s: Step & { do: 'release' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const hold = fan.holds[s.which]
      if (!hold) return
      const answer = await sale.holds.release(fan.account, hold.id)
      if (isHold(answer)) tellHold(fan, answer)
    },
    async checkout(s: Step & { do: 'checkout' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const hold = fan.holds[s.which]
      if (!hold) return
      const answer = await sale.pay(fan.account, { id: hold.id } as HoldView, s.card)
      if ('state' in answer) tellOrder(fan, answer)
    },
    runOut: (s: Step & { do: 'runOut' }) => runOut(s),
    async takeOver(s: Step & { do: 'takeOver' }, sale: TestCheckout) {
      const hold = await runOut(s)
      if (!hold) return
      // It takes some milliseconds to run out.
      await sleep(5)
      const { rows } = await db.pool.query<{ no: number }>(
        'select no from seats where event_id = $1 and hold_id = $2 and no <= $3 order by no',
        [event.id, hold.id, SEATS],
      )
      if (rows.length === 0) return
      const fan = fans[s.by] as Fan
      const nos = rows.map(({ no }) => no)
      await held(fan, nos.length, ask(sale.holds, fan.account, event, nos))
    },
    sweep: (_: Step, sale: TestCheckout) => sale.holds.sweep(event.id),
    settle: (_: Step, sale: TestCheckout) => sale.settleStuck(),
    async cancel(s: Step & { do: 'cancel' }) {
      const order = soldBefore.pop() ?? (fans[s.who] as Fan).orders[s.which]
      if (order) await cancelOrder(db, event.id, order.id)
    },
    block: (s: Step & { do: 'block' }) => setBlocked('block', s),
    unblock: (s: Step & { do: 'unblock' }) => setBlocked('unblock', s),
    async joinWaitlist(s: Step & { do: 'joinWaitlist' }) {
      const fan = fans[s.who] as Fan
      const input = { eventId: event.id, quantity: s.quantity, acceptFewer: s.acceptFewer }
      const answer = await waitlist.join(fan.account, input)
      if ('state' in answer) fan.entryId = answer.id
    },
    async leaveWaitlist(s: Step & { do: 'leaveWaitlist' }) {
      const fan = fans[s.who] as Fan
      if (fan.entryId) await waitlist.leave(fan.account, fan.entryId)
    },
    async offer() {
      await waitlist.offer(event.id)
      for (const fan of fans) {
        for (const hold of await (sales[0] as TestCheckout).holds.active(fan.account, event.id))
          tellHold(fan, hold)
      }
    },
  } as Record<Step['do'], (s: Step, sale: TestCheckout) => Promise<unknown>>

  async function setBlocked(what: 'block' | 'unblock', s: { from: number; quantity: number }) {
    const seats = seatNos(s.from, s.quantity).map(event.seatId)
    const { changed, refused } = await blocks[what](organizer, { eventId: event.id, seats, reason: 'camera' })
    expect([...changed, ...refused].every((id) => seats.includes(id))).toBe(true)
  }

  async function expectAnswers(account: Account, fan: Fan) {
    const sale = saleOf(taken)
    for (const hold of await sale.holds.findMany(
      account,
      fan.holds.map(({ id }) => id),
    ))
      tellHold(fan, hold[1])
    for (const order of await sale.orders.findMany(
      account,
      fan.orders.map(({ id }) => id),
    ))
      tellOrder(fan, order[1])
  }

  return {
    take: (s: Step): Promise<unknown> => take[s.do](s, saleOf(taken++)),
    /** Between rounds: nothing contradicts what was told before, and every invariant holds. */
    async expectOrder() {
      await Promise.all(fans.map((fan) => expectAnswers(fan.account, fan)))
      await expectInvariants(db, event.id)
    },
    /** At the end, of everything that has happened. */
    expectSteps: () => expectSteps(db, event.id),
  }
}
