import type { Database } from '../database/database.ts'
import { inTransaction } from '../database/transaction.ts'
import { writeAudit } from '../ops/audit.ts'
import type { EventRows } from './eventRows.ts'

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
