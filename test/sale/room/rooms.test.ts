import { setImmediate as turn } from 'node:timers/promises'
import pino from 'pino'
import { afterAll, expect, test } from 'vitest'
import type { ChannelHub } from '../../../src/redis/channelHub.ts'
import { placeOf } from '../../../src/sale/room/room.ts'
import { createRooms, type RoomNews } from '../../../src/sale/room/rooms.ts'
import { deviceDigest } from '../../../src/sale/tokens/digests.ts'
import type { Database } from '../../../src/sql/database/database.ts'
import { leavePlace, movePlace, retakePlace } from '../../../src/sql/room/places.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'

const db = await testDatabase()
const phone = deviceDigest('phone')
const tablet = deviceDigest('tablet')

/** A database that holds its answers to statements of one kind back until `letGo`. */
function slowAnswers(about: RegExp) {
  const waiting: (() => void)[] = []
  let isSlow = false
  const pool = new Proxy(db.pool, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key)
      return async (config: string | { text: string }, values?: unknown[]) => {
        const answer = await (target.query as (...args: unknown[]) => Promise<unknown>)(config, values)
        const text = typeof config === 'string' ? config : config.text
        if (isSlow && about.test(text)) await new Promise<void>((resolve) => waiting.push(resolve))
        return answer
      }
    },
  })
  return {
    db: { ...db, pool } as Database,
    waiting: () => waiting.length,
    begin() {
      isSlow = true
    },
    letGo() {
      isSlow = false
      for (const resolve of waiting.splice(0)) resolve()
    },
  }
}

const closing: (() => void)[] = []
afterAll(() => {
  for (const close of closing) close()
})

/** One process's rooms. `hear` delivers a message of another process; `said` has its own messages. */
function process(roomDb: Database = db, log = pino({ level: 'silent' })) {
  const listeners = new Set<(message: string) => void>()
  const said: string[] = []
  const hub = {
    listen(_channel: string, listener: (message: string) => void) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  } as unknown as ChannelHub
  const publish = (_channel: string, message: string) => void said.push(message)
  const rooms = createRooms({ roomDb, hub, publish, log })
  closing.push(() => rooms.close())
  return {
    rooms,
    said,
    hear(message: string) {
      for (const listener of listeners) listener(message)
    },
  }
}

async function roomOf(places: number) {
  const { id } = await insertEvent(db, { waitingRoom: true })
  await db.sql(
    `insert into places (event_id, arrival, account, device)
     select $1, no, decode(lpad(to_hex(no), 24, '0'), 'hex'), $3 from generate_series(1, $2::int) no`,
    [id, places, phone],
  )
  return id
}

test('a read never overwrites a message that came after it began', async () => {
  const id = await roomOf(3)
  const slow = slowAnswers(/changed_at > /)
  const { rooms } = process(slow.db)
  await rooms.refresh(id)
  const leftAt = (await leavePlace(db, id, 2, phone)) as Date
  rooms.publishPlace(id, 2, { device: phone, hasLeft: true, changedAt: leftAt })
  slow.begin()
  const read = rooms.refresh(id)
  await expect.poll(slow.waiting).toBeGreaterThan(0)
  const changedAt = await retakePlace(db, id, 2, tablet)
  rooms.publishPlace(id, 2, { device: tablet, hasLeft: false, changedAt })
  slow.letGo()
  await read
  let received = 0
  rooms.onPlace(id, 2, () => received++)
  expect(rooms.known(id)?.changed.get(2)).toMatchObject({ hasLeft: false, device: tablet })
  expect((await rooms.refresh(id))?.changed.get(2)).toMatchObject({ hasLeft: false, device: tablet })
  expect(received).toBe(0)
})

