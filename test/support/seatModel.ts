import fc from 'fast-check'
import { expect } from 'vitest'
import type { Account } from '../../src/sale/caller.ts'
import { Fault } from '../../src/sale/faults.ts'
import { type Blocks, createBlocks } from '../../src/sale/holds/blocks.ts'
import type { HoldView } from '../../src/sale/holds/holds.ts'
import type { Database } from '../../src/sql/database/database.ts'
import { cancelOrder } from '../../src/sql/orders/orderTransitions.ts'
import { opsAccount, type TestCheckout, testAccount, untilOver } from './checkout.ts'
import { insertEvent } from './event.ts'
import { ask, askFor, isHold } from './holds.ts'
import { expectInvariants } from './invariants.ts'
import { expectSteps } from './seatSteps.ts'
import { sellOut, type testWaitlist } from './waitlist.ts'

/** One step of a play. `who` is a fan's number; `which` picks one of the fan's holds, the latest first. */
export type Step =
  | { do: 'holdSeats'; who: number; from: number; quantity: number }
  | { do: 'holdBest'; who: number; quantity: number; together: boolean }
  | { do: 'holdUnits'; who: number; quantity: number }
  | { do: 'release'; who: number; which: number }
  /** Claims the hold, which extends it, and buys it or is declined. */
  | { do: 'checkout'; who: number; which: number; card: string }
  /** Ends the hold's time. */
  | { do: 'runOut'; who: number; which: number }
  /** Ends the hold's time; then another fan requests its seats before any sweep. */
  | { do: 'takeOver'; who: number; which: number; by: number }
  | { do: 'sweep' }
  | { do: 'settle' }
  /** Cancels a confirmed order, as the capture does as its last resort. */
  | { do: 'cancel'; who: number; which: number }
  | { do: 'block' | 'unblock'; from: number; quantity: number }
  | { do: 'joinWaitlist'; who: number; quantity: number; acceptFewer: boolean }
  | { do: 'leaveWaitlist'; who: number }
  | { do: 'offer' }

const FANS = 8
const SEATS = 16
const UNITS = 6
const LIMIT = 6

const who = fc.nat(FANS - 1)
const which = fc.nat(2)
const from = fc.integer({ min: 1, max: SEATS })
const quantity = fc.integer({ min: 1, max: 4 })
const yesOrNo = fc.boolean()
const card = fc.oneof(
  { weight: 6, arbitrary: fc.constant('pm_card_visa') },
  { weight: 3, arbitrary: fc.constant('pm_card_declined') },
  // Half a second passes before the retry.
  { weight: 1, arbitrary: fc.constant('pm_lost_reply') },
)

function step(weight: number, kind: Step['do'], parts: Record<string, fc.Arbitrary<unknown>> = {}) {
  const arbitrary = fc.record({ do: fc.constant(kind), ...parts }, { noNullPrototype: true })
  return { weight, arbitrary: arbitrary as fc.Arbitrary<unknown> as fc.Arbitrary<Step> }
}

const aStep = fc.oneof(
  step(24, 'holdSeats', { who, from, quantity }),
  step(10, 'holdBest', { who, quantity, together: yesOrNo }),
  step(10, 'holdUnits', { who, quantity }),
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
  /** Every seat is sold before the play begins, and half of the fans are on the waitlist. */
  soldOut: boolean
  allowOrphanSeats: boolean
  /** The steps of one round run at the same time. */
  rounds: Step[][]
}

export const plays: fc.Arbitrary<Play> = fc.record({
  soldOut: fc.boolean(),
  allowOrphanSeats: fc.boolean(),
  rounds: fc.array(fc.array(aStep, { minLength: 1, maxLength: 12 }), { minLength: 8, maxLength: 20 }),
})

/** Every step that a seat can make, one after the other: a random play may lack some. */
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

/** A seat comes back while fans are on the waitlist: the one who takes any number of seats gets an offer. */
export const anOffer: Play = {
  soldOut: true,
  allowOrphanSeats: true,
  rounds: [[{ do: 'cancel', who: 0, which: 0 }], [{ do: 'offer' }]],
}

export interface World {
  readonly db: Database
  /** Processes that share nothing but the database. */
  readonly sales: readonly TestCheckout[]
  readonly waitlist: ReturnType<typeof testWaitlist>
}

