import { expect, test } from 'vitest'
import type { HoldableWish, NotSoldOut } from '../../../src/sale/refusals.ts'
import type { SaleView } from '../../../src/sale/saleView.ts'
import type { PartInput, WaitlistInput } from '../../../src/sale/waitlist/waitlistInput.ts'
import { isSoldOut } from '../../../src/sql/sales.ts'
import { testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { isHold, sideBySide } from '../../support/holds.ts'
import { LONG } from '../../support/long.ts'
import { seededRandom } from '../../support/random.ts'
import { testWaitlist } from '../../support/waitlist.ts'

const db = await testDatabase()
const findSale = async (eventId: string) =>
  ({ state: (await isSoldOut(db, eventId)) ? 'SOLD_OUT' : 'ON_SALE' }) as SaleView
const sale = testCheckout(db, { findSale })
const waitlist = testWaitlist(db)

/** Section 1: two seats, and a wheelchair seat with a companion seat. Section 2: a wheelchair seat. Section 3: an area. */
async function hall(): Promise<TestEvent> {
  const event = await insertEvent(db, {
    sections: [{ seats: 4 }, { seats: 1 }, { places: 1 }],
    holdsPerMinute: 10_000,
    unpaidHolds: 10_000,
  })
  await db.sql(
    `update seats set wheelchair = no in (3, 5), companion_of = case no when 4 then 3 end where event_id = $1`,
    [event.id],
  )
  return event
}
const SEATS = 6

type Wish = Omit<WaitlistInput, 'eventId' | 'sectionId' | 'orElse'> & { parts: (1 | 2 | 3 | null)[] }

const WISHES: Wish[] = [
  ...[1, 2].flatMap((quantity) =>
    ([null, 1, 3] as const).flatMap((part) =>
      [null, true, false].map((together) => ({ quantity, together, parts: [part] })),
    ),
  ),
  ...[1, 2].flatMap((quantity) =>
    ([null, 1, 2] as const).map((part) => ({ quantity, wheelchairSeats: 1, parts: [part] })),
  ),
  { quantity: 1, parts: [1, 3] },
  { quantity: 1, parts: [3, 1] },
  { quantity: 2, together: true, parts: [1, null] },
  { quantity: 2, acceptFewer: true, parts: [1] },
  { quantity: 2, acceptFewer: true, parts: [null] },
  { quantity: 1, parts: [2] },
  { quantity: 5, parts: [1] },
]

/** Every set of free seats; the others are held or sold. */
const STATES = Array.from({ length: 2 ** SEATS }, (_, free) => free).flatMap((free) =>
  free === 2 ** SEATS - 1 ? [{ free, taken: 'held' }] : ['held', 'sold'].map((taken) => ({ free, taken })),
)

/** Sets every seat; no hold and no entry is left. */
function setState(event: TestEvent, { free, taken }: (typeof STATES)[0]) {
  return db.pool.query(
    `delete from waitlist_entries where event_id = '${event.id}'; delete from waitlist_demand where event_id = '${event.id}';
     update sales set waitlist_only = false where event_id = '${event.id}';
     update holds set outcome = 'RELEASED', ended_at = now() where event_id = '${event.id}' and outcome is null;
     update seats set
       status = case when (1 << (no - 1)) & ${free} > 0 then 0 when '${taken}' = 'held' then 1 else 2 end,
       hold_id = case when (1 << (no - 1)) & ${free} = 0 and '${taken}' = 'held' then 'hld_x' end,
       held_until = case when (1 << (no - 1)) & ${free} = 0 and '${taken}' = 'held' then now() + interval '1 hour' end,
       order_id = case when (1 << (no - 1)) & ${free} = 0 and '${taken}' = 'sold' then 'ord_x' end
     where event_id = '${event.id}'`,
  )
}

function partInput(event: TestEvent, part: Wish['parts'][number]): PartInput {
  return { sectionId: part === null ? null : event.sectionId(part) }
}

/** Requests what a fan with this wish requests: part by part until one hold succeeds. Returns the hold or the last refusal. */
async function hold(event: TestEvent, { parts, quantity, together, wheelchairSeats }: Wish) {
  const account = testAccount()
  let last: object = {}
  for (const part of parts) {
    // Its only seat has no companion seat that the fan could name.
    if (wheelchairSeats && part === 2 && quantity === 2) continue
    const selection = wheelchairSeats
      ? { seats: (part === 2 ? [5] : [3, 4]).slice(0, quantity).map(event.seatId) }
      : part === 3
        ? { generalAdmission: { sectionId: event.sectionId(3), quantity } }
        : { bestAvailable: { ...partInput(event, part), quantity, together: together ?? true } }
    last = await sale.holds.hold(
      { account, deviceId: null, admissionToken: null },
      { eventId: event.id, idempotencyKey: sale.key(), ...selection },
    )
    if (isHold(last)) return last
  }
  return last
}

/** Joins for the wish. Returns the entry, the refusal, or the text of the fault. */
async function join(
  event: TestEvent,
  { parts: [part = null, ...others], ...wish }: Wish,
): Promise<object | string> {
  const input = {
    ...wish,
    ...partInput(event, part),
    eventId: event.id,
    orElse: others.map((other) => partInput(event, other)),
  }
  return waitlist.join(testAccount(), input).catch((error) => {
    if (error.code !== 'BAD_USER_INPUT') throw error
    return error.extensions.faults.map(({ message }: { message: string }) => message).join()
  })
}

/** Holds as NotSoldOut says. */
function holdAsReferred(event: TestEvent, wish: Wish, refusal: NotSoldOut) {
  const idempotencyKey = sale.key()
  const { wish: i, areaId, seats, quantity, together } = refusal.holdable as HoldableWish
  const selection =
    seats.length > 0
      ? { seats }
      : areaId
        ? { generalAdmission: { sectionId: areaId, quantity } }
        : {
            bestAvailable: {
              ...partInput(event, wish.parts[i] ?? null),
              quantity,
              together,
            },
          }
  return sale.holds.hold(
    { account: testAccount(), deviceId: null, admissionToken: null },
    { eventId: event.id, idempotencyKey, ...selection },
  )
}

test('no refusal sends a fan in a circle: a wish is held, waits, or can never be met, in every state of a hall', async () => {
  const random = seededRandom()
  const events = await Promise.all([hall(), hall(), hall(), hall()])
  const ends: Record<string, number> = { held: 0, 'held elsewhere': 0, waits: 0, never: 0 }
  // Among them all, nothing, only the area, and only the wheelchair seat of section 2.
  const states = LONG
    ? STATES
    : STATES.filter(({ free }) => [63, 0, 32, 16].includes(free) || random() < 0.03)

  /** Joins, and follows a refusal to its end. */
  async function expectEnd(event: TestEvent, wish: Wish): Promise<string> {
    const joined = await join(event, wish)
    if (typeof joined === 'string') return 'never'
    if ('state' in joined) return 'waits'
    expect(joined.constructor.name).toBe('NotSoldOut')
    expect(isHold(await holdAsReferred(event, wish, joined as NotSoldOut))).toBe(true)
    return 'held elsewhere'
  }

  await sideBySide(states.length, 4, async (n) => {
    const event = events.shift() as TestEvent
    const state = states[n] as (typeof STATES)[0]
    for (const wish of WISHES) {
      await setState(event, state)
      const held = await hold(event, wish)
      const end = isHold(held) ? 'held' : await expectEnd(event, wish)
      ends[end] = (ends[end] ?? 0) + 1
      // A hold that was refused is not on sale, but for an area or another of the fan's seats; and the other way round.
      if (end === 'held') await setState(event, state)
      else continue
      expect([state, wish, await expectEnd(event, wish)]).toEqual([state, wish, 'held elsewhere'])
    }
    events.push(event)
  })
  console.log(ends)
  expect(Object.values(ends).every((count) => count > 0)).toBe(true)
})
