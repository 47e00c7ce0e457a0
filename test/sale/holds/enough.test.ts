import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, expect, test } from 'vitest'
import { NotEnoughAvailable } from '../../../src/sale/refusals.ts'
import { runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { askFor, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { LONG } from '../../support/long.ts'
import { seededRandom } from '../../support/random.ts'
import { createReturns, earliest, freeThroughout, latest, recordSeats } from '../../support/seatHistory.ts'

/*
 * Every refusal as "not enough" is checked against the recorded history of every seat, and not against the refusal's own
 * figures.
 */
const database = await testDatabase({ connections: 40 })
const processes = [testCheckout(database), testCheckout(database.another())] as const
const holdsOf = (i: number) => (processes[i % 2] as (typeof processes)[0]).holds

beforeAll(() => recordSeats(database))

const TIMES = LONG ? 12 : 4

type Selection = (quantity: number) => Parameters<typeof askFor>[3]

/**
 * 40 buyers request 1 to 6 seats, `TIMES` times each and until there are enough refusals to judge. They release each hold or
 * let it expire, moments later.
 */
async function rush(event: TestEvent, selection: Selection) {
  const random = seededRandom()
  const refused: { quantity: number; available: number; from: number; to: number }[] = []
  const returns = createReturns()
  await sideBySide(40, 40, async (i) => {
    for (let n = 0; n < TIMES || (refused.length <= 50 && n < 200); n++) {
      const account = testAccount()
      const quantity = 1 + Math.floor(random() * 6)
      const from = earliest()
      const result = await askFor(holdsOf(i), account, event, selection(quantity))
      if (!isHold(result)) {
        expect(result).toBeInstanceOf(NotEnoughAvailable)
        const { available } = result as NotEnoughAvailable
        refused.push({ quantity, available, from, to: latest() })
        await sleep(random() * 10)
        continue
      }
      expect(result.items).toHaveLength(quantity)
      await sleep(random() * 20)
      if (random() < 0.3) await runOut(database, result)
      else await holdsOf(i + 1).release(account, result.id)
      returns.gaveBack(result.items.map(({ seatNo }) => seatNo))
    }
  })
  await expectInvariants(database, event.id)
  expect(refused.length).toBeGreaterThan(4 * TIMES)
  for (const { quantity, available } of refused) expect(available).toBeLessThan(quantity)
  return { refused, seenAt: returns.seenAt }
}

test('general admission refuses no fan as “not enough” while as many units stay free through the request', async () => {
  const event = await insertEvent(database, { sections: [{ places: 60, key: 'floor' }] })
  const { refused, seenAt } = await rush(event, (quantity) => ({
    generalAdmission: { sectionId: 'floor', quantity },
  }))
  const isFree = await freeThroughout(database, event, seenAt)
  const untrue = refused.filter(
    ({ quantity, from, to }) => event.seatNos.filter((no) => isFree(no, from, to)).length >= quantity,
  )
  console.log(`${refused.length} refusals, ${untrue.length} while enough stayed free`)
  expect(untrue.length).toBeLessThan(0.005 * refused.length)
})

test.each([
  { together: true, allowOrphanSeats: true },
  { together: true, allowOrphanSeats: false },
  { together: false, allowOrphanSeats: true },
  { together: false, allowOrphanSeats: false },
])(
  'best available refuses no fan as “not enough” while such seats stay free (together $together, orphan seats $allowOrphanSeats)',
  async ({ together, allowOrphanSeats }) => {
    const event = await insertEvent(database, { sections: [{ seats: 60 }], allowOrphanSeats })
    const { refused, seenAt } = await rush(event, (quantity) => ({ bestAvailable: { quantity, together } }))
    const isFree = await freeThroughout(database, event, seenAt)
    const untrue = refused.filter(({ quantity, from, to }) => {
      const free = event.seatNos.map((no) => isFree(no, from, to))
      if (!together) return free.filter(Boolean).length >= quantity
      return event.seatNos.some((no, i) => {
        const block = free.slice(i, i + quantity)
        // Rows are of twenty.
        return ((no - 1) % 20) + quantity <= 20 && block.length === quantity && block.every(Boolean)
      })
    })
    console.log(`${refused.length} refusals, ${untrue.length} while enough stayed free`)
    expect(untrue.length).toBeLessThan(0.005 * refused.length)
  },
)
