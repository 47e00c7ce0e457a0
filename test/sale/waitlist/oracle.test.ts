import { expect, test } from 'vitest'
import { newId } from '../../../src/sale/ids.ts'
import { joinWaitlist, leaveWaitlist, offerWaitlist } from '../../../src/sql/waitlist.ts'
import { testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { askFor, isHold } from '../../support/holds.ts'
import { LONG } from '../../support/long.ts'
import { seededRandom } from '../../support/random.ts'
import {
  choicesOf,
  isCovered,
  isNeeded,
  type ModelSeat,
  needOf,
  offerFor,
  readEntries,
  readSeats,
  runsOf,
} from '../../support/waitlistModel.ts'

const db = await testDatabase()
const sale = testCheckout(db)
const random = seededRandom()
const below = (n: number) => Math.floor(random() * n)
const oneOf = <T>(items: readonly T[]): T => items[below(items.length)] as T

/**
 * Section 1 has two price levels and two wheelchair seats with a companion seat each, section 2 one wheelchair seat with two,
 * and section 3 is general admission. Nothing is on sale.
 */
async function hall() {
  const event = await insertEvent(db, {
    sections: [{ seats: 14 }, { seats: 8 }, { places: 5 }],
    ticketLimit: 20,
  })
  await db.sql(
    `update seats set status = 3, level_no = case when no between 8 and 14 then 2 else level_no end,
       wheelchair = no in (1, 3, 15),
       companion_of = case no when 2 then 1 when 4 then 3 when 16 then 15 when 17 then 15 end
     where event_id = $1`,
    [event.id],
  )
  await db.sql("update sections set level_nos = '{1,2}' where event_id = $1 and no = 1", [event.id])
  return event
}

const WISHES = [
  ...[null, 1, 2, 3].map((sectionNo) => ({ sectionNo, levelNo: null })),
  ...[1, 2, 3].map((levelNo) => ({ sectionNo: null, levelNo })),
  { sectionNo: 1, levelNo: 2 },
]

async function join(eventId: string) {
  const wheelchairSeats = random() < 0.3 ? 1 + below(2) : 0
  await joinWaitlist(db, {
    eventId,
    id: newId('wle', eventId),
    accountId: testAccount().id,
    email: null,
    quantity: wheelchairSeats + below(3) + (wheelchairSeats === 0 ? 1 : 0),
    wishes: Array.from({ length: 1 + below(2) }, () => oneOf(WISHES)),
    together: oneOf([null, true, false]),
    wheelchairSeats,
    acceptFewer: random() < 0.2,
  })
}

/** Puts seats that are not for sale, or sold, back on sale. */
async function comeBack(eventId: string, count: number) {
  await db.sql(
    `update seats set status = 0, order_id = null, revision = revision + 1 where event_id = $1 and no in (
       select no from seats where event_id = $1 and status in (2, 3) and no = any ($2))`,
    [eventId, Array.from({ length: count }, () => 1 + below(27))],
  )
}

/** Makes offers one by one, each as the model says, until none fits. Returns their number. */
async function expectOffers(eventId: string): Promise<number> {
  for (let offers = 0; ; ) {
    const seats = await readSeats(db, eventId)
    const entries = await readEntries(db, eventId)
    const expected = entries.flatMap((entry) => {
      const offer = offerFor(entry, seats)
      return offer ? [{ entry, ...offer }] : []
    })[0]
    const answer = await offerWaitlist(db, eventId, newId('hld', eventId))
    expect(answer.entryId).toBe(expected?.entry.id ?? null)
    if (!expected) return offers
    offers++
    const { entry, wish, size } = expected
    const chosen = answer.changes.map(({ seatNo }) => seats.find(({ no }) => no === seatNo) as ModelSeat)
    expect(chosen).toHaveLength(size)
    expect(chosen.every((seat) => seat.free)).toBe(true)
    expect(chosen.filter(({ wheelchair }) => wheelchair)).toHaveLength(entry.wheelchairs)
    const choices = choicesOf(entry, wish, seats)
    expect(choices.some((choice) => chosen.every(({ no }) => choice.some((seat) => seat.no === no)))).toBe(
      true,
    )
    // Side by side where such a block is free.
    const isSeated = chosen.every(({ row, companionOf, wheelchair }) => row && !companionOf && !wheelchair)
    const usual = seats.filter(
      (seat) =>
        seat.free && seat.row !== null && !seat.wheelchair && !seat.companionOf && isCovered(wish, seat),
    )
    if (isSeated && runsOf(usual).some(({ length }) => length >= size)) expect(runsOf(chosen)).toHaveLength(1)
  }
}

test('each offer is the one that a search through every choice finds, and a hold gets no seat that a waiting fan needs', async () => {
  const counts = { offers: 0, held: 0, refused: 0 }
  for (let round = 0; round < (LONG ? 60 : 4); round++) {
    const event = await hall()
    for (let i = 0; i < 12; i++) await join(event.id)
    for (let step = 0; step < 12; step++) {
      await comeBack(event.id, 1 + below(6))
      const [sold] = await db.sql('select waitlist_only from sales where event_id = $1', [event.id])

      const seats = await readSeats(db, event.id)
      const entries = await readEntries(db, event.id)
      const seat = oneOf(seats.filter(({ free, companionOf }) => free && companionOf === null))
      if (seat && !sold?.waitlist_only) {
        const account = testAccount()
        const result = await (seat.row === null
          ? askFor(sale.holds, account, event, {
              generalAdmission: { sectionId: event.sectionId(seat.section), quantity: 1 },
            })
          : sale.holds.hold(
              { account, deviceId: null, admissionToken: null },
              { eventId: event.id, seats: [event.seatId(seat.no)], idempotencyKey: 'key' },
            ))
        const isFree = !entries.some((entry) => isNeeded(entry, seat, seats))
        expect([seat, entries, isHold(result)]).toEqual([seat, entries, isFree])
        counts[isFree ? 'held' : 'refused']++
        if (isHold(result) && random() < 0.5) await sale.holds.release(account, result.id)

        const left = await readSeats(db, event.id)
        const best = await askFor(sale.holds, account, event, {
          bestAvailable: { quantity: 1 + below(2), together: random() < 0.5 },
        })
        if (isHold(best)) {
          const taken = left.filter(({ no }) => best.items.some(({ seatNo }) => seatNo === no))
          expect(taken.filter((one) => entries.some((entry) => isNeeded(entry, one, left)))).toEqual([])
          counts.held++
        }
      }
      counts.offers += await expectOffers(event.id)
      await join(event.id)
      const live = await db.sql<{ id: string; account_id: string }>(
        "select id, account_id from waitlist_entries where event_id = $1 and state in ('OFFERED', 'WAITING')",
        [event.id],
      )
      for (const { id, account_id } of live)
        if (random() < 0.15) await leaveWaitlist(db, event.id, id, account_id)
      counts.offers += await expectOffers(event.id)
    }
  }
  console.log(counts)
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(LONG ? 50 : 2)
})

test('the model finds what an entry can take', () => {
  const row = (free: string): ModelSeat[] =>
    [...free].map((letter, i) => ({
      no: i + 1,
      section: 1,
      level: 1,
      row: 1,
      place: i + 1,
      wheelchair: false,
      companionOf: null,
      free: letter === 'f',
    }))
  const entry = {
    id: 'x',
    quantity: 3,
    fewer: false,
    together: true,
    wheelchairs: 0,
    wishes: [{ sectionNo: null, levelNo: null }],
  }
  expect(offerFor(entry, row('ffxff'))).toBeNull()
  expect(offerFor({ ...entry, together: null }, row('ffxff'))).toMatchObject({ size: 3 })
  expect(offerFor({ ...entry, fewer: true }, row('ffxff'))).toMatchObject({ size: 2 })
  expect(isNeeded(entry, row('fffxf')[4] as ModelSeat, row('fffxf'))).toBe(false)
  expect(needOf(entry)).toBe(3)
})
