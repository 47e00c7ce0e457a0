import { expect, test, vi } from 'vitest'
import { createRedisPlaces } from '../../../src/redis/places.ts'
import { PlaceOnOtherDevice } from '../../../src/sale/refusals.ts'
import { accountDigest, deviceDigest } from '../../../src/sale/tokens/digests.ts'
import { movePlace } from '../../../src/sql/room/places.ts'
import { testDatabase } from '../../support/database.ts'
import { takeDatabaseAway } from '../../support/databaseAway.ts'
import { insertEvent, type TestEventOptions } from '../../support/event.ts'
import { testRedis } from '../../support/redis.ts'
import { fan, fillLine, nextTick, passClosed, placed, type TestFan, testRoom } from '../../support/room.ts'
import { twoServers } from '../../support/twoServers.ts'

const { db, redis, first, second } = await twoServers()

/** A line whose first `called` places have been called. */
async function line(length: number, called: number, options: TestEventOptions = {}) {
  const event = await insertEvent(db, {
    waitingRoom: true,
    rate: called,
    sections: [{ seats: 400 }],
    ...options,
  })
  const fans = Array.from({ length }, () => fan()) as [TestFan, ...TestFan[]]
  const tokens = (await fillLine(first, event.id, fans)) as [string, ...string[]]
  await nextTick(first, event.id)
  return { event, fans, tokens }
}

const withToken = (who: TestFan, admission: { token: string } | null): TestFan => ({
  ...who,
  admissionToken: admission?.token ?? null,
})

test('a called place is admitted once, and every server returns the same admission token', async () => {
  const { event, fans, tokens } = await line(3, 2)
  const [ana] = fans
  const answers = await Promise.all(
    [first, second, first, second].map(async ({ waitingRoom, rooms }) => {
      await rooms.refresh(event.id)
      return waitingRoom.position(tokens[0], ana)
    }),
  )
  for (const answer of answers) {
    expect(answer).toMatchObject({ state: 'ADMITTED', place: 1, position: null, estimatedWaitSeconds: null })
    expect(answer.admission).toEqual(answers[0]?.admission)
  }
  const rows = await db.sql('select * from admissions where event_id = $1', [event.id])
  expect(rows).toHaveLength(1)
  expect(rows[0]?.expires_at).toEqual(answers[0]?.admission?.expiresAt)
  expect(await first.admissions.check(withToken(ana, answers[0]?.admission ?? null), event.id)).toMatchObject(
    {
      accountId: ana.account.id,
      arrival: 1,
      place: 1,
    },
  )
})

test('an admission is valid for its own event, account and device, until it expires', async () => {
  const { event, fans, tokens } = await line(1, 1)
  const other = await insertEvent(db, { waitingRoom: true })
  const [ana] = fans
  const { admission } = await first.waitingRoom.position(tokens[0], ana)
  const inside = withToken(ana, admission)
  const { check } = first.admissions
  expect(await check(inside, event.id)).not.toBeNull()
  expect(await check(inside, other.id)).toBeNull()
  expect(await check({ ...inside, account: fan().account }, event.id)).toBeNull()
  expect(await check({ ...inside, account: null }, event.id)).toBeNull()
  expect(await check({ ...inside, deviceId: 'another' }, event.id)).toBeNull()
  expect(await check({ ...inside, deviceId: null }, event.id)).toBeNull()
  expect(await check({ ...inside, admissionToken: null }, event.id)).toBeNull()
  expect(await check({ ...inside, admissionToken: tokens[0] }, event.id)).toBeNull()
  // The token expires at the next whole second.
  const { expiresAt } = admission as { expiresAt: Date }
  const clock = vi.spyOn(first.clock, 'estimate').mockReturnValue(new Date(expiresAt.getTime() + 1_000))
  expect(await check(inside, event.id)).toBeNull()
  clock.mockRestore()
  await db.sql("update admissions set expires_at = now() - interval '1 second' where event_id = $1", [
    event.id,
  ])
  expect(await first.waitingRoom.position(tokens[0], ana)).toMatchObject({ state: 'LAPSED', admission: null })
})

