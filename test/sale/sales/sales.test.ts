import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import { channels, keys } from '../../../src/redis/keys.ts'
import type { Clock } from '../../../src/sale/clock.ts'
import { createSales } from '../../../src/sale/sales/sales.ts'
import type { SaleView } from '../../../src/sale/saleView.ts'
import { createDatabase } from '../../../src/sql/database/database.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEventOptions } from '../../support/event.ts'
import { lossyProxy } from '../../support/lossyProxy.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, nextTick, placed, testRoom } from '../../support/room.ts'

const db = await testDatabase()
const redis = await testRedis()
const room = await testRoom({ db, redisUrl: redis.url })
const { sales } = room
afterAll(() => room.close())

test.each<[string, TestEventOptions]>([
  ['SCHEDULED', { preQueueOpensInSeconds: 60, opensInSeconds: 120, waitingRoom: true }],
  ['PRE_QUEUE', { preQueueOpensInSeconds: -60, opensInSeconds: 120, waitingRoom: true }],
  // Without a room there is no line to join.
  ['SCHEDULED', { preQueueOpensInSeconds: -60, opensInSeconds: 120 }],
  ['ON_SALE', {}],
  ['ON_SALE', { endsInSeconds: 60 }],
  ['PAUSED', { paused: true }],
  ['PRE_QUEUE', { paused: true, preQueueOpensInSeconds: -60, opensInSeconds: 120, waitingRoom: true }],
  ['ENDED', { endsInSeconds: -1 }],
  ['ENDED', { endsInSeconds: -1, paused: true }],
])('a sale is %s: %o', async (state, options) => {
  const event = await insertEvent(db, options)
  expect(await sales.find(event.id)).toMatchObject({
    eventId: event.id,
    state,
    counts: { available: 40, held: 0 },
  })
})

test('an event that does not exist has no sale', async () => {
  expect(await sales.find('evt_nothere')).toBeNull()
  expect(await sales.find("evt_x' or true --")).toBeNull()
  const event = await insertEvent(db)
  expect(await sales.find(event.id)).not.toBeNull()
})

test('the state changes with the clock alone', async () => {
  const event = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: 2,
    opensInSeconds: 4,
    endsInSeconds: 6,
  })
  const states: string[] = []
  const updates = sales.updates(event.id)
  for await (const { state } of updates) {
    if (states.at(-1) !== state) states.push(state)
    if (state === 'ENDED') break
  }
  expect(states).toEqual(['SCHEDULED', 'PRE_QUEUE', 'ON_SALE', 'ENDED'])
})

const setSeats = async (eventId: string, status: 0 | 1 | 2, seats: string) => {
  await db.sql(
    `update seats set status = $2::smallint, revision = revision + 1,
       hold_id = case when $2::smallint = 1 then 'hld_x' end, held_until = case when $2::smallint = 1 then now() + interval '1 hour' end,
       order_id = case when $2::smallint = 2 then 'ord_x' end
     where event_id = $1 and ${seats}`,
    [eventId, status],
  )
  await room.seatMap.rebuild(eventId)
}

const countsOf = async (eventId: string) => {
  return (await sales.refresh(eventId))?.counts
}

const stateOf = async (eventId: string) => {
  return (await sales.refresh(eventId))?.state
}

test('a sale is sold out when all seats are sold or not for sale, and not while one is held', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 4 }] })
  await db.sql('update seats set status = 3 where event_id = $1 and no = 4', [event.id])
  await setSeats(event.id, 2, 'no < 3')
  expect(await stateOf(event.id)).toBe('ON_SALE')
  await setSeats(event.id, 1, 'no = 3')
  await expect.poll(() => countsOf(event.id), { timeout: 10_000 }).toMatchObject({ available: 0, held: 1 })
  expect(await stateOf(event.id)).toBe('ON_SALE')
  await setSeats(event.id, 2, 'no = 3')
  await expect.poll(() => stateOf(event.id), { timeout: 10_000 }).toBe('SOLD_OUT')
  await setSeats(event.id, 0, 'no = 1')
  await expect.poll(() => stateOf(event.id), { timeout: 10_000 }).toBe('ON_SALE')
})

