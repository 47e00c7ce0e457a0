// What:     how late the ticks of a hot event's pacer come, with 1,300 quiet events on sale beside it: the worker's jobs run in
//           this process, and PostgreSQL and Redis are new.
// Limit:    the same worker without the quiet events.
// Target:   none; the median and the longest gap between two ticks and the processor time of the stores are printed.
// Measured:
// - Two turns each, with other load on two cores: median 1,012 ms between ticks without, 1,011 ms with the quiet events; PostgreSQL 19 and
//   21 ms, Redis 16 and 15 ms of CPU a second.
// - One run, with seven other processes on two cores: 1,010 ms between ticks without, 1,055 ms with the quiet events.
// - With one schedule for each event and job, 1,300 quiet events made the hot event's admission take 7.6 s instead of 1.0 s.
import { setTimeout as sleep } from 'node:timers/promises'
import { startJobs } from '../src/jobs/index.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { testJobApp } from '../test/support/jobs.ts'
import { insertQuietEvents } from '../test/support/quietEvents.ts'
import { fan, fillLine, whenReady } from '../test/support/room.ts'
import { figure, median } from './support/compare.ts'
import { startStores } from './support/stores.ts'

const QUIET = 1_300
/** In turns without and with the quiet events, so that other load on the machine affects both. */
const ROUNDS = 2
const SECONDS = 12

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
const app = await testJobApp(stores.databaseUrl, stores.redisUrl)
await whenReady(app.roomRedis)

async function run(hot: string) {
  const ticks: number[] = []
  const { tick } = app.pacer
  const pacer = {
    async tick(eventId: string) {
      const done = await tick(eventId)
      if (eventId === hot && done) ticks.push(performance.now())
      return done
    },
  }
  const jobs = await startJobs({ ...app, pacer })
  while (ticks.length < 2) await sleep(50)
  ticks.length = 0
  const before = stores.cpu()
  await sleep(SECONDS * 1_000)
  const after = stores.cpu()
  await jobs.close(5_000)
  const gaps = ticks.slice(1).map((at, i) => at - (ticks[i] as number))
  return {
    gaps,
    postgres: (after.postgres - before.postgres) / SECONDS / 1_000,
    redis: (after.redis - before.redis) / SECONDS / 1_000,
  }
}

const reopen = (ids: string[]) =>
  db.pool.query('update sales set ends_at = null where event_id = any ($1)', [ids])
const end = (ids: string[]) =>
  db.pool.query("update sales set ends_at = opens_at + interval '1 second' where event_id = any ($1)", [ids])

const quiet = await insertQuietEvents(db, QUIET)
await db.pool.query('vacuum analyze')
const sides = {
  without: [] as Awaited<ReturnType<typeof run>>[],
  with: [] as Awaited<ReturnType<typeof run>>[],
}

for (let round = 0; round < ROUNDS; round++) {
  const hot = await insertEvent(db, { waitingRoom: true, rate: 5, sections: [{ seats: 2_000 }] })
  await fillLine(
    app,
    hot.id,
    Array.from({ length: 2_000 }, () => fan()),
  )
  for (const side of ['without', 'with'] as const) {
    // A sale that has ended is not quiet: it is gone.
    await (side === 'with' ? reopen(quiet) : end(quiet))
    sides[side].push(await run(hot.id))
  }
  await end([hot.id])
}

for (const [side, runs] of Object.entries(sides)) {
  const gaps = runs.flatMap((one) => one.gaps)
  const cpu = (store: 'postgres' | 'redis') => figure(median(runs.map((one) => one[store])))
  process.stdout.write(
    `${side} ${QUIET} quiet events: ${gaps.length} gaps between ticks, median ${figure(median(gaps))} ms, ` +
      `longest ${figure(Math.max(...gaps))} ms; PostgreSQL ${cpu('postgres')} ms, Redis ${cpu('redis')} ms of CPU a second\n`,
  )
}

await app.close()
await db.close()
await stores.stop()