test('a queue token is valid for its own account and device, and a refusal does not say what is wrong', async () => {
  const { event, fans, tokens } = await line(2, 1)
  const [ana, bob] = fans as [TestFan, TestFan]
  const { position, leave, positionUpdates } = first.waitingRoom
  const refused = [
    [tokens[1], ana],
    [tokens[0], bob],
    [tokens[1], { ...bob, deviceId: 'another' }],
    [tokens[1], { ...bob, deviceId: null }],
    ['nonsense', ana],
    [(await position(tokens[0], ana)).admission?.token, ana],
    [
      await first.tokens.signQueueToken({
        eventId: 'evt_nothere',
        accountId: ana.account.id,
        device: new Uint8Array(8),
        arrival: 1,
      }),
      ana,
    ],
  ] as [string, TestFan][]
  const messages = new Set<string>()
  for (const [token, who] of refused) {
    for (const ask of [position, leave, positionUpdates]) {
      const error = await Promise.resolve(ask(token, who)).then(
        () => undefined,
        (reason) => reason,
      )
      expect(error).toMatchObject({ code: 'QUEUE_TOKEN_INVALID' })
      messages.add(error.message)
    }
  }
  expect(messages.size).toBe(1)
  expect(await position(tokens[1] as string, { ...bob, account: null as never })).toMatchObject({
    state: 'WAITING',
  })
  expect(event.id).toMatch(/^evt_/)
})

test('without the account a turn is not taken, and its end is shown', async () => {
  const { event, fans, tokens } = await line(1, 1, { turnSeconds: 60 })
  const [ana] = fans
  const withoutAccount = { ...ana, account: null as never }
  const answer = await first.waitingRoom.position(tokens[0], withoutAccount)
  expect(answer).toMatchObject({ state: 'WAITING', place: 1, position: null, admission: null })
  const [call] = await db.sql('select at from calls where event_id = $1', [event.id])
  expect(answer.turnEndsAt).toEqual(new Date(call?.at.getTime() + 60_000))
  expect(await first.waitingRoom.ofAccount(ana, event.id)).toMatchObject({
    state: 'WAITING',
    queueToken: tokens[0],
  })
  expect(await db.sql('select * from admissions where event_id = $1', [event.id])).toHaveLength(0)
  expect(await first.waitingRoom.position(tokens[0], ana)).toMatchObject({
    state: 'ADMITTED',
    turnEndsAt: null,
  })
  expect(await first.waitingRoom.ofAccount(ana, event.id)).toMatchObject({ state: 'ADMITTED' })
})

test('a turn that is not taken lapses, and joining again gives a place at the end', async () => {
  const { event, fans, tokens } = await line(3, 1, { turnSeconds: 60 })
  const [ana] = fans
  await db.sql("update calls set at = at - interval '61 seconds' where event_id = $1", [event.id])
  expect(await first.waitingRoom.position(tokens[0], ana)).toMatchObject({ state: 'LAPSED', admission: null })
  const laptop = { ...ana, deviceId: 'laptop' }
  const again = await Promise.all(
    [first, second, first, second].map(async ({ waitingRoom }) =>
      placed(await waitingRoom.join(laptop, { eventId: event.id })),
    ),
  )
  for (const answer of again)
    expect(answer).toMatchObject({ state: 'WAITING', arrival: 4, place: 4, position: 3 })
  const rows = await db.sql('select arrival from places where event_id = $1 and left_at is null order by 1', [
    event.id,
  ])
  expect(rows).toEqual([{ arrival: 2 }, { arrival: 3 }, { arrival: 4 }])
  expect(await first.waitingRoom.position(tokens[0], ana)).toMatchObject({ state: 'REPLACED' })
})

test('while the line is closed no turn runs out, and after it the turn has the time that was left', async () => {
  const { event, fans, tokens } = await line(3, 1, { turnSeconds: 60 })
  const [ana] = fans
  const withoutAccount = { ...ana, account: null as never }
  const secondsLeft = async () => {
    const answer = await second.waitingRoom.position(tokens[0], withoutAccount)
    expect(answer.state).toBe('WAITING')
    return ((answer.turnEndsAt as Date).getTime() - Date.now()) / 1_000
  }
  await passClosed(first, event.id, 90)
  // Any gap counts ten seconds.
  expect(await secondsLeft()).toBeGreaterThan(40)
  await nextTick(first, event.id)
  await nextTick(first, event.id)
  expect(await secondsLeft()).toBeLessThan(51)
  await db.sql("update calls set at = at - interval '55 seconds' where event_id = $1", [event.id])
  expect(await first.waitingRoom.position(tokens[0], withoutAccount)).toMatchObject({ state: 'LAPSED' })
})

test('a new place that a server assigned before it was killed is not lost', async () => {
  const { event, fans } = await line(3, 1, { turnSeconds: 60 })
  const [ana] = fans
  await first.waitingRoom.join(fan(), { eventId: event.id })
  await db.sql("update calls set at = at - interval '61 seconds' where event_id = $1", [event.id])
  // A server is killed after Redis has replaced the place that was over, and before the server journals the new one.
  const assigned = await createRedisPlaces(first.roomRedis).join(
    event.id,
    accountDigest(event.id, ana.account.id),
    1,
  )
  expect(assigned?.arrival).toBe(5)
  expect(placed(await second.waitingRoom.join(ana, { eventId: event.id }))).toMatchObject({ arrival: 5 })
  expect(placed(await first.waitingRoom.join(ana, { eventId: event.id }))).toMatchObject({ arrival: 5 })
})

