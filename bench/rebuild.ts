// What:     one run of rebuildMaps for the hot sections of 50,000 seats in 100 sections: processor time of the process and of
//           the database session, with no difference and with one different seat in each of ten sections.
// Limit:    one run for all sections.
// Target:   none; the ratio is printed.
// Measured:
// - A merge keeps Redis busy for about 2 µs a seat (MERGE_BATCH in src/sale/map/mapRepair.ts).
import { readFileSync } from 'node:fs'
import pino from 'pino'
import { createChannelHub } from '../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../src/redis/connect.ts'
import { createCatalogue } from '../src/sale/catalogue/catalogue.ts'
import { createClock } from '../src/sale/clock.ts'
import { createSeatMap } from '../src/sale/map/seatMap.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { compare } from './support/compare.ts'
import { startStores } from './support/stores.ts'

const TIMES = 20

const stores = await startStores()
// One session, so that its processor time is that of the database.
const db = createDatabase(stores.databaseUrl, { connections: 1 })
const redis = connectForCommands(stores.redisUrl)
const hub = createChannelHub(connectForWaiting(stores.redisUrl))
const catalogue = createCatalogue(db)
const log = pino({ enabled: false })
const seatMap = createSeatMap({ db, redis, hub, catalogue, clock: createClock(db), log })
const event = await insertEvent(db, { sections: Array.from({ length: 100 }, () => ({ seats: 500 })) })
await db.pool.query('vacuum analyze seats')
await seatMap.rebuildHot(event.id)
const session = (await db.pool.query('select pg_backend_pid() as pid')).rows[0].pid as number

/** Milliseconds of processor time so far. The kernel counts in hundredths of a second. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return 10 * (Number(fields[11]) + Number(fields[12]))
}

const parts: Record<string, () => number> = {
  process: () => process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
  database: () => cpuOf(session),
}

/** Changes ten seats, each in another section, without a notification. */
async function changeTen() {
  await db.pool.query(
    'update seats set revision = revision + 1, status = 3 - status where event_id = $1 and no % 5000 = 1',
    [event.id],
  )
}

for (const [name, cpu] of Object.entries(parts)) {
  for (const before of [async () => {}, changeTen]) {
    const side = (method: 'rebuild' | 'rebuildHot') => async () => {
      let spent = 0
      for (let i = 0; i < TIMES; i++) {
        await before()
        const from = cpu()
        await seatMap[method](event.id)
        spent += cpu() - from
      }
      return spent / TIMES
    }
    await compare({
      title: `CPU of the ${name}, ${before === changeTen ? 'ten seats differ' : 'nothing differs'}`,
      unit: 'ms a round',
      limit: { name: 'all sections', run: side('rebuild') },
      ours: { name: 'hot sections', run: side('rebuildHot') },
    })
  }
}

hub.close()
redis.disconnect()
await db.close()
await stores.stop()
