import { createHash, randomBytes } from 'node:crypto'
import { newEventId, planId } from '../../src/sale/ids.ts'
import type { Database } from '../../src/sql/database/database.ts'
import type { LayoutSeat } from '../../src/sql/plans.ts'

export interface TestSection {
  /** A section of seats in rows of 20. Their keys are `<section>-<row>-<number>`. */
  seats?: number
  /** Or the number of units of general admission. */
  places?: number
  key?: string
}

export interface TestEventOptions {
  /** Default: one section `A` of 40 seats. */
  sections?: TestSection[]
  currency?: string
  price?: bigint
  fee?: bigint
  waitingRoom?: boolean
  /** Defaults: `preQueueOpensInSeconds` -900 and `opensInSeconds` -60, so the sale opened a minute ago. */
  preQueueOpensInSeconds?: number
  opensInSeconds?: number
  endsInSeconds?: number | null
  paused?: boolean
  /** The defaults of these settings are generous: only a test that sets a limit reaches it. */
  ticketLimit?: number
  holdSeconds?: number
  admissionSeconds?: number
  turnSeconds?: number
  shoppersPerOrder?: number
  holdsPerMinute?: number
  unpaidHolds?: number
  heldPerAddress?: number
  heldPerDevice?: number
  allowOrphanSeats?: boolean
  seatPicking?: boolean
  /** The most people that the room calls in a second. */
  rate?: number
  beaconSource?: string
  /** The account that may change the event, besides ops. Default: olga. */
  owner?: string
}

export interface TestEvent {
  readonly id: string
  readonly slug: string
  /** Every seat and unit, 1 … n. The numbers of a section are consecutive. */
  readonly seatNos: readonly number[]
  seatId(seatNo: number): string
  sectionId(sectionNo: number): string
}

const ROW = 20

/**
 * Inserts an event with its plan, one price level for each section, its sale and its room. Sections are numbered
 * from 1. Seats are numbered from 1 through all sections; a lower number is a better seat.
 *
 * @param roomDb the database of the rooms, where it is another one
 */
export async function insertEvent(
  db: Database,
  options: TestEventOptions = {},
  roomDb: Database = db,
): Promise<TestEvent> {
  const id = newEventId()
  const slug = `test-${id.slice(4)}`
  const plan = planOf(id, options.sections ?? [{ seats: 40 }])
  const at = (seconds: number) => new Date(Date.now() + seconds * 1_000)
  const opensInSeconds = options.opensInSeconds ?? -60
  const preQueueOpensInSeconds = options.preQueueOpensInSeconds ?? Math.min(opensInSeconds, 0) - 840
  const { prisma } = db

  await prisma.$transaction([
    prisma.event.create({
      data: {
        id,
        slug,
        name: 'Test concert',
        performers: ['The Testers'],
        venueName: 'Test hall',
        startsAt: at(30 * 86_400),
        timeZone: 'Europe/Berlin',
        planWidth: 1_000,
        planHeight: 1_000,
        currency: options.currency ?? 'EUR',
      },
    }),
    prisma.eventOwner.create({ data: { eventId: id, accountId: options.owner ?? 'olga' } }),
    prisma.section.createMany({ data: plan.sections }),
    prisma.priceLevel.createMany({
      data: plan.sections.map(({ no, key }) => ({
        eventId: id,
        no,
        key,
        name: key,
        color: '#336699',
        price: options.price ?? 5_000n,
        fee: options.fee ?? 450n,
      })),
    }),
    prisma.sale.create({
      data: {
        eventId: id,
        preQueueOpensAt: at(preQueueOpensInSeconds),
        opensAt: at(opensInSeconds),
        endsAt: options.endsInSeconds == null ? null : at(options.endsInSeconds),
        waitingRoom: options.waitingRoom ?? false,
        paused: options.paused ?? false,
        ticketLimit: options.ticketLimit ?? 8,
        holdSeconds: options.holdSeconds ?? 600,
        admissionSeconds: options.admissionSeconds ?? 600,
        turnSeconds: options.turnSeconds ?? 600,
        shoppersPerOrder: options.shoppersPerOrder ?? 1,
        holdsPerMinute: options.holdsPerMinute ?? 1_000,
        unpaidHolds: options.unpaidHolds ?? 1_000,
        heldPerAddress: options.heldPerAddress ?? 100_000,
        heldPerDevice: options.heldPerDevice ?? 100_000,
        allowOrphanSeats: options.allowOrphanSeats ?? true,
        seatPicking: options.seatPicking ?? true,
        challenge: 'NEVER',
      },
    }),
  ])
  // One statement makes a plan of 50,000 seats in the database; sending the rows would take seconds.
  await db.pool.query(
    `insert into seats (event_id, no, section_no, level_no, key, row_no, row_place, rank)
     select $1, no, section_no, section_no, key, row_no, row_place, case when row_no is not null then no end
     from unnest($2::int[], $3::smallint[], $4::text[], $5::int[], $6::int[]) s (no, section_no, key, row_no, row_place)`,
    [
      id,
      plan.seats.map(({ no }) => no),
      plan.seats.map(({ sectionNo }) => sectionNo),
      plan.seats.map(({ key }) => key),
      plan.seats.map(({ rowNo }) => rowNo),
      plan.seats.map(({ rowPlace }) => rowPlace),
    ],
  )
  if (options.waitingRoom) {
    const seed = randomBytes(32)
    await roomDb.prisma.room.create({
      data: {
        eventId: id,
        seed,
        commitment: createHash('sha256').update(seed).digest('hex'),
        beaconSource: options.beaconSource ?? null,
        opensAt: at(opensInSeconds),
        // A sale that is open already has no draw: places are arrival indexes.
        size: opensInSeconds > 0 || options.beaconSource ? null : 0,
        rateCeiling: options.rate ?? 30,
      },
    })
  }
  return {
    id,
    slug,
    seatNos: plan.seats.map(({ no }) => no),
    seatId: (no) => planId('seat', id, no),
    sectionId: (no) => planId('sec', id, no),
  }
}