test('an admission that a hold has extended comes with a new token that expires later', async () => {
  const { event, fans, tokens } = await line(1, 1)
  const [ana] = fans
  const before = await first.waitingRoom.position(tokens[0], ana)
  await db.sql("update admissions set expires_at = expires_at + interval '5 minutes' where event_id = $1", [
    event.id,
  ])
  const after = await first.waitingRoom.position(tokens[0], ana)
  expect(after.admission?.token).not.toBe(before.admission?.token)
  expect(after.admission?.expiresAt.getTime()).toBe((before.admission?.expiresAt.getTime() ?? 0) + 300_000)
})

test('a fan who has bought is finished, and may join again at the end', async () => {
  const { event, fans, tokens } = await line(2, 1)
  const [ana] = fans
  await first.waitingRoom.position(tokens[0], ana)
  await db.sql('update admissions set ended_at = now() where event_id = $1', [event.id])
  expect(await first.waitingRoom.position(tokens[0], ana)).toMatchObject({
    state: 'FINISHED',
    admission: null,
  })
  expect(placed(await first.waitingRoom.join(ana, { eventId: event.id }))).toMatchObject({
    arrival: 3,
    place: 3,
  })
  await nextTick(first, event.id)
  await nextTick(first, event.id)
  const { queueToken } = placed(await first.waitingRoom.join(ana, { eventId: event.id }))
  const again = await first.waitingRoom.position(queueToken, ana)
  expect(again).toMatchObject({ state: 'ADMITTED', arrival: 3, place: 3 })
  expect(await first.admissions.check(withToken(ana, again.admission), event.id)).toMatchObject({ place: 3 })
  expect(await first.waitingRoom.position(tokens[0], ana)).toMatchObject({ state: 'REPLACED' })
})

test('a move takes the admission along, and the old device’s tokens are refused within seconds', async () => {
  const { event, fans, tokens } = await line(1, 1)
  const [phone] = fans
  const laptop = { ...phone, deviceId: 'laptop' }
  const { admission } = await first.waitingRoom.position(tokens[0], phone)
  const before = withToken(phone, admission)
  expect(await second.admissions.check(before, event.id)).not.toBeNull()
  expect(await first.waitingRoom.join(laptop, { eventId: event.id })).toBeInstanceOf(PlaceOnOtherDevice)
  const moved = placed(await first.waitingRoom.join(laptop, { eventId: event.id, moveHere: true }))
  expect(moved).toMatchObject({ state: 'ADMITTED', arrival: 1 })
  expect(moved.admission?.expiresAt).toEqual(admission?.expiresAt)
  expect(await first.admissions.check(before, event.id)).toBeNull()
  await expect.poll(() => second.admissions.check(before, event.id), { timeout: 10_000 }).toBeNull()
  expect(await second.admissions.check(withToken(laptop, moved.admission), event.id)).not.toBeNull()
  // On a server that has not received the change yet, the row decides at once.
  await expect(second.waitingRoom.position(tokens[0], phone)).rejects.toMatchObject({
    code: 'QUEUE_TOKEN_INVALID',
  })
  const [row] = await db.sql('select device from admissions where event_id = $1', [event.id])
  expect(
    Buffer.compare(
      row?.device,
      (await first.tokens.verifyQueueToken(moved.queueToken))?.device ?? Buffer.of(),
    ),
  ).toBe(0)
})

test('the next join completes a move that was interrupted between place and admission', async () => {
  const { event, fans, tokens } = await line(1, 1)
  const [phone] = fans
  const laptop = { ...phone, deviceId: 'laptop' }
  await first.waitingRoom.position(tokens[0], phone)
  await movePlace(db, event.id, 1, deviceDigest('laptop'))
  expect(placed(await second.waitingRoom.join(laptop, { eventId: event.id }))).toMatchObject({
    state: 'ADMITTED',
  })
})