test('a change of a place calls the listeners of that place, and no others', async () => {
  const id = await roomOf(3)
  const { rooms } = process()
  await rooms.refresh(id)
  const received: string[] = []
  rooms.onNews(id, (news) => received.push(news))
  rooms.onPlace(id, 1, () => received.push('of another place'))
  rooms.onPlace(id, 2, () => received.push('twice'))
  const stop = rooms.onPlace(id, 2, () => received.push('once'))
  const changedAt = (await leavePlace(db, id, 2, phone)) as Date
  rooms.publishPlace(id, 2, { device: phone, hasLeft: true, changedAt })
  stop()
  stop()
  await retakePlace(db, id, 2, tablet)
  await rooms.refresh(id)
  expect(received).toEqual(['twice', 'once', 'twice'])
})

test('a change that was committed late is found, and old changes are read once', async () => {
  const id = await roomOf(3)
  let read: number | undefined
  const pool = new Proxy(db.pool, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key)
      return async (...args: [string | { text: string }, unknown[]]) => {
        const answer = await target.query(...(args as [string, unknown[]]))
        if (String(args[0]).includes('changed_at > '))
          read = answer.rows.reduce((bytes, { changes }) => bytes + changes.length, 0)
        return answer
      }
    },
  })
  const { rooms } = process({ ...db, pool } as Database)
  const change = (arrival: number, secondsAgo: number) =>
    db.sql(
      'update places set changed_at = now() - make_interval(secs => $3) where event_id = $1 and arrival = $2',
      [id, arrival, secondsAgo],
    )
  await change(1, 0)
  await rooms.refresh(id)
  await change(2, 5)
  expect((await rooms.refresh(id))?.changed.has(2)).toBe(true)
  rooms.close()
  await db.sql("update places set changed_at = changed_at - interval '1 hour' where event_id = $1", [id])
  await change(3, 3_000)
  const { rooms: others } = process({ ...db, pool } as Database)
  expect((await others.refresh(id))?.changed.size).toBe(3)
  expect(read).toBeGreaterThan(0)
  await others.refresh(id)
  expect(read).toBe(0)
})

test('a caller that comes while a long list of changes is applied waits for it, and gets the room', async () => {
  const id = await roomOf(12_000)
  await db.sql('update places set changed_at = now(), left_at = now() where event_id = $1', [id])
  const { rooms } = process()
  let isDone = false
  const first = Promise.resolve(rooms.room(id)).finally(() => {
    isDone = true
  })
  const others: ReturnType<typeof rooms.room>[] = []
  while (!isDone) {
    others.push(rooms.room(id))
    await turn()
  }
  expect(others.length).toBeGreaterThan(1)
  for (const room of await Promise.all([first, ...others])) expect(room?.abandoned.uncalled).toBe(12_000)
})

test('when messages overtake one another, the later change stands', async () => {
  const id = await roomOf(3)
  const [speaking, hearing] = [process(), process()]
  await hearing.rooms.refresh(id)
  const changes = [
    { device: phone, hasLeft: true, changedAt: (await leavePlace(db, id, 1, phone)) as Date },
    { device: phone, hasLeft: false, changedAt: await retakePlace(db, id, 1, phone) },
    { device: tablet, hasLeft: false, changedAt: (await movePlace(db, id, 1, tablet)) as Date },
  ]
  for (const change of changes) speaking.rooms.publishPlace(id, 1, change)
  for (const message of speaking.said.toReversed()) hearing.hear(message)
  expect(hearing.rooms.known(id)?.changed.get(1)).toMatchObject({ hasLeft: false, device: tablet })
})

test('of two changes of a place at the same moment the later one has the later time', async () => {
  const id = await roomOf(1)
  await db.sql("update places set changed_at = now() + interval '1 hour' where event_id = $1", [id])
  const times = [
    await leavePlace(db, id, 1, phone),
    await retakePlace(db, id, 1, phone),
    await movePlace(db, id, 1, tablet),
    await leavePlace(db, id, 1, tablet),
  ].map((time) => Number(time))
  expect(new Set(times).size).toBe(4)
  expect(times.toSorted()).toEqual(times)
  // Leaving twice is no change.
  expect(Number(await leavePlace(db, id, 1, tablet))).toBe(times[3])
  expect(await leavePlace(db, id, 1, phone)).toBeNull()
})

