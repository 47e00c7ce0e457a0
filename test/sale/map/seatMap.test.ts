import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { describe, expect, test, vi } from 'vitest'
import { createChannelHub } from '../../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../../src/redis/connect.ts'
import { createPublisher } from '../../../src/redis/publisher.ts'
import { createCatalogue } from '../../../src/sale/catalogue/catalogue.ts'
import { createClock } from '../../../src/sale/clock.ts'
import { createHolds } from '../../../src/sale/holds/holds.ts'
import { packStatuses, setStatus } from '../../../src/sale/map/packedStatuses.ts'
import { createSeatMap, type SeatMap, type SectionUpdate } from '../../../src/sale/map/seatMap.ts'
import type { SeatStatus } from '../../../src/seatStatus.ts'
import { testAccount, testOrigins } from '../../support/checkout.ts'
import { cleanUp } from '../../support/cleanUp.ts'
import { testDatabase } from '../../support/database.ts'
import { insertEvent, type TestEvent } from '../../support/event.ts'
import { ask, isHold, sideBySide } from '../../support/holds.ts'
import { expectInvariants } from '../../support/invariants.ts'
import { seededRandom } from '../../support/random.ts'
import { testRedis } from '../../support/redis.ts'

const database = await testDatabase()
const server = await testRedis()

/** A process with connections of its own. */
async function newProcess() {
  const redis = connectForCommands(server.url)
  const subscriber = connectForWaiting(server.url)
  const hub = createChannelHub(subscriber)
  await new Promise((resolve) => redis.once('ready', resolve))
  const catalogue = createCatalogue(database)
  const clock = createClock(database)
  const seatMap = createSeatMap({ db: database, redis, hub, catalogue, clock, log: pino({ enabled: false }) })
  const sales = { find: async () => null }
  const publish = createPublisher(redis)
  const admissions = { check: () => null }
  const publishing: Promise<void>[] = []
  const holds = createHolds({
    db: database,
    catalogue,
    seatMap: {
      ...seatMap,
      publish(eventId, changes) {
        const published = seatMap.publish(eventId, changes)
        publishing.push(published)
        return published
      },
    },
    sales,
    admissions,
    origins: testOrigins,
    clock,
    hub,
    publish,
  })
  cleanUp(() => {
    redis.disconnect()
    hub.close()
  })
  /** Waits until the changes of all holds so far have reached the map. */
  const published = () => Promise.all(publishing)
  return { redis, seatMap, holds, published }
}

const here = await newProcess()
const there = await newProcess()

async function statusesInDatabase(event: TestEvent, sectionNo: number): Promise<SeatStatus[]> {
  const rows = await database.sql<{ status: SeatStatus }>(
    'select status from seats where event_id = $1 and section_no = $2 order by no',
    [event.id, sectionNo],
  )
  return rows.map(({ status }) => status)
}

/** Changes a seat as a committed transaction does, without publishing the change. */
async function change(event: TestEvent, seatNo: number, status: 0 | 3): Promise<number> {
  const [row] = await database.sql<{ revision: number }>(
    'update seats set status = $3, revision = revision + 1 where event_id = $1 and no = $2 returning revision',
    [event.id, seatNo, status],
  )
  return row?.revision as number
}

async function expectMapIsRight({ seatMap }: { seatMap: SeatMap }, event: TestEvent, sectionNo = 1) {
  const statuses = await statusesInDatabase(event, sectionNo)
  const [row] = await database.sql<{ version: number }>(
    'select sum(revision)::int as version from seats where event_id = $1 and section_no = $2',
    [event.id, sectionNo],
  )
  const snapshot = await readUntil(seatMap, event, sectionNo, ({ version }) => version === row?.version)
  expect(equal(snapshot.statuses, packStatuses(statuses))).toBe(true)
  expect(snapshot.available).toBe(statuses.filter((status) => status === 0).length)
}