test('the sale of a section’s last seats is published, and a subscriber then reads the new counts', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 2 }, { seats: 2 }] })
  let received = 0
  const stop = room.hub.listen(channels.sale(event.id), () => received++)
  await expect
    .poll(() => {
      room.publish(channels.sale(event.id), '')
      return received
    })
    .toBeGreaterThan(0)
  const become = async (status: 1 | 2, seatNos: number[]) => {
    await sales.refresh(event.id)
    const rows = await db.sql<{ revision: number }>(
      `update seats set status = $2::smallint, revision = revision + 1,
         hold_id = case when $2::smallint = 1 then 'hld_x' end, held_until = case when $2::smallint = 1 then now() + interval '1 hour' end,
         order_id = case when $2::smallint = 2 then 'ord_x' end
       where event_id = $1 and no = any ($3) returning revision`,
      [event.id, status, seatNos],
    )
    const { revision } = rows[0] as (typeof rows)[0]
    received = 0
    await room.seatMap.publish(
      event.id,
      seatNos.map((seatNo) => ({ seatNo, status, revision })),
    )
    const { available, held } = await room.seatMap.counts(event.id, performance.now())
    return { available, held }
  }
  expect(await become(1, [1, 2, 3])).toEqual({ available: 1, held: 3 })
  expect(await become(2, [1])).toEqual({ available: 1, held: 2 })
  await sleep(200)
  expect(received).toBe(0)
  expect(await become(2, [2])).toEqual({ available: 1, held: 1 })
  await expect.poll(() => received).toBe(1)
  expect(await become(2, [3])).toEqual({ available: 1, held: 0 })
  expect(received).toBe(0)
  expect(await become(2, [4])).toEqual({ available: 0, held: 0 })
  await expect.poll(() => received).toBe(1)
  stop()
})

test('a companion seat keeps a sale open only together with its wheelchair seat', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 4 }] })
  await db.sql(
    'update seats set wheelchair = no = 1, companion_of = case no when 2 then 1 end where event_id = $1',
    [event.id],
  )
  await db.sql(
    `update sections set layout = jsonb_set(layout, '{1,companionOf}', to_jsonb($2::text)) where event_id = $1`,
    [event.id, event.seatId(1)],
  )
  await setSeats(event.id, 2, 'no in (1, 3)')
  expect(await stateOf(event.id)).toBe('ON_SALE')
  await setSeats(event.id, 2, 'no = 4')
  await expect.poll(() => stateOf(event.id), { timeout: 10_000 }).toBe('SOLD_OUT')
  expect(await countsOf(event.id)).toMatchObject({ available: 1 })
  await setSeats(event.id, 0, 'no = 1')
  await expect.poll(() => stateOf(event.id), { timeout: 10_000 }).toBe('ON_SALE')
  await setSeats(event.id, 2, 'no < 3')
  await expect.poll(() => stateOf(event.id), { timeout: 10_000 }).toBe('SOLD_OUT')
  await setSeats(event.id, 0, 'no = 3')
  await expect.poll(() => stateOf(event.id), { timeout: 10_000 }).toBe('ON_SALE')
})

test('a sold-out sale does not read every seat each second, and opens again once a seat comes back', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 4 }] })
  await setSeats(event.id, 2, 'true')
  const pool = db.another().pool
  let looks = 0
  const query = pool.query.bind(pool) as (statement: unknown, ...rest: unknown[]) => unknown
  pool.query = ((statement: unknown, ...rest: unknown[]) => {
    if (/is_sold_out|from seats/.test(String(statement))) looks++
    return query(statement, ...rest)
  }) as typeof pool.query
  const watching = await testRoom({ db: { ...db, pool }, redisUrl: redis.url })
  const look = async () => {
    return (await watching.sales.refresh(event.id))?.state
  }
  try {
    await expect.poll(look, { timeout: 10_000 }).toBe('SOLD_OUT')
    looks = 0
    for (let i = 0; i < 10; i++) expect(await look()).toBe('SOLD_OUT')
    expect(looks).toBe(0)
    await setSeats(event.id, 0, 'no = 2')
    await expect.poll(look, { timeout: 10_000 }).toBe('ON_SALE')
    await setSeats(event.id, 2, 'no = 2')
    await expect.poll(look, { timeout: 10_000 }).toBe('SOLD_OUT')
    expect(looks).toBeGreaterThan(0)
  } finally {
    watching.close()
  }
})

test('a wrong map cannot make a sale sold out', async () => {
  const event = await insertEvent(db, { sections: [{ seats: 4 }] })
  await sales.find(event.id)
  await room.redis.hset(keys.sections(event.id), { '1:0': 0, '1:1': 0, '1:2': 4 })
  await expect.poll(() => countsOf(event.id), { timeout: 10_000 }).toMatchObject({ available: 0, sold: 4 })
  expect(await stateOf(event.id)).toBe('ON_SALE')
})

test('a change is visible at once to the server that made it, and soon to all', async () => {
  const event = await insertEvent(db)
  const other = await testRoom({ db: db.another(), redisUrl: redis.url })
  try {
    const both = await Promise.all([sales.find(event.id), other.sales.find(event.id)])
    expect(both.map((sale) => sale?.ticketLimit)).toEqual([8, 8])
    await db.sql('update sales set ticket_limit = 3 where event_id = $1', [event.id])
    expect((await sales.refresh(event.id))?.ticketLimit).toBe(3)
    await expect
      .poll(async () => (await other.sales.find(event.id))?.ticketLimit, { timeout: 10_000 })
      .toBe(3)
  } finally {
    other.close()
  }
})

