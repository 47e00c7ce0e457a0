import { Prisma } from '#prisma'
import { HELD, type SeatChange, seatChanges } from '../seatStatus.ts'
import type { Database } from './database/database.ts'
import { changesOfFreed, type FreedSeats } from './holds/endedHolds.ts'

export type WaitlistState = 'WAITING' | 'OFFERED' | 'FULFILLED' | 'LAPSED' | 'LEFT'

/** A part of the plan that an entry waits for; null for any. */
export interface Wish {
  readonly sectionNo: number | null
  readonly levelNo: number | null
}

export interface NewEntry {
  eventId: string
  /** The id that the entry gets if it is made. */
  id: string
  accountId: string
  email: string | null
  quantity: number
  /** In the fan's order, at least one. */
  wishes: readonly Wish[]
  /** Side by side in one row only; null: preferred. */
  together: boolean | null
  /** How many of the quantity are wheelchair seats; the others are companion seats of these. 0: usual seats. */
  wheelchairSeats: number
  /** Takes fewer than `quantity` where no more have come back. */
  acceptFewer: boolean
}

export type Joined = { settled: string | null } & (
  | { outcome: 'joined' | 'known'; entryId: string; closed: boolean }
  | { outcome: 'ticket_limit'; ticketLimit: number; used: number; held: number }
  | {
      outcome: 'not_sold_out'
      wish: number
      quantity: number
      together: boolean
      seatNos: number[]
      area: number | null
    }
  | { outcome: 'not_sold_out'; wish: null }
  | { outcome: 'admission_required' | 'ended' | 'no_sale' }
)

/** See prisma/functions/join_waitlist.sql. */
export async function joinWaitlist(db: Database, entry: NewEntry): Promise<Joined> {
  const [first, ...others] = entry.wishes
  const [row] = await db.prisma.$queryRaw<[Joined]>`
    select outcome, entry_id as "entryId", closed, settled, wish, quantity, together, seat_nos as "seatNos", area::int as area,
        ticket_limit as "ticketLimit", used, held
      from join_waitlist(
        ${entry.eventId}, ${entry.id}, ${entry.accountId}, ${entry.email}, ${entry.quantity},
        ${first?.sectionNo ?? null}, ${first?.levelNo ?? null},
        ${others.map(({ sectionNo }) => sectionNo)}::smallint[], ${others.map(({ levelNo }) => levelNo)}::smallint[],
        ${entry.together}, ${entry.wheelchairSeats}, ${entry.acceptFewer}
      )`
  return row
}

export interface Left {
  outcome: 'left' | 'over' | 'in_checkout' | 'not_found'
  /** The offer that was ended; its seats are in `changes`. */
  holdId: string | null
  changes: SeatChange[]
}

/** See prisma/functions/leave_waitlist.sql. */
export async function leaveWaitlist(
  db: Database,
  eventId: string,
  entryId: string,
  accountId: string,
): Promise<Left> {
  const [{ freed, revisions, ...row }] = await db.prisma.$queryRaw<[Omit<Left, 'changes'> & FreedSeats]>`
    select outcome, hold_id as "holdId", freed, revisions
      from leave_waitlist(${eventId}, ${entryId}, ${accountId})`
  return { ...row, changes: changesOfFreed({ freed, revisions }) }
}

export interface Offered {
  outcome: 'offered' | 'closed' | 'opened' | 'idle' | 'paused' | 'over' | 'missed' | 'passing'
  /** The entries whose offers were over. */
  settled: string[] | null
  /** The entries that waited until the sale was over, up to thousands at a time. */
  ended: string[] | null
  /** The entry that got the offer; the hold's seats are in `changes`. */
  entryId: string | null
  changes: SeatChange[]
}

/** See prisma/functions/offer_waitlist.sql. `holdId`: the id that the offer's hold gets if it is made. */
export async function offerWaitlist(db: Database, eventId: string, holdId: string): Promise<Offered> {
  const [{ seatNos, revisions, ...row }] = await db.prisma.$queryRaw<
    [Omit<Offered, 'changes'> & { seatNos: number[] | null; revisions: number[] | null }]
  >`
    select outcome, settled, ended, entry_id as "entryId", seat_nos as "seatNos", revisions
      from offer_waitlist(${eventId}, ${holdId})`
  return { ...row, changes: seatNos && revisions ? seatChanges(seatNos, HELD, revisions) : [] }
}

/**
 * Ids of the events whose waitlist needs a run of offer_waitlist: entries that are not over, a demand that may be of
 * entries that are, or a sale that goes on and is the waitlist's.
 */
export async function eventsWithWaitlist(db: Database): Promise<string[]> {
  const rows = await db.prisma.$queryRaw<{ eventId: string }[]>`
    select s.event_id as "eventId" from sales s join events e on e.id = s.event_id
      where s.waitlist_only and waitlist_end(s.ends_at, e.starts_at) > now()
        or exists (select from waitlist_entries w where w.event_id = s.event_id and w.state = 'OFFERED')
        or exists (select from waitlist_entries w where w.event_id = s.event_id and w.state = 'WAITING')
        or exists (select from waitlist_demand d where d.event_id = s.event_id)`
  return rows.map(({ eventId }) => eventId)
}

export interface EntryRow {
  id: string
  eventId: string
  state: WaitlistState
  quantity: number
  /** Grows in the order of joining. */
  no: number
  /** In the fan's order. */
  wishes: Wish[]
  wheelchairSeats: number
  holdId: string | null
}

