import { expect, test } from 'vitest'
import { createBlocks } from '../../../src/sale/holds/blocks.ts'
import { deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { opsAccount, runOut, testAccount, testCheckout } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { testAdmissions } from '../../support/holds.ts'
import { testWaitlist } from '../../support/waitlist.ts'

const database = await testDatabase()
const { admissions, tokens } = await testAdmissions(database)
const sale = testCheckout(database, { admissions })
const waitlist = testWaitlist(database)
const blocks = createBlocks({ db: database, catalogue: sale.catalogue, seatMap: { publish() {} } })

const device = new Uint8Array(deviceDigest('the phone'))

/**
 * An admitted fan holds seats 1 and 2 of twenty. Another fan holds seat 3 and bought 4 and 5. Seat 6 is blocked, 11 is a
 * wheelchair seat and 12 its companion seat. Section 2 has ten units of general admission.
 */
async function scene() {
  const event = await insertEvent(database, {
    sections: [{ seats: 20 }, { places: 10 }],
    waitingRoom: true,
    ticketLimit: 8,
  })
  await database.sql(
    `update sections set layout = (
       select jsonb_agg(case (x ->> 'index')::int
         when 10 then x || '{"wheelchair": true}'
         when 11 then x || jsonb_build_object('companionOf', $2::text)
         else x end order by (x ->> 'index')::int)
       from jsonb_array_elements(layout) x)
     where event_id = $1 and no = 1`,
    [event.id, event.seatId(11)],
  )
  await database.sql(
    'update seats set wheelchair = no = 11, companion_of = case no when 12 then 11 end where event_id = $1',
    [event.id],
  )
  await setSale(event, 'waiting_room = false')
  const [fan, other] = [testAccount(), testAccount()]
  const held = await sale.hold(fan, event, [1, 2])
  const lapsed = await sale.hold(fan, event, [13])
  const others = await sale.hold(other, event, [3])
  await sale.pay(other, await sale.hold(other, event, [4, 5]))
  await blocks.block(opsAccount(), { eventId: event.id, seats: [event.seatId(6)], reason: 'the camera' })
  await runOut(database, lapsed)
  await sale.holds.release(fan, lapsed.id)
  await setSale(event, 'waiting_room = true')
  await database.sql(
    `insert into admissions (event_id, account_id, arrival, place, device, expires_at)
     values ($1, $2, 5, 3, $3, now() + interval '5 minutes')`,
    [event.id, fan.id, device],
  )
  const expiresAt = new Date(Date.now() + 300_000)
  const tokenOf = (place: number) =>
    tokens.signAdmissionToken({
      eventId: event.id,
      accountId: fan.id,
      arrival: 5,
      place,
      device,
      expiresAt,
    })
  return {
    event,
    fan,
    other,
    held,
    others,
    tokenOf,
    hold: (selection: object, idempotencyKey = sale.key(), admissionToken: string | null = tokenOf(3)) =>
      sale.holds.hold({ account: fan, deviceId: 'the phone', admissionToken }, {
        eventId: event.id,
        idempotencyKey,
        ...selection,
      } as never),
    seats: (...nos: number[]) => ({ seats: nos.map(event.seatId) }),
  }
}

type Scene = Awaited<ReturnType<typeof scene>>

const setSale = (event: TestEvent, change: string) =>
  database.sql(`update sales set ${change} where event_id = $1`, [event.id])

/** Runs `work` while another session has run `statement` in an open transaction; then rolls it back. */
async function during<T>(statement: string, values: unknown[], work: () => Promise<T>): Promise<T> {
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query(statement, values)
    return await work()
  } finally {
    await client.query('rollback')
    client.release()
  }
}

const TABLES = [
  'seats',
  'holds',
  'hold_items',
  'admissions',
  'orders',
  'tickets',
  'sales',
  'waitlist_entries',
]