/** Returns the section once it satisfies `isRight`, which a map that is at most a second old soon does. */
async function readUntil(
  seatMap: SeatMap,
  event: TestEvent,
  sectionNo: number,
  isRight: (snapshot: Awaited<ReturnType<SeatMap['section']>>) => boolean,
) {
  const deadline = Date.now() + 10_000
  for (;;) {
    const snapshot = await seatMap.section(event.id, sectionNo)
    if (isRight(snapshot) || Date.now() > deadline) {
      expect(isRight(snapshot)).toBe(true)
      return snapshot
    }
    await sleep(20)
  }
}

function equal(a: Uint8Array | null, b: Uint8Array): boolean {
  return a !== null && Buffer.compare(a, b) === 0
}

/** A client that applies its updates as the contract says, from the first snapshot on. */
async function watch({ seatMap }: { seatMap: SeatMap }, event: TestEvent) {
  const updates = seatMap.updates(event.id, 1)
  let statuses: Uint8Array | null = null
  const received: SectionUpdate[] = []

  async function next(): Promise<SectionUpdate> {
    const { value, done } = await updates.next()
    if (done) throw new Error('the subscription has ended')
    if (value.snapshot) {
      statuses = value.snapshot.statuses && new Uint8Array(value.snapshot.statuses)
    } else {
      expect(value.previousVersion).toBe(received.at(-1)?.version)
      for (const { index, status } of value.changes) setStatus(statuses as Uint8Array, index, status)
    }
    const last = received.at(-1)
    if (last) expect(value.version).toBeGreaterThanOrEqual(last.version)
    received.push(value)
    return value
  }

  const client = {
    received,
    next,
    async until(available: number): Promise<SectionUpdate> {
      for (;;) {
        const update = await next()
        if (update.available === available) return update
      }
    },
    statuses: () => statuses,
    leave: () => updates.return?.(),
  }
  await next()
  return client
}

describe('a section', () => {
  test('is packed as the contract says: two bits a seat, from the first byte’s highest bit', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 6 }] })
    for (const no of [2, 5]) await change(event, no, 3)
    await ask(here.holds, testAccount(), event, [3, 6])
    const { statuses, available, version } = await here.seatMap.section(event.id, 1)
    expect([...(statuses as Uint8Array)]).toEqual([0b00110100, 0b11010000])
    expect({ available, version }).toEqual({ available: 2, version: 4 })
  })

  test('shows and counts holds, releases and expired holds in every process', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 30 }, { seats: 10 }] })
    await there.seatMap.section(event.id, 1)
    const account = testAccount()
    const first = await ask(here.holds, account, event, [1, 2, 31])
    await ask(there.holds, account, event, [4])
    if (isHold(first)) await there.holds.release(account, first.id)
    await database.sql("update holds set expires_at = now() - interval '1 s' where event_id = $1", [event.id])
    await database.sql(
      'update seats s set held_until = h.expires_at from holds h where s.event_id = $1 and h.id = s.hold_id',
      [event.id],
    )
    await ask(here.holds, testAccount(), event, [8, 9])
    await here.holds.sweep(event.id)
    for (const process of [here, there]) {
      for (const sectionNo of [1, 2]) await expectMapIsRight(process, event, sectionNo)
    }
    expect(await here.seatMap.rebuild(event.id)).toEqual({ differed: 0 })
    expect(await there.seatMap.counts(event.id, performance.now())).toMatchObject({
      available: 38,
      held: 2,
      sold: 0,
      notForSale: 0,
      sections: [
        { sectionNo: 1, available: 28 },
        { sectionNo: 2, available: 10 },
      ],
    })
    await expectInvariants(database, event.id)
  })

  test('shows when it was true, at most a second ago', async () => {
    const event = await insertEvent(database)
    for (let i = 0; i < 15; i++) {
      const before = Date.now()
      const { asOf } = await here.seatMap.section(event.id, 1)
      expect(asOf.getTime()).toBeGreaterThanOrEqual(before - 1_000)
      // The reading of the database's clock took some milliseconds, so its result is not exact.
      expect(asOf.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
      await sleep(100)
    }
  })

  test('that is fresh in memory is returned without a promise, the same to all; any other is read', async () => {
    const event = await insertEvent(database)
    const reading = here.seatMap.section(event.id, 1)
    expect(reading).toBeInstanceOf(Promise)
    const read = await reading
    expect(here.seatMap.section(event.id, 1)).toBe(read)
    await expect(here.seatMap.section(event.id, 2)).rejects.toThrow('has no section')
    expect(there.seatMap.section(event.id, 1)).toBeInstanceOf(Promise)
    // A later read refreshes the section.
    await expect
      .poll(() => here.seatMap.section(event.id, 1) instanceof Promise, { timeout: 10_000 })
      .toBe(true)
    await change(event, 3, 3)
    await here.seatMap.rebuild(event.id)
    await readUntil(here.seatMap, event, 1, ({ version }) => version > read.version)
    await expect
      .poll(() => {
        const section = here.seatMap.section(event.id, 1)
        return section instanceof Promise ? section.then(() => null) : section
      })
      .toMatchObject({ available: read.available - 1 })
  })

  test('with general admission has counts and no statuses', async () => {
    const event = await insertEvent(database, { sections: [{ places: 50 }] })
    const client = await watch(here, event)
    expect(client.received).toMatchObject([{ snapshot: { statuses: null, available: 50 } }])
    const revision = await change(event, 7, 3)
    await here.seatMap.publish(event.id, [{ seatNo: 7, status: 3, revision }])
    expect(await client.next()).toMatchObject({
      previousVersion: 0,
      version: 1,
      available: 49,
      changes: [],
      snapshot: null,
    })
    await client.leave()
    expect(await here.seatMap.section(event.id, 1)).toMatchObject({ statuses: null, available: 49 })
  })

  test('that does not exist is an error', async () => {
    const event = await insertEvent(database)
    await expect(here.seatMap.section(event.id, 9)).rejects.toThrow()
    await expect(here.seatMap.section('evt_nowhere', 1)).rejects.toThrow()
  })
})

