// What:     20,000 joins in process.
// Limit:    a bare ioredis and pg client with the same script and the same journal statement.
// Target:   none; the ratio and the processor time of both sides are printed.
// Measured:
// - The join guard's limits are a part of the join: 5 to 9 µs of CPU a join. rate-limiter-flexible took 11 to 15 µs for
//   the three counts with its limiters in memory, and 450 bytes a key.
import { setImmediate as nextIteration } from 'node:timers/promises'
import pg from 'pg'
import { connectForCommands } from '../src/redis/connect.ts'
import { keys } from '../src/redis/keys.ts'
import { script } from '../src/redis/scripts.ts'
import { accountDigest, deviceDigest } from '../src/sale/tokens/digests.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { fan, placed, testRoom, whenReady } from '../test/support/room.ts'
import { compare, figure } from './support/compare.ts'
import { startStores } from './support/stores.ts'

const JOINS = 20_000
/** Joins that arrive in one iteration of the event loop. */
const AT_ONCE = 250
const BATCH = 2_000

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
const room = await testRoom({ db, redisUrl: stores.redisUrl })
const bareRedis = connectForCommands(stores.redisUrl)
await whenReady(bareRedis)
const bareJoin = script(bareRedis, 'join')
const runId = /^run_id:(\w+)/m.exec(await bareRedis.info('server'))?.[1] as string
const barePool = new pg.Pool({ connectionString: stores.databaseUrl, max: 2 })
const fans = Array.from({ length: JOINS }, (_, i) => fan(`fan ${i}`))
const cpu = { limit: [] as number[], ours: [] as number[] }

await compare({
  title: `${JOINS.toLocaleString('en')} joins at once, in process`,
  unit: 'joins/s',
  limit: {
    name: 'bare ioredis and pg: same script, same statement',
    run: () => measured('limit', bareJoins),
  },
  ours: { name: 'waitingRoom.join', run: () => measured('ours', ownJoins) },
})
for (const side of ['limit', 'ours'] as const)
  process.stdout.write(`  ${side}: ${figure(Math.min(...cpu[side]))} µs of CPU a join in this process\n`)

room.close()
bareRedis.disconnect()
await barePool.end()
await db.close()
await stores.stop()

async function measured(
  side: 'limit' | 'ours',
  joins: (eventId: string) => Promise<unknown>,
): Promise<number> {
  const event = await insertEvent(db, {
    waitingRoom: true,
    preQueueOpensInSeconds: -60,
    opensInSeconds: 3_600,
  })
  // The first join creates the copy of the places in Redis.
  await room.waitingRoom.join(fan(), { eventId: event.id })
  const before = process.cpuUsage()
  const startedAt = performance.now()
  await joins(event.id)
  const seconds = (performance.now() - startedAt) / 1_000
  const { user, system } = process.cpuUsage(before)
  cpu[side].push((user + system) / JOINS)
  return JOINS / seconds
}

async function ownJoins(eventId: string): Promise<void> {
  const joining: Promise<unknown>[] = []
  for (let from = 0; from < JOINS; from += AT_ONCE) {
    for (const caller of fans.slice(from, from + AT_ONCE)) {
      joining.push(room.waitingRoom.join(caller, { eventId }).then(placed))
    }
    await nextIteration()
  }
  await Promise.all(joining)
}

async function bareJoins(eventId: string): Promise<void> {
  const wanted = fans.map(({ account, deviceId }) => ({
    account: accountDigest(eventId, account.id),
    device: deviceDigest(deviceId as string),
  }))
  const mark = keys.placesMark(eventId)
  const give = async (account: Buffer) => {
    const bucket = keys.places(eventId, account.readUInt16BE() % 32_768)
    return (await bareJoin([mark, keys.arrivals(eventId), bucket], [runId, account, 0])) as [number, number]
  }
  const writing: Promise<unknown>[] = []
  for (let from = 0; from < JOINS; from += BATCH) {
    const batch = wanted.slice(from, from + BATCH)
    const giving: Promise<[number, number]>[] = []
    for (let at = 0; at < BATCH; at += AT_ONCE) {
      for (const { account } of batch.slice(at, at + AT_ONCE)) giving.push(give(account))
      await nextIteration()
    }
    writing.push(
      Promise.all(giving).then((given) => {
        const packed = Buffer.alloc(24 * BATCH)
        given.forEach(([, arrival], i) => {
          packed.writeInt32BE(arrival, i * 24)
          packed.set(batch[i]?.account as Buffer, i * 24 + 4)
          packed.set(batch[i]?.device as Buffer, i * 24 + 16)
        })
        const text = 'select * from journal_places($1, $2, $3, 0)'
        return barePool.query({ name: 'journal', text, values: [eventId, given[0]?.[0], packed] })
      }),
    )
  }
  await Promise.all(writing)
}