/** The wishes of an entry `w`, as JSON. */
const WISHES = `(
    select json_agg(json_build_object('sectionNo', x.section_no, 'levelNo', x.level_no) order by x.nth)
    from wishes_of(w.section_no, w.level_no, w.else_sections, w.else_levels) x
  )`

// An offer is over when its hold is, whether or not offer_waitlist has run since.
const ENTRIES = Prisma.sql`
  select w.id, w.event_id as "eventId", w.quantity, w.no::float8 as no, w.hold_id as "holdId",
      w.wheelchair_seats as "wheelchairSeats", ${Prisma.raw(WISHES)} as wishes,
      case
        when w.state <> 'OFFERED' or h.outcome is null then w.state
        when h.outcome = 'SOLD' then 'FULFILLED'
        else 'LAPSED'
      end as state
    from waitlist_entries w
    left join holds h on h.event_id = w.event_id and h.id = w.hold_id`

/** Null where there is no such entry, or it is another account's. */
export async function readEntry(
  db: Database,
  accountId: string,
  eventId: string,
  entryId: string,
): Promise<EntryRow | null> {
  const [row] = await db.prisma.$queryRaw<EntryRow[]>`
    ${ENTRIES} where w.event_id = ${eventId} and w.id = ${entryId} and w.account_id = ${accountId}`
  return row ?? null
}

/** An account's entries, newest first, for one event or all. */
export function listEntries(
  db: Database,
  accountId: string,
  eventId: string | null,
  limit: number,
): Promise<EntryRow[]> {
  return db.prisma.$queryRaw<EntryRow[]>`
    ${ENTRIES}
      where w.account_id = ${accountId} and (${eventId}::text is null or w.event_id = ${eventId})
      order by w.no desc
      limit ${limit}`
}

/** The entries that wait for the same seats: their `no`s, ascending, and the tickets that each of them wants. */
export interface WaitingRow {
  wishes: Wish[]
  forWheelchairs: boolean
  nos: number[]
  quantities: number[]
}

/** All entries of an event that wait. */
export async function readWaiting({ pool }: Database, eventId: string): Promise<WaitingRow[]> {
  const { rows } = await pool.query<WaitingRow>(
    `select ${WISHES} as wishes, w."forWheelchairs", w.nos, w.quantities
       from (
         select section_no, level_no, else_sections, else_levels, wheelchair_seats > 0 as "forWheelchairs",
           array_agg(no::float8 order by no) as nos, array_agg(quantity order by no) as quantities
         from waitlist_entries
         where event_id = $1 and state = 'WAITING'
         group by section_no, level_no, else_sections, else_levels, wheelchair_seats > 0
       ) w`,
    [eventId],
  )
  return rows
}

/** The seats of one kind in a section at a price level. */
export interface CellRow {
  sectionNo: number
  levelNo: number
  /** `companion`: of the wheelchair seats of this section. */
  kind: 'seat' | 'area' | 'wheelchair' | 'companion'
  seats: number
  held: number
}

const KIND = `case
    when s.row_no is null then 'area'
    when s.wheelchair then 'wheelchair'
    when s.companion_of is not null then 'companion'
    else 'seat'
  end`

/** Every cell of an event's plan, with the seats that are held now. Reads every seat: keep the answer for some seconds. */
export async function readCells({ pool }: Database, eventId: string): Promise<CellRow[]> {
  const { rows } = await pool.query<CellRow>(
    `select s.section_no::int as "sectionNo", s.level_no::int as "levelNo", ${KIND} as kind, count(*)::int as seats,
         count(*) filter (where s.status = seat_status('HELD') and not is_free(s.status, s.held_until))::int as held
       from seats s
       where s.event_id = $1
       group by 1, 2, 3`,
    [eventId],
  )
  return rows
}

/** The numbers of companion seats of each wheelchair seat of an event. */
export async function readWheelchairSeats(
  { pool }: Database,
  eventId: string,
): Promise<{ sectionNo: number; levelNo: number; companions: number }[]> {
  const { rows } = await pool.query(
    `select s.section_no::int as "sectionNo", s.level_no::int as "levelNo", (
         select count(*)::int from seats c where c.event_id = s.event_id and c.companion_of = s.no
       ) as companions
       from seats s
       where s.event_id = $1 and s.wheelchair`,
    [eventId],
  )
  return rows
}

/** An offer as its mail shows it. */
export interface OfferRow {
  accountId: string
  email: string | null
  eventName: string
  slug: string
  timeZone: string
  seats: number
  expiresAt: Date
}

/** Null where the offer is over, or its mail has been sent. */
export async function readOffer(db: Database, eventId: string, entryId: string): Promise<OfferRow | null> {
  const [row] = await db.prisma.$queryRaw<OfferRow[]>`
    select w.account_id as "accountId", w.email, e.name as "eventName", e.slug, e.time_zone as "timeZone", h.expires_at as "expiresAt", (
        select count(*)::int from hold_items i where i.event_id = h.event_id and i.hold_id = h.id
      ) as seats
      from waitlist_entries w
      join events e on e.id = w.event_id
      join holds h on h.event_id = w.event_id and h.id = w.hold_id
      where w.event_id = ${eventId} and w.id = ${entryId} and w.state = 'OFFERED' and w.mailed_at is null
        and h.outcome is null and h.expires_at > sale_clock()`
  return row ?? null
}

export async function markMailed(db: Database, eventId: string, entryId: string): Promise<void> {
  await db.prisma.$executeRaw`
    update waitlist_entries set mailed_at = now() where event_id = ${eventId} and id = ${entryId}`
}
