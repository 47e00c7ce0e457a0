import type { Database } from './database/database.ts'
import { inTransaction } from './database/transaction.ts'
import type { EventRows, SaleSettings } from './eventRows.ts'
import { writeAudit } from './ops/audit.ts'
import type { EventRow } from './plans.ts'

/**
 * Inserts an event with all its parts, its owner and its audit entry, in one transaction. False where another event has the slug:
 * then nothing is written. Many seats go in one statement: 50,000 take about a second.
 */
export function insertEvent(db: Database, accountId: string, created: EventRows): Promise<boolean> {
  const { event, sections, levels, seats, sale } = created
  return inTransaction(db, async (client) => {
    const { rowCount } = await client.query(
      `insert into events (id, slug, name, performers, venue_name, venue_city, latitude, longitude, starts_at,
         time_zone, plan_width, plan_height, currency, areas, focus)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
       on conflict (slug) do nothing`,
      [
        event.id,
        event.slug,
        event.name,
        event.performers,
        event.venueName,
        event.venueCity,
        event.latitude,
        event.longitude,
        event.startsAt,
        event.timeZone,
        event.planWidth,
        event.planHeight,
        event.currency,
        JSON.stringify(event.areas),
        event.focus && JSON.stringify(event.focus),
      ],
    )
    if (rowCount === 0) return false
    if (created.appearance)
      await client.query('update events set appearance = $2 where id = $1', [
        event.id,
        JSON.stringify(created.appearance),
      ])
    await client.query('insert into event_owners (event_id, account_id) values ($1, $2)', [
      event.id,
      accountId,
    ])
    for (const section of sections)
      await client.query(
        `insert into sections (event_id, no, key, name, kind, capacity, first_seat, level_nos, outline, layout, layout_hash)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
        [
          event.id,
          section.no,
          section.key,
          section.name,
          section.kind,
          section.capacity,
          section.firstSeat,
          section.levelNos,
          section.outline,
          section.layout,
          section.layoutHash,
        ],
      )
    await client.query(
      `insert into price_levels (event_id, no, key, name, color, price, fee, priced)
       select $1, * from unnest($2::smallint[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::boolean[])`,
      [
        event.id,
        levels.map(({ no }) => no),
        levels.map(({ key }) => key),
        levels.map(({ name }) => name),
        levels.map(({ color }) => color),
        levels.map(({ price }) => price),
        levels.map(({ fee }) => fee),
        levels.map(({ priced }) => priced),
      ],
    )
    for (const columns of seats)
      await client.query(
        `insert into seats (event_id, no, section_no, level_no, key, row_no, row_place, rank, wheelchair, companion_of, across, status)
         select $1, no, section_no, level_no, key, row_no, row_place, rank, wheelchair, companion_of, across,
           case when for_sale then seat_status('AVAILABLE') else seat_status('NOT_FOR_SALE') end
         from unnest($2::int[], $3::smallint[], $4::smallint[], $5::text[], $6::int[], $7::int[], $8::int[],
           $9::boolean[], $10::int[], $11::int[], $12::boolean[])
           x (no, section_no, level_no, key, row_no, row_place, rank, wheelchair, companion_of, across, for_sale)`,
        [event.id, ...columns],
      )
    await client.query(
      `insert into sales (event_id, pre_queue_opens_at, opens_at, ends_at, waiting_room, ticket_limit, hold_seconds,
         admission_seconds, turn_seconds, shoppers_per_order, holds_per_minute, unpaid_holds, allow_orphan_seats,
         seat_picking, challenge, held_per_address, held_per_device, payment_minutes, return_fees)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19)`,
      [
        event.id,
        sale.preQueueOpensAt,
        sale.opensAt,
        sale.endsAt,
        sale.waitingRoom,
        sale.ticketLimit,
        sale.holdSeconds,
        sale.admissionSeconds,
        sale.turnSeconds,
        sale.shoppersPerOrder,
        sale.holdsPerMinute,
        sale.unpaidHolds,
        sale.allowOrphanSeats,
        sale.seatPicking,
        sale.challenge,
        sale.heldPerAddress,
        sale.heldPerDevice,
        sale.paymentMinutes,
        sale.returnFees,
      ],
    )
    await writeAudit(client, {
      eventId: event.id,
      accountId,
      action: 'createEvent',
      subject: event.id,
      detail: { slug: event.slug, name: event.name, seats: created.seatCount },
    })
    // Until autovacuum comes by, a minute later, the planner has no statistics of these seats, and plans as for the
    // smaller events before: holds and sweeps of a large event would be many times slower. It is the last statement,
    // since a second plan that loads waits for its lock.
    await client.query('analyze seats')
    return true
  })
}

/** What `updateSale` may change; null for `endsAt`: when the event begins. */
export type SaleChange = Partial<
  Pick<
    SaleSettings,
    | 'preQueueOpensAt'
    | 'opensAt'
    | 'endsAt'
    | 'waitingRoom'
    | 'ticketLimit'
    | 'heldPerAddress'
    | 'heldPerDevice'
    | 'seatPicking'
    | 'challenge'
    | 'returnFees'
  > & { paused: boolean }
>

export interface PriceChange {
  readonly no: number
  readonly price: bigint
  readonly fee: bigint
}

/** The times of a sale that are checked against each other. */
export type SaleTimes = Pick<SaleSettings, 'preQueueOpensAt' | 'opensAt' | 'endsAt'> & {
  /** When the event begins. */
  readonly startsAt: Date
}

/**
 * Changes a sale and its prices, with the audit entry, in one transaction. `check` gets the new times under the sale's
 * lock, and throws to undo the change.
 */
export function changeSale(
  db: Database,
  accountId: string,
  eventId: string,
  change: SaleChange,
  prices: readonly PriceChange[],
  check: (times: SaleTimes) => Promise<void>,
): Promise<void> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<SaleTimes>(
      `select pre_queue_opens_at as "preQueueOpensAt", opens_at as "opensAt", ends_at as "endsAt",
         (select ${STARTS_AT} from events where id = $1) as "startsAt"
       from sales where event_id = $1 for no key update`,
      [eventId],
    )
    await check({ ...(rows[0] as SaleTimes), ...change })
    await client.query(
      `update sales set
         pre_queue_opens_at = coalesce($2, pre_queue_opens_at),
         opens_at = coalesce($3, opens_at),
         ends_at = case when $4 then coalesce($5, (select starts_at from events where id = $1)) else ends_at end,
         waiting_room = coalesce($6, waiting_room),
         ticket_limit = coalesce($7, ticket_limit),
         seat_picking = coalesce($8, seat_picking),
         challenge = coalesce($9, challenge),
         paused = coalesce($10, paused),
         held_per_address = coalesce($11, held_per_address),
         held_per_device = coalesce($12, held_per_device),
         return_fees = coalesce($13, return_fees)
       where event_id = $1`,
      [
        eventId,
        change.preQueueOpensAt,
        change.opensAt,
        'endsAt' in change,
        change.endsAt,
        change.waitingRoom,
        change.ticketLimit,
        change.seatPicking,
        change.challenge,
        change.paused,
        change.heldPerAddress,
        change.heldPerDevice,
        change.returnFees,
      ],
    )
    if (prices.length > 0)
      await client.query(
        `update price_levels l set price = p.price, fee = p.fee, priced = true
         from unnest($2::smallint[], $3::bigint[], $4::bigint[]) p (no, price, fee)
         where l.event_id = $1 and l.no = p.no`,
        [eventId, prices.map(({ no }) => no), prices.map(({ price }) => price), prices.map(({ fee }) => fee)],
      )
    await writeAudit(client, {
      eventId,
      accountId,
      action: 'updateSale',
      subject: eventId,
      detail: { ...change, ...(prices.length > 0 && { prices: prices.map(toDetail) }) },
    })
  })
}

function toDetail({ no, price, fee }: PriceChange) {
  return { level: no, price: Number(price), fee: Number(fee) }
}

export async function isEventOwner({ pool }: Database, eventId: string, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query('select from event_owners where event_id = $1 and account_id = $2', [
    eventId,
    accountId,
  ])
  return rowCount === 1
}

/**
 * Removes and adds owners, with the audit entry, in one transaction, and returns the owners. `check` gets the new owners
 * under the event's lock, and throws to undo the change.
 */
export function changeEventOwners(
  db: Database,
  accountId: string,
  eventId: string,
  change: { readonly add: readonly string[]; readonly remove: readonly string[] },
  check: (owners: readonly string[]) => void,
): Promise<string[]> {
  return inTransaction(db, async (client) => {
    await client.query('select from events where id = $1 for no key update', [eventId])
    await client.query('delete from event_owners where event_id = $1 and account_id = any ($2)', [
      eventId,
      change.remove,
    ])
    await client.query(
      'insert into event_owners (event_id, account_id) select $1, unnest($2::text[]) on conflict do nothing',
      [eventId, change.add],
    )
    const { rows } = await client.query<{ accountId: string }>(
      'select account_id as "accountId" from event_owners where event_id = $1 order by account_id',
      [eventId],
    )
    const owners = rows.map((row) => row.accountId)
    check(owners)
    if (change.add.length + change.remove.length > 0)
      await writeAudit(client, {
        eventId,
        accountId,
        action: 'changeEventOwners',
        subject: eventId,
        detail: change,
      })
    return owners
  })
}

export interface EventSearch {
  /** Each of its words, up to ten, must be the beginning of one of the event's own. An empty text finds every event. */
  readonly text: string
  readonly startsAfter: Date | null
  readonly near: { readonly latitude: number; readonly longitude: number; readonly km: number } | null
  readonly after: {
    readonly rank: number
    /** When the list was first read: it decides for all its pages which events are coming. */
    readonly listedAt: Date
    readonly startsAt: Date
    readonly id: string
  } | null
  readonly limit: number
}

/** Kilometres; a sphere is within 0.6 percent of the ellipsoid. */
const EARTH_RADIUS_KM = 6_371

/**
 * Events that match: coming events before past ones. Then the best match first where there are words; then coming events soonest
 * first, and past events latest first. A text without a letter or digit matches none.
 */
export async function searchEvents(
  { pool }: Database,
  { text, startsAfter, near, after, limit }: EventSearch,
): Promise<(EventRow & { rank: number; listedAt: Date })[]> {
  const { rows } = await pool.query(
    `with query as materialized (
       select string_agg(word || ':*', ' & ')::tsquery as words from unnest((search_words($1))[:10]) word
     )
     select e.* from (
       select ${COLUMNS}, ${LISTED_AT} as "listedAt", ${isPast(STARTS_AT)} as past, ${nearness(STARTS_AT)} as nearness, case when $1::text = '' then 0 else
           ts_rank(event_search(name, performers, venue_name, venue_city), (select words from query)) end as rank
       from events
       where ($1 = '' or event_search(name, performers, venue_name, venue_city) @@ (select words from query))
         and ($2::timestamptz is null or ${STARTS_AT} > $2)
         and ($3::float8 is null or case when latitude between -90 and 90 and longitude between -180 and 180 then
           ${EARTH_RADIUS_KM} * 2 * asin(least(1, sqrt(
             sin(radians(${LATITUDE} - $3) / 2) ^ 2
               + cos(radians($3)) * cos(radians(${LATITUDE})) * sin(radians(${LONGITUDE} - $4) / 2) ^ 2))) <= $5::float8
           end)
     ) e
     where $6::float4 is null or (e.past, -e.rank, e.nearness, e.id) > (${isPast('$7::timestamptz')}, -$6::float4, ${nearness('$7::timestamptz')}, $8::text)
     order by e.past, e.rank desc, e.nearness, e.id
     limit $9`,
    [
      text,
      startsAfter,
      near?.latitude ?? null,
      near?.longitude ?? null,
      near?.km ?? null,
      after?.rank ?? null,
      after?.startsAt ?? null,
      after?.id ?? null,
      limit,
      after?.listedAt ?? null,
    ],
  )
  return rows
}

/** As the cursor has it, see clock.ts: no index serves this order anyway. */
const STARTS_AT = "date_trunc('milliseconds', starts_at)"

const LISTED_AT = "date_trunc('milliseconds', coalesce($10::timestamptz, now()))"
const isPast = (startsAt: string) => `${startsAt} < ${LISTED_AT}`
/** Ascending for coming events, descending for past ones. */
const nearness = (startsAt: string) => `abs(extract(epoch from ${startsAt} - ${LISTED_AT}))`

/**
 * Rounded to a millionth of a degree, as src/sale/numberRanges.ts rounds: PostgreSQL ends a calculation with an error where a
 * result is too small. Rows from before that rounding have any number.
 */
const LATITUDE = 'round(latitude * 1000000) / 1000000'
const LONGITUDE = 'round(longitude * 1000000) / 1000000'

const COLUMNS = `id, slug, name, performers, venue_name as "venueName", venue_city as "venueCity", latitude, longitude,
  ${STARTS_AT} as "startsAt", time_zone as "timeZone", plan_width as "planWidth", plan_height as "planHeight", currency`
