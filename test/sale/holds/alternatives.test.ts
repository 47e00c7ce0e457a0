import { afterEach, expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import type { SeatsTaken } from '../../../src/sale/refusals.ts'
import { testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from '../../support/event.ts'
import { ask, isHold } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { insertRows } from '../../support/rows.ts'

const database = await testDatabase({ connections: 20 })
const { holds } = testCheckout(database)

const events: TestEvent[] = []
async function newEvent(options: TestEventOptions): Promise<TestEvent> {
  const event = await insertEvent(database, options)
  events.push(event)
  return event
}
afterEach(async () => {
  for (const { id } of events.splice(0)) await expectInvariants(database, id)
})

async function alternatives(event: TestEvent, seats: number[]): Promise<number[][]> {
  const refusal = (await ask(holds, testAccount(), event, seats)) as SeatsTaken
  return refusal.alternatives.map((block) => block.map((id) => Number(id.split('_')[2])))
}

test('a refusal offers three nearby blocks of the same size, side by side, and each can be held', async () => {
  const event = await newEvent({ sections: [{ seats: 200 }], allowOrphanSeats: false })
  await ask(holds, testAccount(), event, [101, 102])
  const blocks = await alternatives(event, [102, 103, 104])
  expect(blocks).toHaveLength(3)
  expect(new Set(blocks.flat()).size).toBe(9)
  for (const block of blocks) {
    expect(block.at(-1)).toBe((block[0] as number) + 2)
    // Within three rows of the requested seats.
    expect(Math.abs(Math.ceil((block[0] as number) / 20) - 6)).toBeLessThanOrEqual(3)
    expect(isHold(await ask(holds, testAccount(), event, block))).toBe(true)
  }
})

test('a refusal offers no block of another price level, no held seats, and nothing where no block is left', async () => {
  const event = await newEvent({ sections: [{ seats: 5 }, { seats: 40 }] })
  await ask(holds, testAccount(), event, [1])
  expect(await alternatives(event, [1, 2])).toEqual([
    [2, 3],
    [4, 5],
  ])
  expect(await alternatives(event, [1, 2, 3, 4, 5])).toEqual([])
  await ask(holds, testAccount(), event, [4])
  expect(await alternatives(event, [1, 2])).toEqual([[2, 3]])
})

test('a refusal offers no block that the sale would refuse as orphan seats', async () => {
  for (const [plan, expected] of [
    // Both blocks of the middle piece leave a single seat; some blocks of the right piece leave none.
    ['xx|...|..........', 3],
    ['xx|....', 2],
    // Where the row has no better block, this one can be held.
    ['xx|...|...', 2],
    // A seat beside a free wheelchair seat is not alone, and a wheelchair seat may be left alone.
    ['xx|...W|...', 1],
    ['xx|WC..|...', 1],
    ['xxFF|FF.F|....FF', 2],
  ] as const) {
    for (let round = 0; round < 3; round++) {
      const event = await insertRows(database, plan, { allowOrphanSeats: false })
      const blocks = await alternatives(event, [1, 2])
      for (const block of blocks) {
        const account = testAccount()
        const result = await ask(holds, account, event, block)
        expect(isHold(result), `${block} of ${plan}`).toBe(true)
        await holds.release(account, (result as HoldView).id)
      }
      expect(blocks.length, plan).toBeGreaterThanOrEqual(expected)
    }
  }
})

test('200 fans who lose the same seats at the same moment all get blocks, and not all the same blocks', async () => {
  const event = await newEvent({ sections: [{ seats: 400 }] })
  const results = await Promise.all(
    Array.from({ length: 200 }, () => ask(holds, testAccount(), event, [201, 202])),
  )
  const refused = results.filter((result) => !isHold(result)) as SeatsTaken[]
  expect(refused).toHaveLength(199)
  for (const { alternatives } of refused) expect(alternatives).toHaveLength(3)
  expect(new Set(refused.map(({ alternatives }) => alternatives.join())).size).toBeGreaterThan(10)
})