function planOf(eventId: string, wanted: TestSection[]) {
  const seats: {
    no: number
    sectionNo: number
    key: string
    rowNo: number | null
    rowPlace: number | null
  }[] = []
  let rows = 0
  const sections = wanted.map((section, i) => {
    const no = i + 1
    const key = section.key ?? letters(i)
    const firstSeat = seats.length + 1
    const seated = section.places === undefined
    const capacity = section.places ?? section.seats ?? 0
    const layout: LayoutSeat[] = []
    for (let index = 0; index < capacity; index++) {
      const row = String(Math.floor(index / ROW) + 1)
      const number = String((index % ROW) + 1)
      const seatKey = `${key}-${row}-${number}`
      if (seated && index % ROW === 0) rows++
      seats.push({
        no: firstSeat + index,
        sectionNo: no,
        key: seatKey,
        rowNo: seated ? rows : null,
        rowPlace: seated ? (index % ROW) + 1 : null,
      })
      if (!seated) continue
      layout.push({
        id: planId('seat', eventId, firstSeat + index),
        key: seatKey,
        index,
        row,
        number,
        x: 25 * (index % ROW),
        y: 25 * Math.floor(index / ROW),
        priceLevelId: planId('lvl', eventId, no),
        wheelchair: false,
        companionOf: null,
      })
    }
    return {
      eventId,
      no,
      key,
      name: `Section ${key}`,
      kind: seated ? 'SEATED' : 'GENERAL_ADMISSION',
      capacity,
      firstSeat,
      levelNos: [no],
      outline: [],
      layout: layout as object[],
      layoutHash: 'test',
    }
  })
  return { sections, seats }
}

/** A, B, … Z, AA, AB, … */
function letters(i: number): string {
  const last = String.fromCharCode(65 + (i % 26))
  return i < 26 ? last : letters(Math.floor(i / 26) - 1) + last
}

/** Ends a sale now: the pacer and the other schedules stop for it, where more tests run beside the same jobs. */
export async function endSale({ pool }: Database, eventId: string): Promise<void> {
  await pool.query(
    `update sales set opens_at = least(opens_at, now()), ends_at = now() + interval '1 ms',
       pre_queue_opens_at = least(pre_queue_opens_at, now()) where event_id = $1`,
    [eventId],
  )
}
