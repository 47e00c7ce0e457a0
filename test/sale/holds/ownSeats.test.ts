import { expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { SeatsTaken } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { ask, isHold } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'

const database = await testDatabase()
const { holds } = testCheckout(database)

test('a fan who names seats of their own hold gets that hold, and is not in conflict with themselves', async () => {
  const event = await insertEvent(database, { ticketLimit: 10 })
  const [ana, bob] = [testAccount(), testAccount()]
  const first = (await ask(holds, ana, event, [1, 2, 3])) as HoldView
  // All of them, and some of them; again at once, as after a refusal that other calls share.
  for (const seats of [[1, 2, 3], [3, 1], [2], [2]])
    expect(await ask(holds, ana, event, seats)).toMatchObject({ id: first.id, items: first.items })
  // Another fan is in conflict, and so is a choice that the hold does not have as a whole.
  expect(await ask(holds, bob, event, [1, 2])).toBeInstanceOf(SeatsTaken)
  expect(await ask(holds, ana, event, [3, 4])).toBeInstanceOf(SeatsTaken)
  expect(isHold(await ask(holds, ana, event, [4, 5]))).toBe(true)
  expect(await ask(holds, ana, event, [3, 4])).toBeInstanceOf(SeatsTaken)

  await runOut(database, first)
  const again = await ask(holds, ana, event, [1, 2])
  expect(again).toMatchObject({ state: 'ACTIVE' })
  expect((again as HoldView).id).not.toBe(first.id)
  await expectInvariants(database, event.id)
})