test('a database that lost ticks and places in a failover is the authority', async () => {
  const id = await roomOf(9)
  const { rooms } = process()
  await db.sql('update rooms set tick = 10, admitted_up_to = 5 where event_id = $1', [id])
  await rooms.refresh(id)
  const changedAt = (await leavePlace(db, id, 8, phone)) as Date
  rooms.publishPlace(id, 8, { device: phone, hasLeft: true, changedAt })
  expect((await rooms.refresh(id))?.abandoned.uncalled).toBe(1)
  await db.sql('update rooms set tick = 9, admitted_up_to = 4 where event_id = $1', [id])
  await db.sql('update places set left_at = null, changed_at = null where event_id = $1', [id])
  expect(await rooms.refresh(id)).toMatchObject({ tick: 9, admittedUpTo: 4, abandoned: { uncalled: 0 } })
  expect(rooms.known(id)?.changed.size).toBe(0)
})

test('the changes of a lost database stay forgotten, though a tick comes meanwhile', async () => {
  const id = await roomOf(9)
  const slow = slowAnswers(/changed_at > /)
  const { rooms } = process(slow.db)
  await db.sql('update rooms set tick = 10 where event_id = $1', [id])
  const room = await rooms.refresh(id)
  if (!room) throw new Error('no room')
  const changedAt = (await leavePlace(db, id, 8, phone)) as Date
  rooms.publishPlace(id, 8, { device: phone, hasLeft: true, changedAt })
  await db.sql('update rooms set tick = 9 where event_id = $1', [id])
  await db.sql('update places set left_at = null, changed_at = null where event_id = $1', [id])
  slow.begin()
  const read = rooms.refresh(id)
  await expect.poll(slow.waiting).toBeGreaterThan(0)
  rooms.publishTick({ ...room, tick: 11 })
  slow.letGo()
  expect(await read).toMatchObject({ tick: 11, abandoned: { uncalled: 0 } })
  expect(rooms.known(id)?.changed.size).toBe(0)
})

test('a tick that comes while an earlier one is read stands', async () => {
  const id = await roomOf(9)
  const slow = slowAnswers(/from rooms/)
  const { rooms } = process(slow.db)
  const room = await rooms.refresh(id)
  slow.begin()
  const read = rooms.refresh(id)
  await expect.poll(slow.waiting).toBeGreaterThan(0)
  if (!room) throw new Error('no room')
  rooms.publishTick({ ...room, tick: room.tick + 1, admittedUpTo: 3 })
  slow.letGo()
  await read
  expect(rooms.known(id)).toMatchObject({ tick: room.tick + 1, admittedUpTo: 3 })
})

test('a draw that is read while a later tick comes counts, and wakes every socket', async () => {
  const { id } = await insertEvent(db, { waitingRoom: true, opensInSeconds: 60 })
  const slow = slowAnswers(/from rooms/)
  const { rooms } = process(slow.db)
  const room = await rooms.refresh(id)
  if (!room) throw new Error('no room')
  const news: RoomNews[] = []
  rooms.onNews(id, (received) => news.push(received))
  expect(placeOf(room, 1)).toBeNull()
  await db.sql('update rooms set size = 0, tick = 1 where event_id = $1', [id])
  slow.begin()
  const read = rooms.refresh(id)
  await expect.poll(slow.waiting).toBeGreaterThan(0)
  rooms.publishTick({ ...room, tick: 2, admittedUpTo: 3 })
  expect(rooms.known(id)?.places).toBeNull()
  slow.letGo()
  await read
  const after = rooms.known(id)
  expect(after).toMatchObject({ tick: 2, admittedUpTo: 3, size: 0 })
  expect(after && placeOf(after, 1)).toBe(1)
  expect(news).toContain('all')
})

