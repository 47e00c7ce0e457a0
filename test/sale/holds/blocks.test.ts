import { afterEach, expect, test } from 'vitest'
import type { Account } from '../../../src/sale/caller.ts'
import { createBlocks } from '../../../src/sale/holds/blocks.ts'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { SeatsTaken } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'

const database = await testDatabase({ connections: 40 })
const sale = testCheckout(database)
const { holds, catalogue, mapChanges } = sale
const blocks = createBlocks({
  db: database,
  catalogue,
  seatMap: {
    publish: (eventId, changes) => mapChanges.push(...changes.map((change) => ({ ...change, eventId }))),
  },
})
const olga: Account = { ...testAccount(), id: 'olga', roles: new Set(['organizer']) }

const events: TestEvent[] = []
async function newEvent(): Promise<TestEvent> {
  const event = await insertEvent(database)
  events.push(event)
  return event
}
afterEach(async () => {
  await workOutbox(database, sale)
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

const request = (event: TestEvent, ...nos: number[]) => ({
  eventId: event.id,
  seats: nos.map(event.seatId),
  reason: 'the camera',
})

test('free seats are blocked, held and sold seats are refused; the map gets the change and the audit trail the reason', async () => {
  const event = await newEvent()
  const [buyer, holder] = [testAccount(), testAccount()]
  await sale.pay(buyer, (await ask(holds, buyer, event, [1])) as HoldView)
  const hold = (await ask(holds, holder, event, [2])) as HoldView
  await runOut(database, hold)
  mapChanges.length = 0
  // An expired hold can still be paid while no other hold took its seats.
  expect(await blocks.block(olga, request(event, 4, 3, 2, 1))).toEqual({
    changed: [3, 4].map(event.seatId),
    refused: [1, 2].map(event.seatId),
  })
  expect(mapChanges.map(({ seatNo, status, revision }) => [seatNo, status, revision])).toEqual([
    [3, 3, 1],
    [4, 3, 1],
  ])
  expect(await sale.pay(holder, hold)).toMatchObject({ state: 'CONFIRMED' })
  expect(await ask(holds, testAccount(), event, [3, 5])).toMatchObject({
    unavailable: [event.seatId(3)],
    retryAfterSeconds: null,
  })
  const [entry] = await database.sql('select * from audit_entries where event_id = $1', [event.id])
  expect(entry).toMatchObject({
    account_id: 'olga',
    action: 'blockSeats',
    detail: { reason: 'the camera', changed: [3, 4].map(event.seatId), refused: [1, 2].map(event.seatId) },
  })
})

test('blocking twice changes nothing, and neither does unblocking a seat that is for sale', async () => {
  const event = await newEvent()
  await blocks.block(olga, request(event, 1, 2))
  expect(await blocks.block(olga, request(event, 1, 2))).toEqual({ changed: [], refused: [] })
  expect(await blocks.unblock(olga, request(event, 1, 3))).toEqual({
    changed: [event.seatId(1)],
    refused: [],
  })
  expect(
    await database.sql(
      "select account_id, detail from audit_entries where event_id = $1 and action = 'unblockSeats'",
      [event.id],
    ),
  ).toEqual([
    {
      account_id: 'olga',
      detail: { reason: 'the camera', changed: [event.seatId(1)], refused: [] },
    },
  ])
  const rows = await database.sql(
    'select no, status, revision from seats where event_id = $1 and no < 4 order by no',
    [event.id],
  )
  expect(rows.map(({ status, revision }) => [status, revision])).toEqual([
    [0, 2],
    [3, 1],
    [0, 0],
  ])
  expect(await ask(holds, testAccount(), event, [1])).toMatchObject({ state: 'ACTIVE' })
})

test('where a block races a hold for the same seats, exactly one of them gets all, in 200 rounds', async () => {
  await sideBySide(200, 8, async (round) => {
    const event = await newEventOnce()
    const nos = [1, 2, 3].map((n) => 3 * round + n)
    const [result, view] = await Promise.all([
      ask(holds, testAccount(), event, nos),
      blocks.block(olga, request(event, ...nos.toReversed())),
    ])
    if (isHold(result)) expect(view).toEqual({ changed: [], refused: nos.map(event.seatId) })
    else {
      expect(result).toBeInstanceOf(SeatsTaken)
      expect(view).toEqual({ changed: nos.map(event.seatId), refused: [] })
    }
  })
})

let shared: Promise<TestEvent> | undefined
function newEventOnce(): Promise<TestEvent> {
  shared ??= insertEvent(database, { sections: [{ seats: 700 }] }).then((event) => {
    events.push(event)
    return event
  })
  return shared
}

test('each invalid input field is named', async () => {
  const event = await newEvent()
  const faulty = { eventId: event.id, seats: [event.seatId(1), 'nowhere'], reason: '' }
  await expect(blocks.block(olga, faulty)).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    extensions: { faults: [{ path: ['input', 'reason'] }, { path: ['input', 'seats', 1] }] },
  })
  await expect(blocks.block(olga, { ...faulty, eventId: 'evt_nowhere' })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
  })
})

test('to an organizer who does not own the event it does not exist, and ops may change it', async () => {
  const event = await newEvent()
  const answer = (account: Account, eventId: string) =>
    blocks
      .block(account, { ...request(event, 1), eventId })
      .catch(({ code, extensions }) => ({ code, extensions }))
  const oscar: Account = { ...olga, id: 'oscar' }
  const nothing = await answer(oscar, 'evt_nowhere')
  expect(nothing).toMatchObject({ code: 'BAD_USER_INPUT' })
  expect(await answer(oscar, event.id)).toEqual(nothing)
  expect(await answer({ ...olga, roles: new Set() }, event.id)).toEqual(nothing)
  expect(await answer({ ...oscar, roles: new Set(['ops']) }, event.id)).toMatchObject({ refused: [] })
})
