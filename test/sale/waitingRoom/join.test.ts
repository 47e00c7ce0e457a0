import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createRedisPlaces } from '../../../src/redis/places.ts'
import type { Fault } from '../../../src/sale/faults.ts'
import { AccountNotVerified, PlaceOnOtherDevice, QueueNotOpen, SaleOver } from '../../../src/sale/refusals.ts'
import { accountDigest } from '../../../src/sale/tokens/digests.ts'
import { createJournal } from '../../../src/sql/room/journal.ts'
import { insertEvent } from '../../support/event.ts'
import { seededRandom } from '../../support/random.ts'
import { fan, placed, type TestFan, type TestRoom } from '../../support/room.ts'
import { twoServers } from '../../support/twoServers.ts'

const { db, first, second } = await twoServers()

const preQueue = { waitingRoom: true, preQueueOpensInSeconds: -60, opensInSeconds: 3_600 }

async function join({ waitingRoom }: TestRoom, who: TestFan, eventId: string, moveHere = false) {
  return waitingRoom.join(who, { eventId, moveHere })
}

function journal(eventId: string) {
  return db.sql<{ arrival: number; account: Buffer; left_at: Date | null }>(
    'select arrival, account, left_at from places where event_id = $1 order by arrival',
    [eventId],
  )
}

test('a join is in the journal before the fan gets the answer', async () => {
  const event = await insertEvent(db, preQueue)
  const ana = fan()
  await join(first, fan(), event.id)
  const client = await db.pool.connect()
  try {
    await client.query('begin')
    await client.query('select pg_advisory_xact_lock(places_lock($1))', [event.id])
    const joining = join(first, ana, event.id).then(() => 'answered')
    expect(await Promise.race([joining, sleep(500, 'not answered')])).toBe('not answered')
    await client.query('commit')
    expect(await joining).toBe('answered')
  } finally {
    client.release()
  }
  expect((await journal(event.id)).map(({ account }) => account)).toContainEqual(
    accountDigest(event.id, ana.account.id),
  )
})

test('2,000 joins at once of 1,000 accounts on two servers give one place each, with indexes 1 to 1,000', async () => {
  const random = seededRandom()
  const event = await insertEvent(db, preQueue)
  const fans = Array.from({ length: 1_000 }, () => fan())
  const joins = [...fans, ...fans].sort(() => random() - 0.5)
  const answers = await Promise.all(
    joins.map(async (who) => ({
      account: who.account.id,
      ...placed(await join(random() < 0.5 ? first : second, who, event.id)),
    })),
  )
  const byAccount = Map.groupBy(answers, ({ account }) => account)
  for (const own of byAccount.values()) expect(new Set(own.map(({ arrival }) => arrival)).size).toBe(1)
  const arrivals = [...byAccount.values()].map((own) => own[0]?.arrival as number).sort((a, b) => a - b)
  expect(arrivals).toEqual(Array.from({ length: 1_000 }, (_, i) => i + 1))
  const rows = await journal(event.id)
  expect(rows.map(({ arrival }) => arrival)).toEqual(arrivals)
  for (const { account, arrival } of answers) {
    expect(rows[arrival - 1]?.account).toEqual(accountDigest(event.id, account))
  }
})

test('a second tab, a refresh and a retry after a lost reply get the same place and token', async () => {
  const event = await insertEvent(db, preQueue)
  await join(first, fan(), event.id)
  const ana = fan()
  const once = placed(await join(first, ana, event.id))
  const again = placed(await join(first, ana, event.id))
  const elsewhere = await second.waitingRoom.position(once.queueToken, ana)
  expect(once).toMatchObject({ state: 'PRE_QUEUE', arrival: 2, place: null, position: null })
  expect(again).toMatchObject({ arrival: 2, queueToken: once.queueToken })
  expect(elsewhere).toMatchObject({ state: 'PRE_QUEUE', arrival: 2 })
})

test('an account that retries gets the index that was given and never journalled', async () => {
  const event = await insertEvent(db, preQueue)
  await join(first, fan(), event.id)
  const ana = fan()
  // What a server has done that is killed before it journals.
  const given = await createRedisPlaces(first.roomRedis).join(
    event.id,
    accountDigest(event.id, ana.account.id),
    0,
  )
  expect(given?.arrival).toBe(2)
  expect(await journal(event.id)).toHaveLength(1)
  expect(placed(await join(second, fan(), event.id)).arrival).toBe(3)
  expect(placed(await join(second, ana, event.id)).arrival).toBe(2)
  expect((await journal(event.id)).map(({ arrival }) => arrival)).toEqual([1, 2, 3])
})

