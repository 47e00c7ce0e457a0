// What:     Redis's memory for a waiting fan at 2,000,000 places. The join script of the service writes the places.
// Limit:    100 bytes, the figure in the literature.
// Target:   at most 32 bytes.
// Measured:
// - Redis 7.0: 22.8 bytes a place; 30 bytes with the device's digest beside the index.
import { connectForCommands } from '../src/redis/connect.ts'
import { createRedisPlaces } from '../src/redis/places.ts'
import { accountDigest } from '../src/sale/tokens/digests.ts'
import { whenReady } from '../test/support/room.ts'
import { figure } from './support/compare.ts'
import { startStores } from './support/stores.ts'

const FANS = 2_000_000
const AT_ONCE = 4_096
/** Bytes: DESIGN's target and the figure in the literature. */
const AT_MOST = 32
const LITERATURE = 100

const EVENT = 'evt_01k9zc4m6te7bvawd3g5yq8r2n'

const stores = await startStores()
const redis = connectForCommands(stores.redisUrl)
await whenReady(redis)
const places = createRedisPlaces(redis)

const empty = await usedMemory()
await places.rebuild(EVENT, 1, 0, noPlaces())
const startedAt = performance.now()
let last = 0
for (let from = 0; from < FANS; from += AT_ONCE) {
  const accounts = Array.from({ length: Math.min(AT_ONCE, FANS - from) }, (_, i) =>
    accountDigest(EVENT, `auth0|${(from + i).toString(16).padStart(24, '0')}`),
  )
  const given = await Promise.all(accounts.map((account) => places.join(EVENT, account, 0)))
  last = given.at(-1)?.arrival ?? 0
}
const seconds = (performance.now() - startedAt) / 1_000
if (last !== FANS) throw new Error(`${FANS} accounts have ${last} places`)
const bytes = ((await usedMemory()) - empty) / FANS

process.stdout.write(`memory of a waiting fan in Redis, at ${FANS.toLocaleString('en')}
  ${figure(bytes)} bytes, at most ${AT_MOST}: ${bytes <= AT_MOST ? 'kept' : 'exceeded'}
  ratio to the literature's ${LITERATURE} bytes: ${figure(bytes / LITERATURE)}
  Redis alone gave ${figure(FANS / seconds)} places a second, without the journal
`)

redis.disconnect()
await stores.stop()

async function usedMemory(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1])
}

async function* noPlaces(): AsyncGenerator<Buffer> {}
