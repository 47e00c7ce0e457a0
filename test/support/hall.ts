import { locateSeats, type SeatPosition } from '../../src/sale/plan/locateSeats.ts'
import type { PlanSeat } from '../../src/sale/plan/seatingPlan.ts'
import type { Database } from '../../src/sql/database/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from './event.ts'
import { planOfSeats } from './plans.ts'

/** An event of one section, whose seats are numbered from 1 in the order given and stand where the plan has them. */
export interface HallEvent extends TestEvent {
  readonly positions: readonly SeatPosition[]
}

/** Inserts an event whose rows follow from where its seats stand, as for a plan that an organizer loads. */
export async function insertHall(
  db: Database,
  seats: readonly Partial<PlanSeat>[],
  options: Omit<TestEventOptions, 'sections'> = {},
): Promise<HallEvent> {
  const event = await insertEvent(db, { ...options, sections: [{ seats: seats.length }] })
  const [positions = []] = locateSeats(planOfSeats(seats)).positions
  await db.pool.query(
    `update seats s set row_no = x.row_no, row_place = 65536 * x.ring + x.position, rank = x.rank, across = x.across
     from unnest($2::int[], $3::int[], $4::int[], $5::int[], $6::int[])
       with ordinality x (row_no, ring, position, rank, across, no)
     where s.event_id = $1 and s.no = x.no`,
    [
      event.id,
      positions.map(({ rowNo }) => rowNo),
      positions.map(({ ringSize }) => ringSize ?? 0),
      positions.map(({ position }) => position),
      positions.map(({ rank }) => rank),
      positions.map(({ across }) => (across === null ? null : across + 1)),
    ],
  )
  return { ...event, positions }
}
