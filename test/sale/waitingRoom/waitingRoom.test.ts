import { expect, test } from 'vitest'
import { makeKeys } from '../../../src/keys.ts'
import { channels } from '../../../src/redis/keys.ts'
import type { PositionView } from '../../../src/sale/waitingRoom/waitingRoom.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent } from '../../support/event.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, nextTick, placed, type TestFan, testRoom } from '../../support/room.ts'
import { twoServers } from '../../support/twoServers.ts'

const { db, redis, first, second } = await twoServers()

const fans = (n: number) => Array.from({ length: n }, () => fan()) as [TestFan, ...TestFan[]]

/** The positions that a socket received, and a function that waits for one. */
async function follow(room: typeof first, token: string, who: TestFan) {
  const received: (PositionView & { at: number })[] = []
  const admissions: string[] = []
  const updates = await room.waitingRoom.positionUpdates(token, who)
  let failure: { code?: string } | undefined
  const done = (async () => {
    for await (const position of updates) {
      received.push({ ...position, at: performance.now() })
      if (position.admission) admissions.push(position.admission.token)
    }
  })().catch((error) => {
    failure = error
  })
  return {
    received,
    admissions,
    done,
    failure: () => failure,
    states: () => [...new Set(received.map(({ state }) => state))],
    until: (expected: object, timeout = 2_000) =>
      expect.poll(() => received.at(-1), { timeout, interval: 10 }).toMatchObject(expected),
    stop: () => updates.return?.(),
  }
}

/** Publishes a change of the sale, as the API does. */
function publishSale(eventId: string) {
  first.publish(channels.sale(eventId), '')
}

test('a waiting fan gets place, position and what is left, and a poll reads no store', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 400 }], rate: 2 })
  const line = fans(50)
  const tokens = await fillLine(first, event.id, line)
  await nextTick(first, event.id)
  await nextTick(first, event.id)
  const position = await first.waitingRoom.position(tokens[9] as string, line[9] as TestFan)
  expect(position).toMatchObject({
    eventId: event.id,
    state: 'WAITING',
    queueToken: tokens[9],
    arrival: 10,
    place: 10,
    position: 6,
    paused: false,
    available: 400,
    held: 0,
    admission: null,
    turnEndsAt: null,
  })
  expect(position.estimatedWaitSeconds).toBeGreaterThan(0)
  expect(Math.abs(position.asOf.getTime() - Date.now())).toBeLessThan(10_000)

  const statements = countStatements(first.db.pool)
  const asked = 2_000
  for (let i = 0; i < asked; i++) await first.waitingRoom.position(tokens[9] as string, line[9] as TestFan)
  // The server reads the room and the sale about once a second, however many fans poll.
  expect(statements.count()).toBeLessThan(asked / 20)
  statements.stop()
})

test('the position of a waiting fan comes at once from memory; others, and the first one, are read', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 400 }], rate: 2 })
  const line = fans(20)
  const tokens = (await fillLine(first, event.id, line)) as [string, ...string[]]
  await nextTick(first, event.id)
  await nextTick(first, event.id)
  const [called] = line
  const last = line[19] as TestFan
  const token = tokens[19] as string
  const unread = second.waitingRoom.position(token, last)
  expect(unread).toBeInstanceOf(Promise)
  await unread
  for (const room of [first, second]) {
    const { pollAfterSeconds: _, ...position } = await room.waitingRoom.position(token, last)
    expect(room.waitingRoom.position(token, last)).toMatchObject(position)
    expect(position).toMatchObject({ state: 'WAITING', place: 20 })
    const ofCalled = room.waitingRoom.position(tokens[0], called)
    expect(ofCalled).toBeInstanceOf(Promise)
    await ofCalled
    for (const [given, caller] of [
      [token, called],
      [token, { ...last, deviceId: 'another' }],
      [`${token}x`, last],
    ] as const)
      await expect(room.waitingRoom.position(given, caller)).rejects.toMatchObject({
        code: 'QUEUE_TOKEN_INVALID',
      })
  }
})

function countStatements(pool: typeof db.pool) {
  let count = 0
  const { query } = pool
  pool.query = ((...args: Parameters<typeof query>) => {
    count++
    return (query as (...args: unknown[]) => unknown).apply(pool, args)
  }) as typeof query
  return {
    count: () => count,
    stop() {
      pool.query = query
    },
  }
}