/** Every row of the event. */
async function everything({ event }: Scene): Promise<Record<string, string[]>> {
  const rows = TABLES.map(async (table) => {
    const found = await database.sql<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t where event_id = $1 order by 1`,
      [event.id],
    )
    return [table, found.map(({ row }) => row)] as const
  })
  return Object.fromEntries(await Promise.all(rows))
}

interface Refused {
  /** The class of the refusal, or the code of the fault. */
  as: string
  /** Prepares the scene. */
  given?(s: Scene): Promise<unknown>
  act(s: Scene): Promise<unknown>
}

const REFUSED: Record<string, Refused> = {
  'a hold of seats that are held, sold or blocked': {
    as: 'SeatsTaken',
    act: (s) => s.hold(s.seats(2, 3, 4, 6, 7)),
  },
  'a hold of one of the fan’s own seats and a free one': {
    as: 'SeatsInOwnHold',
    act: (s) => s.hold(s.seats(2, 7)),
  },
  'a hold of more seats side by side than there are': {
    as: 'NotEnoughAvailable',
    given: (s) => setSale(s.event, 'ticket_limit = 100'),
    act: (s) => s.hold({ bestAvailable: { quantity: 9 } }),
  },
  'a hold of more units than there are': {
    as: 'NotEnoughAvailable',
    given: (s) => setSale(s.event, 'ticket_limit = 100'),
    act: (s) => s.hold({ generalAdmission: { sectionId: s.event.sectionId(2), quantity: 11 } }),
  },
  'a hold that would strand a seat': {
    as: 'OrphanSeats',
    given: (s) => setSale(s.event, 'allow_orphan_seats = false'),
    act: (s) => s.hold(s.seats(8, 9)),
  },
  'a hold of a companion seat alone': { as: 'WheelchairSeatRequired', act: (s) => s.hold(s.seats(12)) },
  'a hold over the ticket limit': {
    as: 'TicketLimitReached',
    given: (s) => setSale(s.event, 'ticket_limit = 3'),
    act: (s) => s.hold(s.seats(7, 8)),
  },
  'a hold of more seats than the limit': {
    as: 'TicketLimitReached',
    given: (s) => setSale(s.event, 'ticket_limit = 2'),
    act: (s) => s.hold(s.seats(7, 8, 9)),
  },
  'a hold over the limit of holds a minute': {
    as: 'TooManyHolds',
    given: (s) => setSale(s.event, 'holds_per_minute = 2'),
    act: (s) => s.hold(s.seats(7)),
  },
  'a hold after too many unpaid holds': {
    as: 'TooManyHolds',
    given: (s) => setSale(s.event, 'unpaid_holds = 1'),
    act: (s) => s.hold(s.seats(7)),
  },
  'a hold with no admission': { as: 'AdmissionRequired', act: (s) => s.hold(s.seats(7), sale.key(), null) },
  'a hold with an admission that has moved': {
    as: 'AdmissionRequired',
    act: (s) => s.hold(s.seats(7), sale.key(), s.tokenOf(4)),
  },
  'a hold before the sale': {
    as: 'SaleNotOpen',
    given: (s) => setSale(s.event, "opens_at = now() + interval '1 minute'"),
    act: (s) => s.hold(s.seats(7)),
  },
  'a hold while the sale is paused': {
    as: 'SalePaused',
    given: (s) => setSale(s.event, 'paused = true'),
    act: (s) => s.hold(s.seats(7)),
  },
  'a hold after the sale': {
    as: 'SaleOver',
    given: (s) => setSale(s.event, "ends_at = now() - interval '1 second'"),
    act: (s) => s.hold(s.seats(7)),
  },
  'a hold of seats that are reserved for the waitlist': {
    as: 'SaleOver',
    given: (s) => setSale(s.event, 'waitlist_only = true'),
    act: (s) => s.hold(s.seats(7)),
  },
  'a hold with a key that was used for other seats': {
    as: 'IDEMPOTENCY_KEY_REUSED',
    given: async (s) => {
      await s.hold(s.seats(7), 'the key')
    },
    act: (s) => s.hold(s.seats(8), 'the key'),
  },
  'a hold beside another call of the account': {
    as: 'REQUEST_IN_PROGRESS',
    act: (s) =>
      during('select pg_advisory_xact_lock(account_lock($1, $2))', [s.event.id, s.fan.id], () =>
        s.hold(s.seats(7)),
      ),
  },
  'a hold of a seat that stays locked': {
    as: 'OVERLOADED',
    act: (s) =>
      during('select from seats where event_id = $1 and no = 8 for update', [s.event.id], () =>
        s.hold(s.seats(7, 8)),
      ),
  },
  'a hold of named seats in a sale without seat picking': {
    as: 'BAD_USER_INPUT',
    given: (s) => setSale(s.event, 'seat_picking = false'),
    act: (s) => s.hold(s.seats(7)),
  },
  'a hold of a seat that does not exist': { as: 'BAD_USER_INPUT', act: (s) => s.hold(s.seats(7, 99)) },
  'a hold of zero seats': {
    as: 'BAD_USER_INPUT',
    act: (s) => s.hold({ bestAvailable: { quantity: 0 } }),
  },
  'the release of another fan’s hold': {
    as: 'HoldNotFound',
    act: (s) => sale.holds.release(s.fan, s.others.id),
  },
  'the release of a hold that does not exist': {
    as: 'HoldNotFound',
    act: (s) => sale.holds.release(s.fan, 'hld_x'),
  },
  'the release of a hold that is being paid for': {
    as: 'HoldInCheckout',
    given: (s) =>
      database.sql(
        `insert into orders (event_id, id, hold_id, account_id, idempotency_key, input_hash, email, amount,
           currency, state, payment, provider, payment_method)
         select event_id, 'ord_' || id, id, account_id, 'k', 'h', 'e', amount, currency, 'PAYING', 'NONE', 'sandbox', 'pm'
         from holds where event_id = $1 and id = $2`,
        [s.event.id, s.held.id],
      ),
    act: (s) => sale.holds.release(s.fan, s.held.id),
  },
  'the checkout of another fan’s hold': {
    as: 'HoldNotFound',
    act: (s) => sale.pay(s.fan, s.others),
  },
  'a block of held and sold seats': {
    as: 'Object',
    act: (s) =>
      blocks.block(opsAccount(), {
        eventId: s.event.id,
        seats: [1, 4, 6].map(s.event.seatId),
        reason: 'again',
      }),
  },
  'joining the waitlist of a sale that goes on': {
    as: 'NotSoldOut',
    act: (s) => waitlist.join(s.fan, { eventId: s.event.id, quantity: 1 }),
  },
}

test.each(Object.entries(REFUSED))('%s is refused, and changes nothing', async (_, { as, given, act }) => {
  const s = await scene()
  await given?.(s)
  const before = await everything(s)
  expect(before.admissions).toHaveLength(1)
  const result = (await act(s).catch((error) => error)) as object & { code?: string }
  expect(result.code ?? result.constructor.name).toBe(as)
  expect(await everything(s)).toEqual(before)
})

test('a hold that succeeds changes the rows that the refusals leave alone', async () => {
  const s = await scene()
  const before = await everything(s)
  expect(await s.hold(s.seats(7))).toMatchObject({ state: 'ACTIVE' })
  const after = await everything(s)
  expect(Object.keys(before).filter((table) => `${before[table]}` !== `${after[table]}`)).toEqual([
    'seats',
    'holds',
    'hold_items',
    'admissions',
  ])
})