test('a batch that fails fails its joins, and a retry gives the same places', async () => {
  const event = await insertEvent(db, preQueue)
  await join(first, fan(), event.id)
  const fans = Array.from({ length: 20 }, () => fan())
  const client = await db.pool.connect()
  await client.query('begin')
  await client.query('lock table places in access exclusive mode')
  const failing = Promise.allSettled(fans.map((who) => join(first, who, event.id)))
  // In a transaction of its own each time: one keeps the activity that it saw first.
  for (let ended = 0; ended === 0; await sleep(20)) {
    const terminated = await db.sql(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and query like '%journal_places%' and wait_event_type = 'Lock'`,
    )
    ended = terminated.length
  }
  for (const result of await failing) {
    expect(result.status).toBe('rejected')
    const fault = (result as PromiseRejectedResult).reason as Fault
    expect(fault.code).toBe('OVERLOADED')
    expect(fault.extensions.retryAfterSeconds).toBeGreaterThanOrEqual(2)
  }
  await client.query('rollback')
  client.release()
  expect(await journal(event.id)).toHaveLength(1)
  const answers = await Promise.all(
    fans.map(async (who) => placed(await join(second, who, event.id)).arrival),
  )
  expect(answers.sort((a, b) => a - b)).toEqual(fans.map((_, i) => i + 2))
})

test('the same account has places of its own at two events', async () => {
  const [one, other] = [await insertEvent(db, preQueue), await insertEvent(db, preQueue)]
  await join(first, fan(), one.id)
  const ana = fan()
  expect(placed(await join(first, ana, one.id)).arrival).toBe(2)
  expect(placed(await join(first, ana, other.id)).arrival).toBe(1)
})

test('no fan joins before the pre-queue, after the end, when sold out, or without a verified address', async () => {
  const soon = await insertEvent(db, { ...preQueue, preQueueOpensInSeconds: 90 })
  const refused = await join(first, fan(), soon.id)
  expect(refused).toBeInstanceOf(QueueNotOpen)
  expect((refused as QueueNotOpen).retryAfterSeconds).toBeGreaterThan(80)
  const ended = await insertEvent(db, { waitingRoom: true, endsInSeconds: -1 })
  expect(await join(first, fan(), ended.id)).toMatchObject({ saleState: 'ENDED' })
  const soldOut = await insertEvent(db, { waitingRoom: true })
  await db.sql('update seats set status = 3 where event_id = $1', [soldOut.id])
  const over = await join(first, fan(), soldOut.id)
  expect(over).toBeInstanceOf(SaleOver)
  expect(over).toMatchObject({ saleState: 'SOLD_OUT', retryAfterSeconds: null })
  const event = await insertEvent(db, preQueue)
  const unverified = fan()
  expect(
    await join(first, { ...unverified, account: { ...unverified.account, emailVerified: false } }, event.id),
  ).toBeInstanceOf(AccountNotVerified)
  expect(await journal(event.id)).toHaveLength(0)
})

test('joining needs an account, a device and an event', async () => {
  const event = await insertEvent(db, preQueue)
  const { waitingRoom } = first
  await expect(waitingRoom.join({ ...fan(), account: null }, { eventId: event.id })).rejects.toMatchObject({
    code: 'UNAUTHENTICATED',
  })
  await expect(waitingRoom.join(fan('bob', null), { eventId: event.id })).rejects.toMatchObject({
    code: 'BAD_USER_INPUT',
    extensions: { faults: [{ path: ['Device-Id'] }] },
  })
  for (const eventId of ['evt_nothere', 'nonsense']) {
    await expect(waitingRoom.join(fan(), { eventId })).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      extensions: { faults: [{ path: ['input', 'eventId'] }] },
    })
  }
})

test('a sale without a waiting room is open to every fan, and gives no place', async () => {
  const event = await insertEvent(db, {})
  const ana = fan()
  const answer = placed(await join(first, ana, event.id))
  expect(answer).toMatchObject({ state: 'OPEN', arrival: 0, place: null, available: 40 })
  expect(await first.waitingRoom.position(answer.queueToken, ana)).toMatchObject({ state: 'OPEN' })
})

test('another device is refused until it moves the place; then the first device’s token is dead everywhere', async () => {
  const event = await insertEvent(db, preQueue)
  const phone = fan()
  const laptop = { ...phone, deviceId: 'laptop' }
  const before = placed(await join(first, phone, event.id))
  await second.waitingRoom.position(before.queueToken, phone)
  expect(await join(second, laptop, event.id)).toBeInstanceOf(PlaceOnOtherDevice)
  expect(await first.waitingRoom.ofAccount(laptop, event.id)).toBeNull()

  const moved = placed(await join(first, laptop, event.id, true))
  expect(moved.arrival).toBe(before.arrival)
  await expect(first.waitingRoom.position(before.queueToken, phone)).rejects.toMatchObject({
    code: 'QUEUE_TOKEN_INVALID',
  })
  await expect
    .poll(
      async () => {
        const position = Promise.resolve(second.waitingRoom.position(before.queueToken, phone))
        return position.catch((error: Fault) => error.code)
      },
      { timeout: 10_000 },
    )
    .toBe('QUEUE_TOKEN_INVALID')
  expect(await first.waitingRoom.position(moved.queueToken, laptop)).toMatchObject({ state: 'PRE_QUEUE' })
  expect(await join(first, phone, event.id)).toBeInstanceOf(PlaceOnOtherDevice)
  expect(await second.waitingRoom.ofAccount(laptop, event.id)).toMatchObject({
    arrival: before.arrival,
    queueToken: moved.queueToken,
  })
})

test('when ten devices move one place at once, none gets an error about a token that it never sent', async () => {
  const event = await insertEvent(db, preQueue)
  const ana = fan()
  await join(first, ana, event.id)
  for (let round = 0; round < 5; round++) {
    const joins = await Promise.allSettled(
      Array.from({ length: 10 }, (_, i) =>
        join(i % 2 ? first : second, { ...ana, deviceId: `device-${round}-${i}` }, event.id, true),
      ),
    )
    for (const joined of joins) {
      if (joined.status === 'rejected') expect(joined.reason).toMatchObject({ code: 'REQUEST_IN_PROGRESS' })
      else expect(placed(joined.value)).toMatchObject({ state: 'PRE_QUEUE', arrival: 1 })
    }
    expect(joins.some(({ status }) => status === 'fulfilled')).toBe(true)
  }
  expect(await journal(event.id)).toHaveLength(1)
})

test('a fan who leaves before the opening keeps the index for a rejoin, from any device', async () => {
  const event = await insertEvent(db, preQueue)
  await join(first, fan(), event.id)
  const ana = fan()
  const { queueToken } = placed(await join(first, ana, event.id))
  await join(first, fan(), event.id)
  expect(await first.waitingRoom.leave(queueToken, ana)).toMatchObject({ state: 'FINISHED' })
  expect(await first.waitingRoom.leave(queueToken, ana)).toMatchObject({ state: 'FINISHED' })
  await expect
    .poll(async () => (await first.waitingRoom.room(event.id))?.waiting, { timeout: 10_000 })
    .toBe(2)
  const back = placed(await join(second, { ...ana, deviceId: 'laptop' }, event.id))
  expect(back).toMatchObject({ state: 'PRE_QUEUE', arrival: 2 })
  await expect
    .poll(async () => (await first.waitingRoom.room(event.id))?.waiting, { timeout: 10_000 })
    .toBe(3)
})

test('joins beyond what the journal can take are refused, and do not wait without end', async () => {
  const event = await insertEvent(db, preQueue)
  const journalled = createJournal(db)
  const place = (arrival: number) =>
    journalled.append({
      eventId: event.id,
      arrival,
      account: accountDigest(event.id, `${arrival}`),
      device: Buffer.alloc(8),
      copy: 0,
    })
  const results = await Promise.allSettled(Array.from({ length: 30_010 }, (_, i) => place(i + 1)))
  expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(10)
  const [{ count } = { count: 0 }] = await db.sql('select count(*)::int from places where event_id = $1', [
    event.id,
  ])
  expect(count).toBe(30_000)
})