test('before the opening there is no place; at the opening each fan gets it within seconds', async () => {
  const event = await insertEvent(db, { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 2 })
  const ana = fan()
  const { queueToken } = placed(await first.waitingRoom.join(ana, { eventId: event.id }))
  const socket = await follow(second, queueToken, ana)
  await socket.until({ state: 'PRE_QUEUE', place: null, position: null, estimatedWaitSeconds: null })
  await socket.until({ state: 'WAITING', place: 1, position: 1 }, 4_000)
  expect(socket.received.at(-1)?.asOf.getTime()).toBeLessThan(
    ((await first.sales.find(event.id))?.opensAt.getTime() as number) + 2_000,
  )
  await expect
    .poll(() => first.waitingRoom.position(queueToken, ana), { timeout: 10_000 })
    .toMatchObject({ state: 'WAITING', place: 1 })
  socket.stop()
})

test('a socket near the front gets an update each second, and its turn with the admission at once', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 400 }], rate: 1 })
  const line = fans(30)
  const tokens = await fillLine(first, event.id, line)
  await nextTick(first, event.id)
  const socket = await follow(second, tokens[4] as string, line[4] as TestFan)
  await socket.until({ state: 'WAITING', position: 4 })
  for (let called = 2; called < 5; called++) {
    await nextTick(first, event.id)
    await socket.until({ state: 'WAITING', position: 5 - called })
  }
  await nextTick(first, event.id)
  await socket.until({ state: 'ADMITTED', place: 5 })
  expect(socket.admissions).toEqual([socket.received.at(-1)?.admission?.token])
  socket.stop()
  await socket.done
})

test('a socket far back gets few updates, but a pause and its end at once', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 400 }], rate: 1 })
  const line = fans(2_000)
  const tokens = await fillLine(first, event.id, line)
  await nextTick(first, event.id)
  const socket = await follow(second, tokens[1_999] as string, line[1_999] as TestFan)
  await socket.until({ state: 'WAITING', position: 1_999 })
  for (let i = 0; i < 5; i++) await nextTick(first, event.id)
  expect(socket.received.length).toBeLessThanOrEqual(2)
  await first.waitingRoom.setAdmission(event.id, { paused: true })
  await socket.until({ paused: true, estimatedWaitSeconds: null })
  await first.waitingRoom.setAdmission(event.id, { paused: false })
  await socket.until({ paused: false })
  await db.sql('update sales set paused = true where event_id = $1', [event.id])
  publishSale(event.id)
  await socket.until({ paused: true, state: 'WAITING' })
  socket.stop()
})

test('when the waiting room is turned off, a thousand waiting fans learn it within seconds', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 1 })
  const line = fans(1_000)
  const tokens = await fillLine(first, event.id, line)
  await nextTick(first, event.id)
  const sockets = await Promise.all(
    line.map((who, i) => follow(i % 2 === 0 ? first : second, tokens[i] as string, who)),
  )
  await expect
    .poll(() => sockets.every(({ received }) => received.length > 0), { timeout: 10_000 })
    .toBe(true)
  // Without a message: the database alone must suffice.
  await db.sql('update sales set waiting_room = false where event_id = $1', [event.id])
  await expect
    .poll(() => sockets.every(({ received }) => received.at(-1)?.state === 'OPEN'), {
      timeout: 10_000,
      interval: 20,
    })
    .toBe(true)
  await db.sql('update sales set waiting_room = true where event_id = $1', [event.id])
  publishSale(event.id)
  const last = sockets.at(-1)
  await last?.until({ state: 'WAITING', place: 1_000 })
  for (const { stop } of sockets) stop()
})

test('a client that restarts learns that the waiting room was turned off meanwhile; one without a place gets none', async () => {
  const queue = await testDatabase()
  const room = await testRoom({ db, roomDb: queue, redisUrl: redis.url })
  try {
    const event = await insertEvent(db, { waitingRoom: true, rate: 1 }, queue)
    const ana = fan()
    const [token] = (await fillLine(room, event.id, [ana])) as [string]
    expect(await room.waitingRoom.ofAccount(ana, event.id)).toMatchObject({ state: 'WAITING', place: 1 })
    await db.sql('update sales set waiting_room = false where event_id = $1', [event.id])
    await room.sales.refresh(event.id)
    const open = {
      state: 'OPEN',
      queueToken: token,
      arrival: 1,
      place: null,
      position: null,
      admission: null,
    }
    expect(await room.waitingRoom.ofAccount(ana, event.id)).toMatchObject(open)
    expect(await room.waitingRoom.position(token, ana)).toMatchObject(open)
    expect(await room.waitingRoom.ofAccount({ ...ana, deviceId: 'laptop' }, event.id)).toBeNull()
    expect(await room.waitingRoom.ofAccount(fan(), event.id)).toBeNull()
    // No fan needs the room's database any more.
    await queue.sql('alter table places rename to places_away')
    expect(await room.waitingRoom.ofAccount(ana, event.id)).toBeNull()
    await queue.sql('alter table places_away rename to places')
  } finally {
    room.close()
  }
})

