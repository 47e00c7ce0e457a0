import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { App } from '../../src/app.ts'
import { startJobs } from '../../src/jobs/index.ts'
import { type Stores, testApps } from '../support/apps.ts'
import { cleanUp } from '../support/cleanUp.ts'
import { testDatabase } from '../support/database.ts'
import { insertEvent } from '../support/event.ts'
import { expectInvariants } from '../support/invariants.ts'
import { until } from '../support/jobs.ts'
import { persist, testLine } from '../support/line.ts'
import { buy, expectLinesSurvive, expectNothing, letIn } from '../support/lineLoss.ts'
import { LONG } from '../support/long.ts'
import { testPostgres } from '../support/postgres.ts'
import { seededRandom } from '../support/random.ts'
import { testRedis } from '../support/redis.ts'
import { fan, type TestFan } from '../support/room.ts'

/** The full minute takes part in npm run test:long alone. */
const AWAY_MS = LONG ? 60_000 : 15_000
const FANS = LONG ? 300 : 90
const RATE = 1

interface Service {
  readonly apps: readonly [App, App]
  /** The store that is away. */
  readonly store: { hang(): void; resume(): void }
}

/** Two servers with their own database, and a worker where `jobs` is true. */
async function service(store: Service['store'], stores: Omit<Stores, 'databaseUrl'>, jobs: boolean) {
  const { url: databaseUrl } = await testDatabase()
  const startApp = await testApps({ databaseUrl, ...stores })
  const apps = [await startApp(), await startApp()] as const
  if (jobs) {
    const running = await startJobs(await startApp())
    cleanUp(() => running.close(5_000))
  }
  return { apps, store }
}

const quiet = await testRedis()
const withoutJobs = await service(quiet, { redisUrl: quiet.url }, false)
const STORES: [string, () => Promise<Service>][] = [
  [
    'the Redis of room and booking',
    async () => {
      const shared = await testRedis()
      return service(shared, { redisUrl: shared.url }, true)
    },
  ],
  [
    'the room’s own Redis',
    async () => {
      const [booking, room] = [await testRedis(), await testRedis()]
      return service(room, { redisUrl: booking.url, roomRedisUrl: room.url }, true)
    },
  ],
  [
    'the room’s own database',
    async () => {
      const [booking, room] = [await testRedis(), await testPostgres()]
      return service(room, { redisUrl: booking.url, roomDatabaseUrl: room.url }, true)
    },
  ],
]
const random = seededRandom()
/** One of them, by the printed seed; in npm run test:long all. */
const away = LONG ? STORES : [STORES[Math.floor(random() * STORES.length)] as (typeof STORES)[number]]
const withJobs: [string, Service][] = []
for (const [title, start] of away) withJobs.push([title, await start()])

// All outages run at the same time.
test.concurrent('Redis is unreachable for long, before the draw, at it and during the sale: no fan gets in, admitted fans buy, and every fan keeps their place', () => {
  const { apps, store } = withoutJobs
  const loss = { lose: store.hang, restore: async () => store.resume() }
  return expectLinesSurvive({ apps, loss, awayMs: AWAY_MS })
})

test.concurrent.for(withJobs)(
  '%s is unreachable for long while the jobs call: no fan gets in, admitted fans buy, and calling goes on where it stopped',
  async ([, { apps, store }]) => {
    const [first, second] = apps
    const { db, roomDb } = first
    // Ten seconds of an outage count for a turn, so this one outlasts a minute.
    const hall = { waitingRoom: true, rate: RATE, turnSeconds: 45, sections: [{ seats: 2_000 }] }
    const event = await insertEvent(db, hall, roomDb)
    const line = testLine(event)
    const fans = Array.from({ length: FANS }, () => fan())
    for (let i = 0; i < FANS; i += 10)
      await Promise.all(fans.slice(i, i + 10).map((who, j) => line.persist(j % 2 ? first : second, who)))
    const admittedUpTo = async () => (await line.room(roomDb)).admittedUpTo
    await until(async () => (await admittedUpTo()) >= 3, 'the jobs to call three')
    const inOrder = [...line.answers.values()].sort((a, b) => a.arrival - b.arrival).map(({ who }) => who)
    const [ana, bob, cid, last] = [...inOrder.slice(0, 3), ...inOrder.slice(-1)] as [
      TestFan,
      TestFan,
      TestFan,
      TestFan,
    ]
    const [anaInside, bobInside] = [await letIn(first, line, ana), await letIn(second, line, bob)]
    await Promise.all(apps.map((app) => line.look(app, last)))

    const before = await admittedUpTo()
    store.hang()
    const awayUntil = performance.now() + AWAY_MS
    expect(await buy(first, event, anaInside, 1)).toBe('CONFIRMED')
    while (performance.now() < awayUntil) {
      for (const app of apps) {
        await expectNothing(line.join(app, fan()))
        await expectNothing(line.ask(app, cid))
        expect(await line.ask(app, last)).toMatchObject({ state: 'WAITING', place: FANS })
      }
      await sleep(3_000)
    }
    expect(await buy(second, event, bobInside, 2)).toBe('CONFIRMED')
    store.resume()

    // One tick may have been under way at the start, and another may be written by now.
    const after = await admittedUpTo()
    const backAt = performance.now()
    expect(after - before).toBeLessThanOrEqual(2 * RATE)
    await until(async () => (await admittedUpTo()) > after + 3, 'the jobs to call again')
    // The outage saves up no burst. Ticks are 0.9 s apart at least.
    const seconds = (performance.now() - backAt) / 1_000
    expect((await admittedUpTo()) - after).toBeLessThanOrEqual(RATE * (seconds / 0.9 + 2))
    expect(await persist(() => line.ask(second, cid))).toMatchObject({ state: 'ADMITTED', place: 3 })
    await Promise.all(fans.flatMap((who) => apps.map((app) => persist(() => line.look(app, who)))))
    expect((await line.persist(first, fan())).arrival).toBeGreaterThan(FANS)
    await line.room(roomDb)
    await expectInvariants(db, event.id)
  },
)