test('listeners learn that a line is frozen before there is a draw', async () => {
  const { id } = await insertEvent(db, { waitingRoom: true, opensInSeconds: 60, beaconSource: 'drand' })
  const { rooms } = process()
  await rooms.refresh(id)
  const sizes: (number | null | undefined)[] = []
  rooms.onNews(id, () => sizes.push(rooms.known(id)?.size))
  await db.sql('update rooms set size = 9, opens_at = now() where event_id = $1', [id])
  expect(await rooms.refresh(id)).toMatchObject({ size: 9, places: null })
  expect(sizes).toEqual([9])
})

test('the draw moves the abandoned places', async () => {
  const { id } = await insertEvent(db, { waitingRoom: true, opensInSeconds: 60 })
  await db.sql(
    `insert into places (event_id, arrival, account, device, changed_at, left_at)
     select $1, no, decode(lpad(to_hex(no), 24, '0'), 'hex'), $2, now(), case when no <= 3 then now() end from generate_series(1, 9) no`,
    [id, phone],
  )
  const { rooms } = process()
  expect((await rooms.refresh(id))?.abandoned.uncalled).toBe(3)
  await db.sql('update rooms set size = 9, opens_at = now() where event_id = $1', [id])
  const room = await rooms.refreshWithPlaces(id)
  if (!room?.places) throw new Error('no draw')
  const left = [1, 2, 3].map((arrival) => placeOf(room, arrival) as number)
  expect(room.abandoned.uncalled).toBe(3)
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9].filter((place) => room.abandoned.has(place))).toEqual(
    left.sort((a, b) => a - b),
  )
})

test('the draw counts the abandoned places in pieces, and includes changes that come meanwhile', async () => {
  const { id } = await insertEvent(db, { waitingRoom: true, opensInSeconds: 60 })
  await db.sql(
    `insert into places (event_id, arrival, account, device, changed_at, left_at)
     select $1, no, decode(lpad(to_hex(no), 24, '0'), 'hex'), $2, now() - interval '1 minute', now() from generate_series(1, 12000) no`,
    [id, phone],
  )
  let whenDrawn: (() => void) | undefined
  const drawn = new Promise<void>((resolve) => {
    whenDrawn = resolve
  })
  const write = (line: string) => line.includes('places drawn') && whenDrawn?.()
  const { rooms } = process(db, pino({ level: 'info' }, { write }))
  expect((await rooms.refresh(id))?.abandoned.uncalled).toBe(12_000)
  await db.sql('update rooms set size = 12000, opens_at = now() where event_id = $1', [id])
  const reading = rooms.refreshWithPlaces(id)
  await drawn
  await turn()
  expect(rooms.known(id)?.places).toBeNull()
  const changedAt = new Date()
  // A place that was counted already, one that was not, and a new one.
  for (const arrival of [1, 11_999])
    rooms.publishPlace(id, arrival, { device: phone, hasLeft: false, changedAt })
  rooms.publishPlace(id, 12_001, { device: phone, hasLeft: true, changedAt })
  const room = await reading
  if (!room?.places) throw new Error('no draw')
  expect(room.abandoned.uncalled).toBe(11_999)
  const isGivenUp = (arrival: number) => room.abandoned.has(placeOf(room, arrival) as number)
  expect([1, 2, 11_999, 12_000, 12_001].map(isGivenUp)).toEqual([false, true, false, true, true])
})

test('a crowd that waited for one room goes on in pieces, and other requests are served in between', async () => {
  const answers = slowAnswers(/places/)
  const { rooms } = process(answers.db)
  const id = await roomOf(3)
  answers.begin()
  let gone = 0
  const crowd = Array.from({ length: 200 }, async () => {
    await rooms.room(id)
    gone++
    const end = performance.now() + 0.1
    while (performance.now() < end);
  })
  await expect.poll(answers.waiting).toBe(1)
  const seen = new Set<number>()
  function look() {
    seen.add(gone)
    if (gone < crowd.length) setImmediate(look)
  }
  answers.letGo()
  setImmediate(look)
  await Promise.all(crowd)
  expect(seen.size).toBeGreaterThan(5)
})