test('sockets and polls show at once that a sale is sold out or has ended', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 1, sections: [{ seats: 4 }] })
  const line = fans(20)
  const tokens = await fillLine(first, event.id, line)
  await nextTick(first, event.id)
  const [inside, waiting] = [
    await follow(first, tokens[0] as string, line[0]),
    await follow(second, tokens[19] as string, line[19] as TestFan),
  ]
  await inside.until({ state: 'ADMITTED' })
  await waiting.until({ state: 'WAITING', estimatedWaitSeconds: null })
  // Held is not sold.
  await db.sql(
    `update seats set status = 1, hold_id = 'hld_x', held_until = now() + interval '1 minute', revision = 1
     where event_id = $1`,
    [event.id],
  )
  await first.seatMap.rebuild(event.id)
  publishSale(event.id)
  await waiting.until({ state: 'WAITING', available: 0, held: 4 }, 20_000)
  await db.sql(
    `update seats set status = 2, hold_id = null, held_until = null, order_id = 'ord_x', revision = 2
     where event_id = $1`,
    [event.id],
  )
  await first.seatMap.rebuild(event.id)
  for (const socket of [inside, waiting]) await socket.until({ state: 'SOLD_OUT', admission: null })
  expect(await second.waitingRoom.position(tokens[10] as string, line[10] as TestFan)).toMatchObject({
    state: 'SOLD_OUT',
    position: null,
  })
  await db.sql("update sales set ends_at = now() - interval '1 second' where event_id = $1", [event.id])
  for (const socket of [inside, waiting]) await socket.until({ state: 'ENDED' })
  await Promise.all([inside.done, waiting.done])
})

test('a socket whose place moves away ends with one error; after a leave it ends with the place', async () => {
  const event = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 3_600,
  })
  const [ana, bob] = fans(2) as [TestFan, TestFan]
  const a = placed(await first.waitingRoom.join(ana, { eventId: event.id }))
  const b = placed(await first.waitingRoom.join(bob, { eventId: event.id }))
  const sockets = [await follow(second, a.queueToken, ana), await follow(second, b.queueToken, bob)] as const
  for (const socket of sockets) await socket.until({ state: 'PRE_QUEUE' })
  await first.waitingRoom.join({ ...ana, deviceId: 'laptop' }, { eventId: event.id, moveHere: true })
  await sockets[0].done
  expect(sockets[0].failure()).toMatchObject({ code: 'QUEUE_TOKEN_INVALID' })
  await first.waitingRoom.leave(b.queueToken, bob)
  await sockets[1].done
  expect(sockets[1].states()).toEqual(['PRE_QUEUE', 'FINISHED'])
  expect(sockets[1].failure()).toBeUndefined()
})

test('also without messages between servers, the old device’s tokens are dead within seconds', async () => {
  const messages = await testRedis()
  const stores = { redisUrl: messages.url, roomRedisUrl: redis.url }
  const rooms = [await testRoom({ db, ...stores }), await testRoom({ db: db.another(), ...stores })] as const
  try {
    const event = await insertEvent(db, { waitingRoom: true, rate: 1 })
    const [ana, bob] = fans(2) as [TestFan, TestFan]
    const tokens = (await fillLine(first, event.id, [ana, bob])) as [string, string]
    await nextTick(first, event.id)
    const { admission } = await rooms[1].waitingRoom.position(tokens[0], ana)
    const inside = { ...ana, admissionToken: admission?.token as string }
    const socket = await follow(rooms[1], tokens[1], bob)
    await socket.until({ state: 'WAITING' })
    expect(rooms[1].admissions.check(inside, event.id)).not.toBeNull()
    await messages.kill()
    for (const who of [ana, bob])
      placed(
        await rooms[0].waitingRoom.join({ ...who, deviceId: 'found' }, { eventId: event.id, moveHere: true }),
      )
    const codeOf = (room: (typeof rooms)[number]) =>
      Promise.resolve(room.waitingRoom.position(tokens[1], bob)).then(
        ({ state }) => state,
        ({ code }) => code,
      )
    const dead = async () => ({
      tokens: await Promise.all(rooms.map(codeOf)),
      admissions: rooms.map(({ admissions }) => admissions.check(inside, event.id)),
      socket: socket.failure()?.code,
    })
    await expect.poll(dead, { timeout: 10_000, interval: 20 }).toEqual({
      tokens: ['QUEUE_TOKEN_INVALID', 'QUEUE_TOKEN_INVALID'],
      admissions: [null, null],
      socket: 'QUEUE_TOKEN_INVALID',
    })
  } finally {
    for (const room of rooms) room.close()
  }
})

