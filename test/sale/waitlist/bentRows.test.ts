import { expect, test } from 'vitest'
import { testAccount } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertHall } from '../../support/hall.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { testWaitlist } from '../../support/waitlist.ts'

const database = await testDatabase()
const waitlist = testWaitlist(database)

const TABLE = Array.from({ length: 8 }, (_, i) => ({ row: '1', x: 60 * (i % 2), y: 25 * Math.floor(i / 2) }))
const RING = Array.from({ length: 12 }, (_, i) => ({
  x: 50 * Math.cos((Math.PI * i) / 6),
  y: 50 * Math.sin((Math.PI * i) / 6),
}))

test.each([
  { what: 'across a table', seats: TABLE, back: [1, 2, 7], quantity: 2, offered: [1, 2] },
  { what: 'around the seam of a closed row', seats: RING, back: [1, 12, 6], quantity: 2, offered: [1, 12] },
])(
  'a couple that waits to sit together is offered seats $what',
  async ({ seats, back, quantity, offered }) => {
    const event = await insertHall(database, seats, { allowOrphanSeats: false })
    await database.sql('update seats set status = 3, revision = revision + 1 where event_id = $1', [event.id])
    await waitlist.joined(testAccount(), event, { quantity, together: true })
    await database.sql(
      'update seats set status = 0, revision = revision + 1 where event_id = $1 and no = any ($2)',
      [event.id, back],
    )
    await waitlist.offer(event.id)
    const rows = await database.sql<{ no: number }>(
      'select no from seats where event_id = $1 and status = 1 order by no',
      [event.id],
    )
    expect(rows.map(({ no }) => no)).toEqual(offered)
    await expectInvariants(database, event.id)
  },
)
