import { expect, test } from 'vitest'
import type { HoldView } from '../../../src/sale/holds/holds.ts'
import { locateSeats } from '../../../src/sale/plan/locateSeats.ts'
import { testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { askFor } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { planOfSeats } from '../../support/plans.ts'
import { insertRows } from '../../support/rows.ts'

const database = await testDatabase()
const { holds } = testCheckout(database)

/** Four rows of 15, numbered from the back and with the ranks of a plan: the last seats are the best ones. */
async function insertRanked(allowOrphanSeats: boolean) {
  const plan = Array(4).fill('...............').join('/')
  const event = await insertRows(database, plan, { allowOrphanSeats })
  const seats = event.rowSeats.map(({ no, row, place }) => ({
    key: String(no),
    row: String(5 - row),
    planRow: row - 1,
    number: String(place),
    x: 25 * place,
    y: 25 * row,
  }))
  const [places = []] = locateSeats(planOfSeats(seats)).positions
  await database.sql(
    `update seats s set row_no = x.row_no, row_place = x.row_place, rank = x.rank
     from unnest($2::int[], $3::int[], $4::int[]) with ordinality x (row_no, row_place, rank, no)
     where s.event_id = $1 and s.no = x.no`,
    [
      event.id,
      places.map(({ rowNo }) => rowNo),
      places.map(({ position }) => position),
      places.map(({ rank }) => rank),
    ],
  )
  return { event, rankOf: (no: number) => places[no - 1]?.rank as number, places }
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