test('subscribers get the changes of the sale and its room, and nothing while nothing changes', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 1 })
  const received: SaleView[] = []
  const updates = sales.updates(event.id)
  const done = (async () => {
    for await (const view of updates) received.push(view)
  })()
  await expect.poll(() => received.length, { timeout: 10_000 }).toBe(1)
  await db.sql('update sales set paused = true where event_id = $1', [event.id])
  room.publish(channels.sale(event.id), '')
  await expect.poll(() => received.at(-1)?.state, { timeout: 10_000 }).toBe('PAUSED')
  await db.sql('update sales set paused = false where event_id = $1', [event.id])
  await expect.poll(() => received.at(-1)?.state, { timeout: 10_000 }).toBe('ON_SALE')
  const before = received.length
  await fillLine(room, event.id, [fan()])
  await nextTick(room, event.id)
  await expect.poll(() => received.length, { timeout: 10_000 }).toBeGreaterThan(before)
  await updates.return?.()
  await done
})

test('while the database is away the sale is served as it was last seen', async () => {
  const away = await testDatabase()
  const event = await insertEvent(away, { endsInSeconds: 8 })
  const other = await testRoom({ db: away, redisUrl: redis.url })
  try {
    expect(await other.sales.find(event.id)).toMatchObject({ state: 'ON_SALE' })
    const name = new URL(away.url).pathname.slice(1)
    await db.sql('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
    await db.sql(`alter database ${name} rename to ${name}_away`)
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    expect(await other.sales.find(event.id)).toMatchObject({ state: 'ON_SALE', counts: { available: 40 } })
    // The clock goes on.
    await expect
      .poll(async () => (await other.sales.find(event.id))?.state, { timeout: 20_000 })
      .toBe('ENDED')
    await db.sql(`alter database ${name}_away rename to ${name}`)
  } finally {
    other.close()
  }
})

test('while the database hangs every caller gets the sale at once, as it was last seen', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 1 })
  const proxy = await lossyProxy(db.url)
  const hanging = createDatabase(proxy.url)
  const other = await testRoom({ db: hanging, redisUrl: redis.url })
  try {
    const ana = fan()
    const { queueToken } = placed(await other.waitingRoom.join(ana, { eventId: event.id }))
    proxy.swallow()
    await sleep(1_100)
    // The client gives a statement up after 15 s: no caller may wait until then.
    const isGivenUp = hanging.pool.query('select 1').then(
      () => 'answered',
      () => 'given up',
    )
    const asked = Promise.all(
      Array.from({ length: 50 }, async () => {
        await other.sales.find(event.id)
        await sleep(20)
        return (await other.waitingRoom.position(queueToken, ana)).state
      }),
    )
    expect(await Promise.race([asked, isGivenUp])).toEqual(Array(50).fill('WAITING'))
    // A caller that has changed the sale must not get the old one.
    await expect(other.sales.refresh(event.id)).rejects.toThrow()
  } finally {
    other.close()
    await hanging.close()
  }
}, 40_000)

test('a sale without listeners is not read again, even where the last listener left during a read', async () => {
  const event = await insertEvent(db)
  let looks = 0
  let stop = () => {}
  const clock: Clock = {
    now: () => new Date(),
    // A look ends with the time of the next one.
    estimate() {
      looks++
      stop()
      return new Date()
    },
    at: () => new Date(),
  }
  const { seatMap, rooms, catalogue } = room
  // It brings no messages, so that there is one look.
  const hub = { listen: () => () => {}, close() {} }
  const watching = createSales({ db, catalogue, hub, seatMap, rooms, clock, log: pino({ level: 'silent' }) })
  stop = watching.onChange(event.id, () => {})
  await expect.poll(() => looks).toBe(1)
  await sleep(1_500)
  expect(looks).toBe(1)
  watching.close()
})

test('jobs run for sales that are open or open within half a minute, and for none that is over', async () => {
  const soon = await insertEvent(db, { preQueueOpensInSeconds: 20, opensInSeconds: 900 })
  const later = await insertEvent(db, { preQueueOpensInSeconds: 60, opensInSeconds: 900 })
  const on = await insertEvent(db)
  const ended = await insertEvent(db, { endsInSeconds: -1 })
  const past = await insertEvent(db)
  await db.sql("update events set starts_at = now() - interval '25 hours' where id = $1", [past.id])
  const active = await sales.active()
  expect(active).toEqual(expect.arrayContaining([soon.id, on.id]))
  for (const { id } of [later, ended, past]) expect(active).not.toContain(id)
})