/** The states that a hold may be reported in after each state. */
const AFTER: Record<string, readonly string[]> = {
  ACTIVE: ['ACTIVE', 'EXPIRED', 'RELEASED', 'SOLD'],
  // While no other hold takes its seats it may still be sold, and a claim gives it time for another card.
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

/** A model of one event's seats, with every answer that a caller got; it checks each answer against those before. */
export async function modelSeats({ db, sales, waitlist }: World, { soldOut, allowOrphanSeats }: Play) {
  const event = await insertEvent(db, {
    sections: [{ seats: SEATS }, { places: UNITS }],
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
  const organizer = opsAccount()
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
  let steps = 0

  type Fan = (typeof fans)[number]
  const saleOf = (n: number) => sales[n % sales.length] as TestCheckout
  const seatNos = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => first + i).filter((no) => no <= SEATS)

  function recordHold(fan: Fan, { id, state }: HoldView) {
    const known = fan.holds.find((hold) => hold.id === id)
    if (known) {
      expect(AFTER[known.state], `hold ${id}, reported as ${known.state} before`).toContain(state)
      known.state = state
    } else fan.holds.unshift({ id, state })
  }

  function recordOrder(fan: Fan, { id, state }: { id: string; state: string }) {
    const known = fan.orders.find((order) => order.id === id)
    if (known) {
      expect(AFTER_ORDER[known.state], `order ${id}, reported as ${known.state} before`).toContain(state)
      known.state = state
    } else fan.orders.unshift({ id, state })
  }

  /** Null where another call of the account runs: then nothing has happened, and the caller may try again. */
  async function unlessBusy<T>(work: Promise<T>): Promise<T | null> {
    return work.catch((error) => {
      if (error instanceof Fault && error.code === 'REQUEST_IN_PROGRESS') return null
      throw error
    })
  }

  async function held(fan: Fan, quantity: number, holding: Promise<object>) {
    const answer = await unlessBusy(holding)
    if (!answer || !isHold(answer)) return
    expect(answer.items).toHaveLength(quantity)
    expect(answer.state).toBe('ACTIVE')
    recordHold(fan, answer)
  }

  /** A fan who names seats of a hold of their own gets that hold, which may have more of them. */
  async function heldSeats(fan: Fan, nos: number[], holding: Promise<object>) {
    const answer = await unlessBusy(holding)
    if (!answer || !isHold(answer)) return
    expect(answer.items.map(({ seatNo }) => seatNo)).toEqual(expect.arrayContaining(nos))
    expect(answer.state).toBe('ACTIVE')
    recordHold(fan, answer)
  }

  async function runOut({ who, which }: { who: number; which: number }) {
    const hold = (fans[who] as Fan).holds[which]
    if (hold) await db.pool.query('select run_out($1, $2)', [event.id, hold.id])
    return hold
  }

  const run = {
    async holdSeats(s: Step & { do: 'holdSeats' }, sale: TestCheckout) {
      const nos = seatNos(s.from, s.quantity)
      const fan = fans[s.who] as Fan
      await heldSeats(fan, nos, ask(sale.holds, fan.account, event, nos))
    },
    async holdBest(s: Step & { do: 'holdBest' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const bestAvailable = { quantity: s.quantity, together: s.together }
      await held(fan, s.quantity, askFor(sale.holds, fan.account, event, { bestAvailable }))
    },
    async holdUnits(s: Step & { do: 'holdUnits' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const generalAdmission = { sectionId: event.sectionId(2), quantity: s.quantity }
      await held(fan, s.quantity, askFor(sale.holds, fan.account, event, { generalAdmission }))
    },
    async release(s: Step & { do: 'release' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const hold = fan.holds[s.which]
      if (!hold) return
      const answer = await sale.holds.release(fan.account, hold.id)
      if (isHold(answer)) recordHold(fan, answer)
    },
    async checkout(s: Step & { do: 'checkout' }, sale: TestCheckout) {
      const fan = fans[s.who] as Fan
      const hold = fan.holds[s.which]
      if (!hold) return
      const answer = await sale.pay(fan.account, { id: hold.id } as HoldView, s.card)
      if ('state' in answer) recordOrder(fan, answer)
    },
    runOut: (s: Step & { do: 'runOut' }) => runOut(s),
    async takeOver(s: Step & { do: 'takeOver' }, sale: TestCheckout) {
      const hold = await runOut(s)
      if (!hold) return
      await untilOver(db, { eventId: event.id, id: hold.id })
      const { rows } = await db.pool.query<{ no: number }>(
        'select no from seats where event_id = $1 and hold_id = $2 and no <= $3 order by no',
        [event.id, hold.id, SEATS],
      )
      if (rows.length === 0) return
      const fan = fans[s.by] as Fan
      const nos = rows.map(({ no }) => no)
      await heldSeats(fan, nos, ask(sale.holds, fan.account, event, nos))
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
          recordHold(fan, hold)
      }
    },
  } as Record<Step['do'], (s: Step, sale: TestCheckout) => Promise<unknown>>

  async function setBlocked(what: 'block' | 'unblock', s: { from: number; quantity: number }) {
    const seats = seatNos(s.from, s.quantity).map(event.seatId)
    const { changed, refused } = await blocks[what](organizer, { eventId: event.id, seats, reason: 'camera' })
    expect([...changed, ...refused].every((id) => seats.includes(id))).toBe(true)
  }

  async function expectAnswers(account: Account, fan: Fan) {
    const sale = saleOf(steps)
    for (const hold of await sale.holds.findMany(
      account,
      fan.holds.map(({ id }) => id),
    ))
      recordHold(fan, hold[1])
    for (const order of await sale.orders.findMany(
      account,
      fan.orders.map(({ id }) => id),
    ))
      recordOrder(fan, order[1])
  }

  return {
    take: (s: Step): Promise<unknown> => run[s.do](s, saleOf(steps++)),
    /** Checks, between rounds, that no answer contradicts those before and that every invariant holds. */
    async expectOrder() {
      await Promise.all(fans.map((fan) => expectAnswers(fan.account, fan)))
      await expectInvariants(db, event.id)
    },
    /** Checks, at the end, every step that was recorded. */
    expectSteps: () => expectSteps(db, event.id),
  }
}
