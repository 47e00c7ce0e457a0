import { afterEach, expect, test } from 'vitest'
import { NotEnoughAvailable } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { askFor, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { LONG } from '../../support/long.ts'
import { seededRandom } from '../../support/random.ts'

const database = await testDatabase({ connections: 16 })
const processes = [testCheckout(database), testCheckout(database.another())] as const

const events: TestEvent[] = []
afterEach(async () => {
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

const holdUnits = (event: TestEvent, quantity: number, i = 0) =>
  askFor((processes[i % 2] as (typeof processes)[0]).holds, testAccount(), event, {
    generalAdmission: { sectionId: 'floor', quantity },
  })

async function newEvent(capacity: number): Promise<TestEvent> {
  const event = await insertEvent(database, {
    sections: [{ seats: 20 }, { places: capacity, key: 'floor' }, { places: 5 }],
  })
  events.push(event)
  return event
}

const CAPACITY = LONG ? 10_000 : 3_000

test(`64 simultaneous buyers of mixed quantities hold exactly the ${CAPACITY} units of the area, while some holds expire`, async () => {
  const event = await newEvent(CAPACITY)
  const random = seededRandom()
  const wrong: object[] = []
  let full = 0
  await sideBySide(64, 64, async (i) => {
    for (;;) {
      const quantity = 1 + Math.floor(random() * 8)
      const result = await holdUnits(event, quantity, i)
      if (isHold(result)) {
        if (random() < 0.03) await runOut(database, result)
        continue
      }
      const { available } = result as NotEnoughAvailable
      if (!(result instanceof NotEnoughAvailable) || available >= quantity) wrong.push({ quantity, result })
      if (available === 0) {
        full++
        return
      }
    }
  })
  expect(wrong).toEqual([])
  expect(full).toBe(64)
  const rows = await database.sql(
    `select section_no, count(*)::int as n from seats
     where event_id = $1 and status = 1 and held_until > now() group by 1`,
    [event.id],
  )
  expect(rows).toEqual([{ section_no: 2, n: CAPACITY }])
})

test('of three simultaneous buyers of two units each, two get theirs where four units are left, in 30 rounds', async () => {
  for (let round = 0; round < 30; round++) {
    const event = await newEvent(4)
    const results = await Promise.all([0, 1, 2].map((i) => holdUnits(event, 2, i)))
    expect(results.filter(isHold)).toHaveLength(2)
  }
})

test('a refusal reports the number of units that are left, even for more units than the area has', async () => {
  const event = await newEvent(6)
  await holdUnits(event, 3)
  expect(await holdUnits(event, 4)).toMatchObject({ available: 3 })
  expect(await holdUnits(event, 8)).toMatchObject({ available: 3 })
})