describe('the order of published changes', () => {
  test('two commits on one seat, published in the wrong order: the map is right', async () => {
    const event = await insertEvent(database)
    await here.seatMap.section(event.id, 1)
    const earlier = { seatNo: 3, status: 3, revision: await change(event, 3, 3) } as const
    const later = { seatNo: 3, status: 0, revision: await change(event, 3, 0) } as const
    await here.seatMap.publish(event.id, [later])
    await there.seatMap.publish(event.id, [earlier])
    for (const process of [here, there]) await expectMapIsRight(process, event)
    expect(await here.seatMap.rebuild(event.id)).toEqual({ differed: 0 })
  })

  test('200 changes published in any order, some twice and some never: right after one rebuild', async () => {
    const event = await insertEvent(database)
    const random = seededRandom()
    const changes = []
    for (let i = 0; i < 200; i++) {
      const seatNo = 1 + Math.floor(random() * 40)
      const status = random() < 0.5 ? 0 : 3
      changes.push({ seatNo, status, revision: await change(event, seatNo, status), at: random() } as const)
    }
    const twice = changes.filter(() => random() < 0.3).map((seat) => ({ ...seat, at: random() }))
    const sent = [...changes.filter(() => random() < 0.8), ...twice].sort((a, b) => a.at - b.at)
    await Promise.all(sent.map((seat, i) => (i % 2 === 0 ? here : there).seatMap.publish(event.id, [seat])))
    await here.seatMap.rebuild(event.id)
    for (const process of [here, there]) await expectMapIsRight(process, event)
    expect(await there.seatMap.rebuild(event.id)).toEqual({ differed: 0 })
  })
})