test('a fan who leaves gives up place and admission at once', async () => {
  const { event, fans, tokens } = await line(3, 1)
  const [ana, bob] = fans as [TestFan, TestFan]
  const { admission } = await first.waitingRoom.position(tokens[0], ana)
  expect(await first.waitingRoom.leave(tokens[0], ana)).toMatchObject({ state: 'FINISHED', admission: null })
  expect(await first.admissions.check(withToken(ana, admission), event.id)).toBeNull()
  const [row] = await db.sql('select ended_at from admissions where event_id = $1', [event.id])
  expect(row?.ended_at).not.toBeNull()
  expect(await first.waitingRoom.leave(tokens[1] as string, bob)).toMatchObject({ state: 'FINISHED' })
  expect(await nextTick(first, event.id)).toEqual({ called: 1, admittedUpTo: 3 })
  expect(placed(await first.waitingRoom.join(bob, { eventId: event.id }))).toMatchObject({ arrival: 4 })
  expect(await first.waitingRoom.ofAccount(ana, event.id)).toBeNull()
})

test('while the room’s Redis or database is away no fan is admitted, and admitted fans carry on', async () => {
  const roomRedis = await testRedis()
  const roomDb = await testDatabase()
  const room = await testRoom({ db, roomDb, redisUrl: redis.url, roomRedisUrl: roomRedis.url })
  try {
    const event = await insertEvent(db, { waitingRoom: true, rate: 2 }, roomDb)
    const [ana, bob, cid] = [fan(), fan(), fan()]
    const [a, b, c] = (await fillLine(room, event.id, [ana, bob, cid])) as [string, string, string]
    await nextTick(room, event.id)
    const { position } = room.waitingRoom
    const { admission } = await position(a, ana)
    const closed = { code: 'OVERLOADED' }
    const carriesOn = async () => {
      expect(await position(a, ana)).toMatchObject({ state: 'ADMITTED', admission })
      expect(await room.admissions.check(withToken(ana, admission), event.id)).not.toBeNull()
      expect(await position(c, cid)).toMatchObject({ state: 'WAITING', position: 1 })
    }
    await roomRedis.kill()
    await expect(position(b, bob)).rejects.toMatchObject(closed)
    await carriesOn()
    await roomRedis.restart('lost')
    const bringBack = await takeDatabaseAway(db, roomDb)
    await expect(position(b, bob)).rejects.toMatchObject(closed)
    await carriesOn()
    await bringBack()
    await expect
      .poll(() => Promise.resolve(position(b, bob)).catch(() => null), { timeout: 10_000 })
      .toMatchObject({ state: 'ADMITTED' })
  } finally {
    room.close()
  }
})

/** A server that writes its admissions only after `letGo`. */
async function slowToAdmit() {
  const { promise: gate, resolve: letGo } = Promise.withResolvers<void>()
  let waiting = 0
  const pool = new Proxy(db.pool, {
    get(target, key) {
      if (key !== 'query') return Reflect.get(target, key)
      return async (...args: [string | { text: string }]) => {
        const [statement] = args
        if (/insert into admissions/.test(typeof statement === 'string' ? statement : statement.text)) {
          waiting++
          await gate
        }
        return (target.query as (...args: unknown[]) => unknown)(...args)
      }
    },
  })
  const room = await testRoom({ db: { ...db, pool }, redisUrl: redis.url })
  return { ...room, letGo, waiting: () => waiting }
}

const admissionsOf = (eventId: string) =>
  db.sql('select device, ended_at is not null as ended from admissions where event_id = $1', [eventId])

test('a place that is given up while it is being admitted keeps no admission', async () => {
  const { event, fans, tokens } = await line(1, 1)
  const slow = await slowToAdmit()
  try {
    const admitting = slow.waitingRoom.position(tokens[0], fans[0])
    await expect.poll(slow.waiting, { timeout: 10_000 }).toBe(1)
    expect(await second.waitingRoom.leave(tokens[0], fans[0])).toMatchObject({ state: 'FINISHED' })
    slow.letGo()
    expect(await admitting).toMatchObject({ state: 'FINISHED', admission: null })
    expect(await admissionsOf(event.id)).toMatchObject([{ ended: true }])
  } finally {
    slow.close()
  }
})

test('a place that moves while it is being admitted takes its admission along', async () => {
  const { event, fans, tokens } = await line(1, 1)
  const slow = await slowToAdmit()
  try {
    const admitting = slow.waitingRoom.position(tokens[0], fans[0])
    await expect.poll(slow.waiting, { timeout: 10_000 }).toBe(1)
    const tablet = new Uint8Array(deviceDigest('tablet'))
    const claims = { eventId: event.id, accountId: fans[0].account.id, arrival: 1, device: tablet }
    await movePlace(db, event.id, 1, tablet)
    await second.admissions.move(claims)
    slow.letGo()
    await expect(admitting).rejects.toMatchObject({ code: 'QUEUE_TOKEN_INVALID' })
    expect(await admissionsOf(event.id)).toEqual([{ device: Buffer.from(tablet), ended: false }])
  } finally {
    slow.close()
  }
})
