import type { Database } from '../../src/sql/database/database.ts'
import { insertEvent, type TestEvent, type TestEventOptions } from './event.ts'

/** A seat in a drawn plan of rows. */
export interface RowSeat {
  readonly no: number
  readonly row: number
  readonly place: number
  readonly levelNo: number
  /** Neither a wheelchair seat nor a companion seat. */
  readonly usual: boolean
  /** Of a companion seat: its wheelchair seat. */
  readonly companionOf: number | null
  readonly atTable?: boolean
}

export interface RowsEvent extends TestEvent {
  readonly rowSeats: readonly RowSeat[]
}

const FRONT = 9

/**
 * Inserts an event of drawn rows. Seats are numbered from 1 in the order of the drawing: `.` is a free seat, `x` a taken
 * seat, `F` a free seat at the front price, `W` a wheelchair seat, `C` the companion seat of the seat before it, and `|`
 * an aisle. `/` begins another row. Blanks are ignored.
 */
export async function insertRows(
  db: Database,
  plan: string,
  options: Omit<TestEventOptions, 'sections'> = {},
): Promise<RowsEvent> {
  let no = 0
  let wheelchair = 0
  const drawn = plan
    .replace(/\s/g, '')
    .split('/')
    .flatMap((row, r) =>
      [...row].flatMap((sign, i) => {
        if (sign === '|') return []
        no++
        if (sign === 'W') wheelchair = no
        return [{ no, sign, row: r + 1, place: i + 1, companionOf: sign === 'C' ? wheelchair : null }]
      }),
    )
  const event = await insertEvent(db, { ...options, sections: [{ seats: drawn.length }] })
  const rowSeats = drawn.map(({ no, sign, row, place, companionOf }) => ({
    no,
    row,
    place,
    levelNo: sign === 'F' ? FRONT : 1,
    usual: sign !== 'W' && sign !== 'C',
    companionOf,
  }))
  await db.pool.query(
    `insert into price_levels (event_id, no, key, name, color, price, fee) values ($1, $2, 'front', 'Front', '#336699', 1, 0)`,
    [event.id, FRONT],
  )
  await db.pool.query(
    `update seats s
     set row_no = x.row, row_place = x.place, level_no = x.level, wheelchair = x.wheelchair, companion_of = x.companion_of,
       status = case when x.gone then 3 else 0 end
     from jsonb_to_recordset($2) x
       (no int, "row" int, place int, level int, wheelchair boolean, companion_of int, gone boolean)
     where s.event_id = $1 and s.no = x.no`,
    [
      event.id,
      JSON.stringify(
        drawn.map(({ no, sign, row, place, companionOf }) => ({
          no,
          row,
          place,
          level: sign === 'F' ? FRONT : 1,
          wheelchair: sign === 'W',
          companion_of: companionOf,
          gone: sign === 'x',
        })),
      ),
    ],
  )
  await db.pool.query(
    `update sections c
     set level_nos = array[1, $2::smallint],
       layout = (
         select jsonb_agg(
           l || jsonb_build_object(
             'row', s.row_no::text, 'x', 25 * s.row_place, 'y', 25 * s.row_no, 'wheelchair', s.wheelchair,
             'companionOf', 'seat' || substr($1, 4) || '_' || s.companion_of,
             'priceLevelId', 'lvl' || substr($1, 4) || '_' || s.level_no)
           order by s.no)
         from jsonb_array_elements(c.layout) l
         join seats s on s.event_id = c.event_id and s.no = (l ->> 'index')::int + 1)
     where c.event_id = $1`,
    [event.id, FRONT],
  )
  return { ...event, rowSeats }
}
