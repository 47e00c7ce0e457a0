import { expect, test } from 'vitest'
import { createSharedRefusals } from '../../../src/sale/holds/sharedRefusals.ts'
import { newId } from '../../../src/sale/ids.ts'
import type { Database } from '../../../src/sql/database/database.ts'
import * as sql from '../../../src/sql/holds/index.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { expectInvariants } from '../../support/invariants.ts'

const database = await testDatabase()

/** The SQL functions that were called, in order; a test empties the list. */
const called: string[] = []
const pipelined: Database['pipelined'] = (statement, eventId) => {
  called.push(/from (\w+)\(/.exec(statement.sql)?.[1] as string)
  return database.pipelined(statement, eventId)
}
const { attempt } = createSharedRefusals({ ...database, pipelined })

let accounts = 0
const newHold = (event: TestEvent, more: Partial<sql.NewHold> = {}): sql.NewHold => ({
  eventId: event.id,
  accountId: `fan-${accounts++}`,
  idempotencyKey: 'key',
  inputHash: 'hash',
  holdId: newId('hld', event.id),
  admission: null,
  wait: false,
  ...more,
})
const seats = (...seatNos: number[]) => ({ seatNos, wheelchairSeatNos: [] })

/** Seat 1 has a hold, and a second call was refused for it. */
async function withSeatGone(event: TestEvent): Promise<sql.NewHold> {
  const winner = newHold(event)
  expect(await attempt(seats(1), winner)).toMatchObject({ outcome: 'held' })
  expect(await attempt(seats(1, 2), newHold(event))).toMatchObject({ outcome: 'taken', taken: [1] })
  called.length = 0
  return winner
}

test('fifty simultaneous calls for a seat that was refused before share two reads: one for the first, one for the rest', async () => {
  const event = await insertEvent(database)
  await withSeatGone(event)
  const requests = Array.from({ length: 50 }, (_, i) => seats(1, 2 + (i % 30)))
  const answers = await Promise.all(requests.map((one) => attempt(one, newHold(event))))
  for (const answer of answers) {
    expect(answer).toMatchObject({ outcome: 'taken', taken: [1] })
    expect((answer as { retryAt: unknown }).retryAt).toBeInstanceOf(Date)
  }
  expect(called).toEqual(['see_gates', 'see_gates'])
})

test('a seat that came back is held by the next call, and later calls need no shared read', async () => {
  const event = await insertEvent(database)
  const winner = await withSeatGone(event)
  await sql.releaseHold(database, event.id, winner.holdId, winner.accountId)
  const answers = await Promise.all([1, 2, 3].map(() => attempt(seats(1), newHold(event))))
  expect(answers.filter(({ outcome }) => outcome === 'held')).toHaveLength(1)
  expect(called.filter((name) => name === 'see_gates').length).toBeLessThanOrEqual(2)
  called.length = 0
  await attempt(seats(5), newHold(event))
  expect(called).toEqual(['hold_seats'])
  await expectInvariants(database, event.id)
})

test('each call gets the answer that its own call would get: keys, limits and seats, in the order of the calls', async () => {
  const event = await insertEvent(database, { ticketLimit: 2 })
  const winner = await withSeatGone(event)
  const requests: [number[], sql.NewHold][] = [
    [[1], newHold(event)],
    [[1], { ...winner, holdId: newId('hld', event.id) }],
    [[1], { ...winner, inputHash: 'another' }],
    [[1, 2, 3], newHold(event)],
    [[1, 2], newHold(event)],
    [[1, 2], { ...newHold(event), accountId: winner.accountId, idempotencyKey: 'another' }],
  ]
  const shared = await Promise.all(requests.map(([nos, hold]) => attempt(seats(...nos), hold)))
  expect(shared.map(({ outcome }) => outcome)).toEqual([
    'taken',
    'known',
    'key_reused',
    'ticket_limit',
    'taken',
    'own_seats',
  ])
  expect(called).toEqual(['see_gates', 'see_gates'])
  for (const [i, [nos, hold]] of requests.entries()) {
    const alone = await sql.callHoldSeats(database, hold, seats(...nos))
    expect({ ...shared[i], asOf: null }).toEqual({ ...alone, asOf: null })
  }
})

test('each call is checked with its own admission', async () => {
  const event = await insertEvent(database, { waitingRoom: true })
  await database.sql(
    `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
     select $1, account, 7, 9, '\\x0102030405060708', now() + interval '1 minute'
     from unnest(array['winner', 'admitted']) account`,
    [event.id],
  )
  const admission = { arrival: 7, place: 9, device: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8) }
  const winner = newHold(event, { accountId: 'winner', admission })
  expect(await attempt(seats(1), winner)).toMatchObject({ outcome: 'held' })
  const again = newHold(event, { accountId: 'admitted', admission })
  expect(await attempt(seats(1), again)).toMatchObject({ outcome: 'taken' })
  called.length = 0
  const answers = await Promise.all([
    attempt(seats(1), again),
    attempt(seats(1), { ...again, admission: { ...admission, place: 8 } }),
    attempt(seats(1), {
      ...again,
      admission: { ...admission, device: Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 9) },
    }),
    attempt(seats(1), { ...again, admission: null }),
    attempt(seats(1), again),
  ])
  const refused = Array(3).fill('admission_required')
  expect(answers.map(({ outcome }) => outcome)).toEqual(['taken', ...refused, 'taken'])
  expect(called).toEqual(['see_gates', 'see_gates'])
})
