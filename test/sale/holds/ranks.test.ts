import { expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertHall } from '../../support/hall.ts'
import { askFor } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { insertRows } from '../../support/rows.ts'

const database = await testDatabase()
const { holds } = testCheckout(database)

/** Four rows of 15, numbered from the back and with the ranks of a plan: the last seats are the best ones. */
async function insertRanked(allowOrphanSeats: boolean) {
  const seats = Array.from({ length: 60 }, (_, i) => {
    const [row, column] = [Math.floor(i / 15), i % 15]
    return { row: String(4 - row), planRow: row, x: 25 * column, y: 25 * row }
  })
  const event = await insertHall(database, seats, { allowOrphanSeats })
  return { event, rankOf: (no: number) => event.positions[no - 1]?.rank as number, places: event.positions }
}

test.each([{ allowOrphanSeats: true }, { allowOrphanSeats: false }])(
  'best available starts in the middle of the front row, and takes the next row’s middle before the ends of the first (orphan seats $allowOrphanSeats)',
  async ({ allowOrphanSeats }) => {
    const { event, rankOf, places } = await insertRanked(allowOrphanSeats)
    const blocks: number[][] = []
    for (let i = 0; i < 20; i++) {
      const hold = await askFor(holds, testAccount(), event, { bestAvailable: { quantity: 3 } })
      blocks.push((hold as HoldView).items.map(({ seatNo }) => seatNo))
    }
    expect(blocks[0]).toEqual([52, 53, 54])
    const sums = blocks.map((block) => block.reduce((sum, no) => sum + rankOf(no), 0))
    expect(sums).toEqual(sums.toSorted((a, b) => a - b))
    const rows = blocks.map(([no = 0]) => places[no - 1]?.rowNo as number)
    expect(rows.indexOf(2)).toBeLessThan(rows.lastIndexOf(1))
    await expectInvariants(database, event.id)
  },
)

test('the next search begins at the first row with a block that leaves no single seat, even where a better block is behind it', async () => {
  const event = await insertRows(database, '... / ..... / .....')
  await database.sql('update seats set rank = 100 - no where event_id = $1', [event.id])
  const [seen] = await database.sql(
    'select nos, first_row from take_block($1, null, null, 2, 0, true, false, false)',
    [event.id],
  )
  expect(seen).toEqual({ nos: [12, 13], first_row: 2 })
})