describe('lost changes', () => {
  test('the rebuild finds a commit that was never published, and sends it to subscribers', async () => {
    const event = await insertEvent(database)
    const client = await watch(there, event)
    await change(event, 3, 3)
    expect(await here.seatMap.rebuild(event.id)).toEqual({ differed: 1 })
    expect(await client.next()).toMatchObject({ changes: [{ index: 2, status: 3 }], previousVersion: 0 })
    await client.leave()
  })

  test('after a flush of Redis the maps are right again, and versions do not go back', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 40 }, { places: 20 }] })
    const account = testAccount()
    await ask(here.holds, account, event, [1, 2, 3])
    const before = await here.seatMap.section(event.id, 1)
    const client = await watch(there, event)
    await here.redis.flushall()
    await ask(here.holds, account, event, [5])
    await here.redis.flushall()
    await here.seatMap.rebuild(event.id)
    await here.redis.flushall()
    await ask(there.holds, account, event, [6])
    await client.until(35)
    expect(client.statuses()).toEqual(packStatuses(await statusesInDatabase(event, 1)))
    expect(client.received.filter(({ snapshot }) => snapshot)).toHaveLength(1)
    await client.leave()
    for (const process of [here, there]) await expectMapIsRight(process, event)
    expect((await here.seatMap.section(event.id, 1)).version).toBeGreaterThan(before.version)
    expect(await here.seatMap.counts(event.id)).toMatchObject({ available: 55, held: 5 })
  })

  test('after a database crash that took holds back, seats are free again and versions grow', async () => {
    const event = await insertEvent(database)
    await ask(here.holds, testAccount(), event, [1, 2, 3])
    const client = await watch(there, event)
    if (client.received.at(-1)?.available !== 37) await client.until(37)
    const known = client.received.at(-1) as SectionUpdate
    await takeBack(event)
    // One seat is taken again, at a revision that the map has already: a plain merge would ignore it.
    await change(event, 3, 3)
    expect(await here.seatMap.rebuild(event.id)).toEqual({ differed: 3 })
    expect((await client.until(39)).version).toBeGreaterThan(known.version)
    expect(client.statuses()).toEqual(packStatuses(await statusesInDatabase(event, 1)))
    await client.leave()
    for (const process of [here, there]) await expectMapIsRight(process, event)
    expect(await here.seatMap.rebuild(event.id)).toEqual({ differed: 0 })
  })

  test('after such a crash and a loss of Redis together, a process continues above the version that it sent', async () => {
    const event = await insertEvent(database)
    await ask(here.holds, testAccount(), event, [1, 2, 3])
    const before = await readUntil(there.seatMap, event, 1, ({ available }) => available === 37)
    await takeBack(event)
    await here.redis.flushall()
    const after = await readUntil(there.seatMap, event, 1, ({ available }) => available === 40)
    expect(after.version).toBeGreaterThan(before.version)
    for (const process of [there, here]) await expectMapIsRight(process, event)
  })

  test('a Redis that comes back with an older map is brought up to date', async () => {
    const event = await insertEvent(database)
    await here.seatMap.section(event.id, 1)
    const saved = await Promise.all(
      (await here.redis.keys(`fg:{${event.id}}:map*`)).map(
        async (key) => [key, await here.redis.dumpBuffer(key)] as const,
      ),
    )
    await ask(here.holds, testAccount(), event, [1, 2, 3])
    const before = await readUntil(there.seatMap, event, 1, ({ available }) => available === 37)
    for (const [key, dump] of saved) await here.redis.restore(key, 0, dump as Buffer, 'REPLACE')
    const deadline = Date.now() + 1_500
    while (Date.now() < deadline) {
      expect((await there.seatMap.section(event.id, 1)).version).toBeGreaterThanOrEqual(before.version)
      await sleep(50)
    }
    for (const process of [there, here]) await expectMapIsRight(process, event)
  })

  /** Undoes the last commits as a crash would: the seats are as they were made. */
  async function takeBack(event: TestEvent) {
    // A publication that finds no map reads the database itself: it must not see what the crash leaves.
    for (const process of [here, there]) await process.published()
    await database.sql(
      'update seats set status = 0, hold_id = null, held_until = null, revision = 0 where event_id = $1',
      [event.id],
    )
    await database.sql('delete from hold_items where event_id = $1', [event.id])
    await database.sql('delete from holds where event_id = $1', [event.id])
  }
})

