import { expect, test } from 'vitest'
import { backgroundOperation } from '../../../src/async/background.ts'
import { insertEvent } from '../../support/event.ts'
import { testServer } from '../../support/server.ts'

const { app, ask, db, socket, token } = await testServer({ DATABASE_POOL: '4' })
const HOLD = 'mutation ($input: HoldInput!) { hold(input: $input) { __typename } }'

test('an operation that reads thirty things leaves connections of the database to a hold', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 40 }] })
  const [reader, fan] = [await token('reader'), await token('fan')]
  const hold = (seatNo: number) =>
    ask(
      HOLD,
      {
        input: {
          eventId: event.id,
          idempotencyKey: `${seatNo}`,
          selection: { seats: [event.seatId(seatNo)] },
        },
      },
      { token: fan },
    )
  expect((await hold(1)).data).toEqual({ hold: { __typename: 'Hold' } })

  // Every read of a waitlist now waits for the lock.
  const blocking = await db.pool.connect()
  await blocking.query('begin; lock table waitlist_entries')
  const aliases = Array.from({ length: 30 }, (_, i) => `a${i}: viewer { waitlist { id } }`)
  const reading = ask(`{ ${aliases.join(' ')} }`, {}, { token: reader })
  const isBlocked = async () =>
    (await db.sql(`select from pg_locks where not granted and relation = 'waitlist_entries'::regclass`))
      .length > 0
  await expect.poll(isBlocked, { timeout: 60_000 }).toBe(true)
  expect((await hold(3)).data).toEqual({ hold: { __typename: 'Hold' } })
  await blocking.query('commit')
  blocking.release()
  expect((await reading).errors).toBeUndefined()
})

test('a list of events with the counts of their sales loads no plan', async () => {
  const events = []
  for (let i = 0; i < 3; i++) events.push(await insertEvent(db))
  const { data } = await ask(
    '{ events(first: 100) { edges { node { id sale { available sections { available } } } } } }',
  )
  const counts = new Map(data.events.edges.map(({ node }: { node: { id: string } }) => [node.id, node]))
  for (const { id } of events) {
    expect(counts.get(id)).toMatchObject({ sale: { available: 40, sections: [{ available: 40 }] } })
    expect(app.catalogue.event(id)).toBeInstanceOf(Promise)
  }
})

test.each(['sections { id }', 'sale { prices { available } }'])(
  'one operation may not read the plans of a hundred events: %s',
  async (field) => {
    const list = (first: number) => `{ events(first: ${first}) { edges { node { ${field} } } } }`
    expect((await ask(list(100))).errors?.[0]?.extensions.code).toBe('BAD_USER_INPUT')
    expect((await ask(list(20))).errors).toBeUndefined()
  },
)

test('a subscription of a socket begins in the background too', async () => {
  const { id } = await insertEvent(db)
  const { find } = app.sales
  const operations: (string | undefined)[] = []
  app.sales.find = (eventId) => {
    operations.push(backgroundOperation())
    return find(eventId)
  }
  const started = await new Promise((resolve) => {
    socket().subscribe(
      { query: 'subscription ($id: ID!) { saleUpdated(eventId: $id) { available } }', variables: { id } },
      { next: resolve, error: resolve, complete() {} },
    )
  })
  app.sales.find = find
  expect(started).toEqual({ data: { saleUpdated: { available: 40 } } })
  expect(operations.length).toBeGreaterThan(0)
  expect(operations).not.toContain(undefined)
})
