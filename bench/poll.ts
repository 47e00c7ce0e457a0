// A poll of a place in the line over GraphQL, its token checked, against a stock Yoga that answers `{ hello }`.
//
// What src/async rests on, measured with this benchmark: an `await` of a value that is there costs half a microsecond of a
// poll's fifty (maybePromise.ts). A poll took 67 µs of the server's time with the steps of a slice one by one, 56 µs eight side
// by side, 61 µs by thirty-two, and 85 µs where each request began as soon as it had arrived (eventLoop.ts).
import { importKeys, makeKeys } from '../src/keys.ts'
import { deviceDigest } from '../src/sale/tokens/digests.ts'
import { createTokens } from '../src/sale/tokens/tokens.ts'
import { createDatabase } from '../src/sql/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { compareToHello } from './support/compareToHello.ts'
import { operation } from './support/load.ts'
import { startApi } from './support/processes.ts'
import { startStores } from './support/stores.ts'

/** More than a process remembers the tokens of, so that each is checked. */
const WAITING = 100_000

/** All that a page shows of a place. */
const POSITION = `query Position($queueToken: String!) {
  queuePosition(queueToken: $queueToken) {
    state place position estimatedWaitSeconds paused available held turnEndsAt pollAfterSeconds asOf
    admission { token expiresAt }
  }
}`

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
const keys = await makeKeys()
const tokens = createTokens(await importKeys(keys))
const event = await insertEvent(db, { waitingRoom: true })
await db.close()

const polls = Array.from({ length: WAITING }, (_, i) => {
  const [accountId, deviceId] = [`fan-${i}`, `phone-${i}`]
  const device = new Uint8Array(deviceDigest(deviceId))
  const queueToken = tokens.signQueueToken({ eventId: event.id, accountId, device, arrival: i + 1 })
  return operation(POSITION, { queueToken }, { 'device-id': deviceId })
})
const api = await startApi(stores, keys)

let asked = 0
await compareToHello({
  title: 'poll of a position over GraphQL, its token checked',
  api,
  ours: {
    name: 'fairgate, queuePosition',
    expect: '"state":"WAITING"',
    next: () => polls[asked++ % WAITING] as Buffer,
  },
})

await api.stop()
await stores.stop()