describe('subscribers', () => {
  test('have the same seats as the database after a storm of holds, with no gap and one snapshot', async () => {
    const event = await insertEvent(database, { sections: [{ seats: 60 }] })
    const random = seededRandom()
    const clients = await Promise.all([here, there, there].map((process) => watch(process, event)))
    await sideBySide(20, 20, async (i) => {
      const { holds } = i % 2 === 0 ? here : there
      const account = testAccount()
      for (let n = 0; n < 15; n++) {
        const from = 1 + Math.floor(random() * 57)
        const hold = await ask(holds, account, event, [from, from + 1, from + 2, from + 3])
        if (!isHold(hold)) continue
        await sleep(20 * random())
        await holds.release(account, hold.id)
      }
    })
    for (let no = 1; no <= 60; no++) await ask(here.holds, testAccount(), event, [no])
    const held = packStatuses(Array.from({ length: 60 }, () => 1))
    await Promise.all(clients.map((client) => client.until(0)))
    for (const client of clients) {
      expect(client.statuses()).toEqual(held)
      expect(client.received.filter(({ snapshot }) => snapshot)).toHaveLength(1)
      await client.leave()
    }
    await expectInvariants(database, event.id)
  })

  test('get every version that another process may have sent, even if nothing else has changed', async () => {
    const event = await insertEvent(database)
    const client = await watch(there, event)
    // A claim does the same: the seat's status stays.
    const [row] = await database.sql<{ revision: number }>(
      'update seats set revision = revision + 1 where event_id = $1 and no = 3 returning revision',
      [event.id],
    )
    await here.seatMap.publish(event.id, [{ seatNo: 3, status: 0, revision: row?.revision as number }])
    expect(await there.seatMap.latest(event.id, 1)).toBe(1)
    expect(await client.next()).toMatchObject({ previousVersion: 0, version: 1, changes: [] })
    await client.leave()
  })

  test('get a state that was true at most two seconds ago, even while a new change is not sent yet', async () => {
    const event = await insertEvent(database)
    const updates = there.seatMap.updates(event.id, 1)
    const first = (await updates.next()).value as SectionUpdate
    const come = async (seatNo: number, status: 0 | 3, reached: number) => {
      const revision = await change(event, seatNo, status)
      await here.seatMap.publish(event.id, [{ seatNo, status, revision }])
      await readUntil(there.seatMap, event, 1, ({ version }) => version === reached)
      const whole = await there.seatMap.whole(first)
      expect(whole).toMatchObject({ version: 0, snapshot: { version: 0, available: 40 } })
      expect(Date.now() - whole.asOf.getTime()).toBeLessThan(2_000)
      expect(whole.snapshot?.asOf).toEqual(whole.asOf)
    }
    await sleep(2_100)
    // First a change that leaves the status as it was, which is not sent; then one that changes it.
    await come(3, 0, 1)
    await sleep(2_100)
    await come(4, 3, 2)
    expect((await updates.next()).value).toMatchObject({ previousVersion: 0, version: 2 })
    await updates.return?.()
  })

  test('get nothing more once they have left', async () => {
    const event = await insertEvent(database)
    const updates = here.seatMap.updates(event.id, 1)
    await updates.next()
    const waiting = updates.next()
    await updates.return?.()
    expect(await waiting).toMatchObject({ done: true })
    await ask(here.holds, testAccount(), event, [1])
    expect(await updates.next()).toMatchObject({ done: true })
  })

  test('get the changes that pub/sub lost', async () => {
    const event = await insertEvent(database)
    const client = await watch(there, event)
    await mergeSilently(event, 2, 3, await change(event, 3, 3))
    expect(await client.next()).toMatchObject({ changes: [{ index: 2, status: 3 }] })
    await client.leave()
  })

  /** Does what mergeSeats.lua does, without its message. */
  async function mergeSilently(event: TestEvent, index: number, status: number, revision: number) {
    const key = `fg:{${event.id}}:map`
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(revision)
    await here.redis.setrange(`${key}:1:revisions`, 4 * index, bytes as unknown as string)
    await here.redis.call('BITFIELD', `${key}:1:statuses`, 'SET', 'u2', `#${index}`, status)
    await here.redis.hincrby(key, '1:version', revision)
    await here.redis.hincrby(key, '1:0', -1)
    await here.redis.hincrby(key, `1:${status}`, 1)
  }
})

