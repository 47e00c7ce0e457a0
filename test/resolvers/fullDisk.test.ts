import { expect, test } from 'vitest'
import { insertEvent } from '../support/event.ts'
import { testServer } from '../support/server.ts'

const { db, ask, token } = await testServer()

test('while the disk of the database is full, a hold is answered as overloaded, and works afterwards', async () => {
  const event = await insertEvent(db)
  const fan = { token: await token() }
  const mutation = 'mutation ($input: HoldInput!) { hold(input: $input) { __typename } }'
  const input = { eventId: event.id, idempotencyKey: 'k', selection: { seats: [event.seatId(1)] } }
  // As PostgreSQL reports it when a file cannot grow.
  await db.sql(`create function refuse_to_grow() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file: No space left on device' using errcode = 'disk_full'; end $$`)
  await db.sql('create trigger full_disk before insert on holds execute function refuse_to_grow()')
  const { status, errors } = await ask(mutation, { input }, fan)
  expect([status, errors?.[0]?.extensions.code]).toEqual([503, 'OVERLOADED'])
  await db.sql('drop trigger full_disk on holds')
  expect((await ask(mutation, { input }, fan)).data.hold.__typename).toBe('Hold')
})
