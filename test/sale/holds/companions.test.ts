import { afterEach, expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { WheelchairSeatRequired } from '../../../src/sale/refusals.ts'
import { testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { ask } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'

const database = await testDatabase()
const sale = testCheckout(database)
const { holds } = sale

const events: TestEvent[] = []
afterEach(async () => {
  await workOutbox(database, sale)
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

/** Seat 1 is a wheelchair seat, 2 and 3 are its companion seats; the others are usual seats. */
async function newEvent(): Promise<TestEvent> {
  const event = await insertEvent(database, { sections: [{ seats: 10 }] })
  events.push(event)
  await database.sql(
    `update sections set layout = (
       select jsonb_agg(case (x ->> 'index')::int
         when 0 then x || '{"wheelchair": true}'
         when 1 then x || jsonb_build_object('companionOf', $2::text)
         when 2 then x || jsonb_build_object('companionOf', $2::text)
         else x end order by (x ->> 'index')::int)
       from jsonb_array_elements(layout) x)
     where event_id = $1`,
    [event.id, event.seatId(1)],
  )
  await database.sql(
    `update seats set wheelchair = no = 1, companion_of = case when no in (2, 3) then 1 end where event_id = $1`,
    [event.id],
  )
  return event
}

test('a companion seat is sold only with its wheelchair seat; the wheelchair seat can be sold alone', async () => {
  const event = await newEvent()
  const alone = await ask(holds, testAccount(), event, [2, 5])
  expect(alone).toBeInstanceOf(WheelchairSeatRequired)
  expect(alone).toMatchObject({ wheelchairSeats: [event.seatId(1)], retryAfterSeconds: null })
  const both = await ask(holds, testAccount(), event, [1, 2])
  expect(both).toMatchObject({ state: 'ACTIVE' })
  await holds.release((await accountOf(both as HoldView)) as never, (both as HoldView).id)
  expect(await ask(holds, testAccount(), event, [1])).toMatchObject({ state: 'ACTIVE' })
})

async function accountOf({ id, eventId }: HoldView) {
  const [row] = await database.sql('select account_id as id from holds where event_id = $1 and id = $2', [
    eventId,
    id,
  ])
  return row
}

test('only the account that owns the wheelchair seat can add its companion seat later', async () => {
  const event = await newEvent()
  const account = testAccount()
  const wheelchair = (await ask(holds, account, event, [1])) as HoldView
  expect(await ask(holds, testAccount(), event, [2])).toBeInstanceOf(WheelchairSeatRequired)
  // A hold of the wheelchair seat is not enough: the fan could release it and buy the companion seat alone.
  expect(await ask(holds, account, event, [2])).toBeInstanceOf(WheelchairSeatRequired)
  await sale.pay(account, wheelchair)
  expect(await ask(holds, testAccount(), event, [3])).toBeInstanceOf(WheelchairSeatRequired)
  expect(await ask(holds, account, event, [3])).toMatchObject({ state: 'ACTIVE' })
})