describe('without Redis', () => {
  test('the map has counts from the database and no statuses; with Redis it is complete again', async () => {
    const event = await insertEvent(database)
    const account = testAccount()
    await ask(here.holds, account, event, [1])
    const client = await watch(here, event)
    expect(client.received).toMatchObject([{ version: 1, snapshot: { available: 39 } }])

    await server.kill()
    expect(isHold(await ask(here.holds, account, event, [2, 3]))).toBe(true)
    const bare = await readUntil(here.seatMap, event, 1, ({ available }) => available === 37)
    expect(bare).toMatchObject({ statuses: null, version: 3 })
    expect(await client.until(37)).toMatchObject({ version: 3 })
    expect(client.statuses()).toBeNull()
    expect(await here.seatMap.counts(event.id)).toMatchObject({ available: 37, held: 3 })

    await server.restart('lost')
    expect(await client.next()).toMatchObject({ version: 3, snapshot: { available: 37 } })
    expect(client.statuses()).toEqual(packStatuses(await statusesInDatabase(event, 1)))
    await ask(here.holds, account, event, [4])
    await client.until(36)
    expect(client.statuses()).toEqual(packStatuses(await statusesInDatabase(event, 1)))
    await client.leave()
    for (const process of [here, there]) await expectMapIsRight(process, event)
  })
})

test('50,000 seats in 100 sections are loaded, compared and counted', async () => {
  const event = await insertEvent(database, { sections: Array.from({ length: 100 }, () => ({ seats: 500 })) })
  expect(await here.seatMap.counts(event.id)).toMatchObject({ available: 50_000 })
  await database.sql('update seats set status = 3, revision = 1 where event_id = $1 and no % 100 = 0', [
    event.id,
  ])
  expect(await here.seatMap.rebuild(event.id)).toEqual({ differed: 500 })
  expect(await here.seatMap.rebuild(event.id)).toEqual({ differed: 0 })
  expect(await there.seatMap.counts(event.id, performance.now())).toMatchObject({
    available: 49_500,
    notForSale: 500,
  })
  for (const sectionNo of [1, 57, 100]) await expectMapIsRight(there, event, sectionNo)
})

test.each([-1, 1])(
  "with this machine's clock %i hour off, the map is as fresh by the database's clock",
  async (hours) => {
    const event = await insertEvent(database)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + hours * 3_600_000 })
    try {
      const { seatMap } = await newProcess()
      const databaseNow = async () =>
        (await database.sql('select clock_timestamp() as now'))[0]?.now.getTime()
      const updates = seatMap.updates(event.id, 1)
      const times = async () => [
        (await seatMap.section(event.id, 1)).asOf,
        (await seatMap.counts(event.id)).asOf,
      ]
      const first = (await updates.next()).value?.asOf
      for (let round = 0; round < 3; round++) {
        const before = await databaseNow()
        const all = [...(await times()), ...(round === 0 && first ? [first] : [])]
        const after = await databaseNow()
        for (const asOf of all) {
          expect(asOf.getTime()).toBeGreaterThan(before - 3_000)
          expect(asOf.getTime()).toBeLessThan(after + 1_000)
        }
        const seatNo = round + 1
        const revision = await change(event, seatNo, 3)
        await here.seatMap.publish(event.id, [{ seatNo, status: 3, revision }])
        const { value } = await updates.next()
        expect(value?.changes).toEqual([{ index: round, status: 3 }])
        expect(value?.asOf.getTime()).toBeGreaterThan(before - 1_000)
        // The machine's clock is set right, and wrong again.
        vi.setSystemTime(Date.now() + (round % 2 === 0 ? -hours : hours) * 3_600_000)
      }
      await updates.return?.()
    } finally {
      vi.useRealTimers()
    }
  },
)
