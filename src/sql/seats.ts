import type { SeatChange } from '../seatStatus.ts'
import type { Database } from './database/database.ts'
import { statement } from './database/statement.ts'

/** Every seat of a section in index order: 4 bytes a seat, big-endian, 4 · revision + status. */
export interface SectionSeatsRow {
  sectionNo: number
  seats: Uint8Array
}

/** Sections' seats as they are now, all sections by default. One short value a section: rows cost many times as much. */
export function readSeats(
  db: Database,
  eventId: string,
  sectionNos: number[] | null = null,
): Promise<SectionSeatsRow[]> {
  return db.prisma.$queryRaw`
    select s.no as "sectionNo", coalesce((
      select string_agg(int4send(x.revision * 4 + x.status), ''::bytea order by x.no)
      from seats x
      where x.event_id = s.event_id and x.no >= s.first_seat and x.no < s.first_seat + s.capacity
    ), '') as seats
    from sections s
    where s.event_id = ${eventId} and (${sectionNos}::int[] is null or s.no = any (${sectionNos}::int[]))`
}

export interface ChangedSections {
  sectionNos: number[]
  /** For the next call. */
  mark: string
}

/**
 * The sections with a seat that was written since the mark was made; all sections where the mark cannot be used.
 *
 * A row has the number of the transaction that wrote it, and a snapshot the number of the oldest one still running. A
 * write that a snapshot does not see is of that transaction or of a later one. So no write is missed, however long its
 * transaction takes, at no cost for writers. The query reads only the first columns of each row, for a quarter of the CPU.
 *
 * A crash undoes transactions, and recovery gives their numbers to others. The mark is valid for as long as the server's
 * statistics are: recovery resets both.
 */
export async function readChangedSections(
  { pool }: Database,
  eventId: string,
  mark: string | null,
): Promise<ChangedSections> {
  const { rows } = await pool.query<ChangedSections>({
    name: 'read_changed_sections',
    text: `with life as materialized (
        select extract(epoch from stats_reset)::text as began, pg_snapshot_xmin(pg_current_snapshot())::text as oldest
        from pg_stat_bgwriter
      ), since as materialized (
        select case split_part($2, '/', 1) when began then age(split_part($2, '/', 2)::xid8::xid) else 2147483647 end
            as age
        from life
      )
      select array(
          select distinct s.section_no::int from seats s
          where s.event_id = $1 and age(s.xmin) <= (select age from since)
        ) as "sectionNos",
        began || '/' || oldest as mark
      from life`,
    values: [eventId, mark],
  })
  return rows[0] as ChangedSections
}

export interface SectionCountsRow {
  sectionNo: number
  /** The sum of the revisions. */
  version: number
  available: number
  held: number
  sold: number
  notForSale: number
}

export function countSeats(db: Database, eventId: string): Promise<SectionCountsRow[]> {
  return db.prisma.$queryRaw`
    select section_no::int as "sectionNo", sum(revision)::float8 as version,
      count(*) filter (where status = seat_status('AVAILABLE'))::int as available,
      count(*) filter (where status = seat_status('HELD'))::int as held,
      count(*) filter (where status = seat_status('SOLD'))::int as sold,
      count(*) filter (where status = seat_status('NOT_FOR_SALE'))::int as "notForSale"
    from seats
    where event_id = ${eventId}
    group by section_no`
}

export interface FreeSeatRow {
  readonly no: number
  readonly row: number
  /** Along the row: two seats are side by side where their positions differ by one. */
  readonly position: number
  /** The number of seats of a closed row, whose last seat is beside the first; 0 of any other row. */
  readonly ringSize: number
  /** Neither a wheelchair seat nor a companion seat: a fan holds those by name. */
  readonly usual: boolean
  /** At a table: no choice strands it. */
  readonly atTable: boolean
}

const READ_FREE_SEATS = statement(
  'read_free_seats',
  `select coalesce(
     string_agg(
       int4send(no) || int4send(row_no) || int4send(row_place % 65536) || int4send(
         4 * ring_size(row_place) + 2 * (across is not null)::int + (not wheelchair and companion_of is null)::int),
       ''::bytea order by row_no, row_place),
     '') as seats
   from seats
   where event_id = $1 and is_free(status, held_until)
     and row_no = any (array(
       select distinct x.row_no from seats x
       where x.event_id = $1 and x.no >= $2 and x.no < $3 and x.row_no is not null))`,
)

/**
 * The free seats of every row that has a seat from number `from` up to and without `to`: whole rows, one after another, and
 * along each. One value of four bytes a figure, since rows would cost a multiple.
 */
export async function readFreeSeats(
  db: Database,
  eventId: string,
  from: number,
  to: number,
): Promise<FreeSeatRow[]> {
  const [{ seats }] = (await db.pipelined<{ seats: Uint8Array }>(
    READ_FREE_SEATS(eventId, from, to),
    eventId,
  )) as [{ seats: Uint8Array }]
  const packed = Buffer.from(seats.buffer, seats.byteOffset, seats.byteLength)
  return Array.from({ length: packed.length / 16 }, (_, i) => {
    const kind = packed.readInt32BE(16 * i + 12)
    return {
      no: packed.readInt32BE(16 * i),
      row: packed.readInt32BE(16 * i + 4),
      position: packed.readInt32BE(16 * i + 8),
      ringSize: kind >> 2,
      usual: (kind & 1) === 1,
      atTable: (kind & 2) === 2,
    }
  })
}

/**
 * The longest block of the plan, or the largest group at a table, of a section or a price level where that is given. It never
 * changes.
 */
export async function readLongestBlock(
  { pool }: Database,
  eventId: string,
  { sectionNo, levelNo }: { sectionNo: number | null; levelNo: number | null },
): Promise<number> {
  const { rows } = await pool.query<{ length: number }>(
    `with usual as (
       select no, across, row_no, row_place, rank
       from seats
       where event_id = $1 and row_no is not null and not wheelchair and companion_of is null
         and ($2::int is null or section_no = $2) and ($3::int is null or level_no = $3)
     )
     select coalesce(max(b.length), 0)::int as length
     from (
       select count(*) as length
       from (select row_no, row_place - row_number() over (partition by row_no order by row_place) as stretch from usual) s
       group by row_no, stretch
       union all
       select 2 * count(*)
       from (
         select a.row_no, a.row_place - row_number() over (partition by a.row_no order by a.row_place) as stretch
         from usual a join usual b on b.no = a.across
       ) p
       group by row_no, stretch
     ) b`,
    [eventId, sectionNo, levelNo],
  )
  return (rows[0] as { length: number }).length
}

/** Raises seats' revisions above those given, where they are not above. Returns the seats that it raised. */
export function raiseRevisions(
  db: Database,
  eventId: string,
  above: readonly { seatNo: number; revision: number }[],
): Promise<SeatChange[]> {
  const nos = above.map(({ seatNo }) => seatNo)
  const revisions = above.map(({ revision }) => revision)
  return db.prisma.$queryRaw`
    with locked as (
      select s.no
      from seats s
      where s.event_id = ${eventId} and s.no = any (${nos}::int[])
      order by s.no
      for no key update
    )
    update seats s
    set revision = a.revision + 1
    from locked l join unnest(${nos}::int[], ${revisions}::int[]) a (no, revision) on a.no = l.no
    where s.event_id = ${eventId} and s.no = l.no and s.revision <= a.revision
    returning s.no as "seatNo", s.status::int, s.revision`
}