test('a socket ends with LAPSED when its admission runs out', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 1, admissionSeconds: 1 })
  const [ana] = fans(1)
  const [token] = (await fillLine(first, event.id, [ana])) as [string]
  await nextTick(first, event.id)
  const socket = await follow(first, token, ana)
  await socket.done
  expect(socket.states()).toEqual(['ADMITTED', 'LAPSED'])
})

test('a socket survives an outage: a fan called while the room’s Redis is away is admitted once it is back', async () => {
  const roomRedis = await testRedis()
  const room = await testRoom({ db, redisUrl: redis.url, roomRedisUrl: roomRedis.url })
  try {
    const event = await insertEvent(db, { waitingRoom: true, rate: 1 })
    const [ana] = fans(1)
    const [token] = (await fillLine(first, event.id, [ana])) as [string]
    const socket = await follow(room, token, ana)
    await socket.until({ state: 'WAITING' })
    await roomRedis.kill()
    await nextTick(first, event.id)
    const poll = () =>
      Promise.resolve(room.waitingRoom.position(token, ana)).then(
        ({ state }) => state,
        ({ code }) => code,
      )
    await expect.poll(poll, { timeout: 10_000 }).toBe('OVERLOADED')
    expect(socket.failure()).toBeUndefined()
    await roomRedis.restart('kept')
    await socket.until({ state: 'ADMITTED' }, 10_000)
    socket.stop()
  } finally {
    room.close()
  }
})

test('a fan with a token of the old key gets one of the new key, for the same place', async () => {
  const [old, fresh] = [await makeKeys(), await makeKeys()]
  const before = await testRoom({ db, redisUrl: redis.url, keysFile: old })
  const after = await testRoom({
    db,
    redisUrl: redis.url,
    keysFile: { ...old, tokens: [...fresh.tokens, ...old.tokens] },
  })
  try {
    const event = await insertEvent(db, { waitingRoom: true })
    const ana = fan()
    const { queueToken } = placed(await before.waitingRoom.join(ana, { eventId: event.id }))
    expect((await before.waitingRoom.position(queueToken, ana)).queueToken).toBe(queueToken)
    const renewed = (await after.waitingRoom.position(queueToken, ana)).queueToken
    const socket = await follow(after, queueToken, ana)
    await socket.until({ queueToken: renewed, place: 1 })
    await socket.stop()
    expect(renewed).not.toBe(queueToken)
    expect(after.tokens.verifyQueueToken(renewed)).toEqual(before.tokens.verifyQueueToken(queueToken))
    expect(before.tokens.verifyQueueToken(renewed)).toBeNull()
  } finally {
    before.close()
    after.close()
  }
})

test('a closed socket leaves no listener behind', async () => {
  const event = await insertEvent(db, { waitingRoom: true, rate: 1 })
  const [ana] = fans(1)
  const [token] = (await fillLine(first, event.id, [ana])) as [string]
  const socket = await follow(first, token, ana)
  await socket.until({ state: 'WAITING' })
  await socket.stop()
  await socket.done
  const received = socket.received.length
  await nextTick(first, event.id)
  expect(await second.waitingRoom.position(token, ana)).toMatchObject({ place: 1 })
  expect(socket.received).toHaveLength(received)
})

test('the room’s public state has the rate of the minute at work, the waiting and admitted fans, and the draw’s commitment', async () => {
  const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 4_000 }], rate: 10 })
  const line = fans(1_000)
  const tokens = await fillLine(first, event.id, line)
  for (let i = 0; i < 5; i++) await nextTick(first, event.id)
  for (let i = 0; i < 3; i++) await first.waitingRoom.position(tokens[i] as string, line[i] as TestFan)
  await nextTick(first, event.id)
  const room = await first.waitingRoom.room(event.id)
  expect(room).toMatchObject({
    eventId: event.id,
    admittedUpTo: 60,
    paused: false,
    waiting: 940,
    inside: 3,
    draw: { size: 0, beacon: '' },
  })
  // The test moved each tick to a second after the last one.
  expect(room?.admissionRate).toBeGreaterThan(7)
  expect(room?.admissionRate).toBeLessThan(10.5)
  // The rate leaves a pause out, also a minute later.
  await first.waitingRoom.setAdmission(event.id, { paused: true })
  for (let i = 0; i < 70; i++) await nextTick(first, event.id)
  expect((await first.waitingRoom.room(event.id))?.admissionRate).toBe(room?.admissionRate)
  expect(await first.waitingRoom.room('evt_nothere')).toBeNull()
})
