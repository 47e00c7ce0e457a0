import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readStatusList } from '../../../clients/cli/statusList.ts'
import { importKeys, makeKeys, publicKeys } from '../../../src/keys.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { createTicketStatus } from '../../../src/sale/orders/ticketStatus.ts'
import { testAccount, testCheckout, workOutbox } from '../../support/checkout.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { expectSettled } from '../../support/settled.ts'

const db = await testDatabase()
const keys = await importKeys(await makeKeys())
const catalogue = createCatalogue(db)
const status = createTicketStatus({ db, keys, catalogue, publicUrl: 'https://tickets.example.com' })
const checkout = testCheckout(db)
const jwks = publicKeys(keys.barcodes)

const listOf = async (eventId: string) =>
  readStatusList((await status.list(eventId)) as string, jwks, eventId)

test('the list of an event without void tickets has room for every ticket and for the next one of its seat', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 20 }, { places: 5 }] })
  const list = await listOf(event.id)
  const statuses = Array.from({ length: 50 }, (_, no) => list.statusOf(no))
  expect(new Set(statuses)).toEqual(new Set(['good']))
  expect(list.statusOf(60)).toBe('unknown')
  expect(await status.list('evt_nothing')).toBeNull()
})

test('a seat that is sold three times has one good ticket, and the list says which', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 20 }] })
  for (const paymentMethod of ['pm_capture_refused', 'pm_capture_refused', 'pm_card_visa']) {
    const fan = testAccount()
    await checkout.pay(fan, await checkout.hold(fan, event, [3, 4]), paymentMethod)
    await workOutbox(db, checkout)
  }
  const tickets = await db.sql<{ id: string; no: number; is_void: boolean }>(
    'select id, no, voided_at is not null as is_void from tickets where event_id = $1 order by no',
    [event.id],
  )
  expect(tickets.map(({ no, is_void }) => [no, is_void])).toEqual([
    [2, true],
    [3, true],
    [22, true],
    [23, true],
    [42, false],
    [43, false],
  ])
  const list = await listOf(event.id)
  for (const { id, no, is_void } of tickets) {
    expect(id).toBe(`tkt_${event.id.slice(4)}_${no}`)
    expect(list.statusOf(no)).toBe(is_void ? 'void' : 'good')
  }
  await expectSettled(db, checkout)
})

test('fans who buy many seats at once get numbers of their own', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 40 }] })
  const fans = Array.from({ length: 10 }, () => testAccount())
  for (const paymentMethod of ['pm_capture_refused', 'pm_card_visa']) {
    await Promise.all(
      fans.map(async (fan, i) =>
        checkout.pay(
          fan,
          await checkout.hold(
            fan,
            event,
            [1, 2, 3, 4].map((no) => no + 4 * i),
          ),
          paymentMethod,
        ),
      ),
    )
    await workOutbox(db, checkout)
  }
  const [row] = await db.sql(
    'select count(*)::int as tickets, count(distinct no)::int as numbers, min(no), max(no) from tickets where event_id = $1',
    [event.id],
  )
  expect(row).toEqual({ tickets: 80, numbers: 80, min: 0, max: 79 })
  await expectSettled(db, checkout)
})

test('the list is small: 50,000 seats of which one in a hundred was sold again', async () => {
  const event = await insertEvent(db, { sections: [{ places: 1 }] })
  await db.sql('update sections set capacity = 50000 where event_id = $1', [event.id])
  await db.sql(
    `insert into tickets (event_id, id, order_id, account_id, seat_no, no, voided_at)
       select $1, 'tkt_x_' || n, 'ord_x', 'x', n, n - 1, now() from generate_series(1, 50000, 97) n`,
    [event.id],
  )
  const list = (await status.list(event.id)) as string
  expect(list.length).toBeLessThan(3_000)
  await db.sql('delete from tickets where event_id = $1', [event.id])
})

test('tickets from before have numbers by the same rule: a seat’s void tickets first, then its good one', async () => {
  const old = await testDatabase()
  const event = await insertEvent(old, { sections: [{ seats: 20 }] })
  await old.sql('alter table tickets drop column no')
  await old.sql('drop index tickets_void')
  await old.sql(
    `insert into tickets (event_id, id, order_id, account_id, seat_no, voided_at)
       select $1, 'tkt_x_' || name, 'ord_x', 'x', seat, ended::timestamptz
         from (values ('a', 3, '2026-01-02'), ('b', 3, null), ('c', 3, '2026-01-01'), ('d', 4, null)) t (name, seat, ended)`,
    [event.id],
  )
  await old.pool.query(readFileSync('prisma/migrations/20261130190700_ticket_numbers/migration.sql', 'utf8'))
  expect(await old.sql('select id, no, voided_at is null as good from tickets order by no')).toEqual(
    [
      [2, false],
      [3, true],
      [22, false],
      [42, true],
    ].map(([no, good]) => ({ id: `tkt_${event.id.slice(4)}_${no}`, no, good })),
  )
})

test('a list that is forged, of another event or too old is refused', async () => {
  const [event, other] = [await insertEvent(db), await insertEvent(db)]
  const list = (await status.list(event.id)) as string
  await expect(readStatusList(list, jwks, other.id)).rejects.toThrow(/another event/)
  const strangers = publicKeys((await importKeys(await makeKeys())).barcodes)
  await expect(readStatusList(list, strangers, event.id)).rejects.toThrow(/cannot be trusted/)
  const [head, , signature] = list.split('.')
  const claims = {
    sub: `x/events/${event.id}/ticket-status`,
    iat: 0,
    exp: 4e9,
    status_list: { bits: 1, lst: '' },
  }
  const body = Buffer.from(JSON.stringify(claims)).toString('base64url')
  await expect(readStatusList(`${head}.${body}.${signature}`, jwks, event.id)).rejects.toThrow(
    /cannot be trusted/,
  )
  await expect(readStatusList('', jwks, event.id)).rejects.toThrow(/cannot be trusted/)
})
