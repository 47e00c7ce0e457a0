// What:     polls of a position in the line over GraphQL; the server checks the token.
// Limit:    a stock Yoga that answers `{ hello }`, per second of the server's processor time.
// Target:   ratio at least 4.
// Measured:
// - A poll takes 51 µs of the server's processor time with graphql-jit and 78 µs without (graphql/compiled.ts). Hooks of Yoga's
//   plugins took 4 of 60 µs (graphql/lanes.ts).
// - The check of a token takes 4 to 6 µs (Node 24). jose took 52 µs to sign and 59 µs to check, fast-jwt 10 and 11 µs. HMAC
//   takes 1.1 to 3.0 µs with two one-shot hashes, 2.7 to 4.9 µs with createHmac.
// - An `await` of a value that is ready costs 0.5 µs of a poll's 50 µs (src/async/maybePromise.ts).
// - A poll took 67 µs of the server with the steps of a slice one by one, 56 µs with eight in parallel, 61 µs with 32, and
//   85 µs if each request started on arrival (src/async/eventLoop.ts).
// - Formatting an instant as text takes 1 µs of a poll's 50 µs (src/resolvers/builder/scalars.ts caches the last one).
import { importKeys, makeKeys } from '../src/keys.ts'
import { deviceDigest } from '../src/sale/tokens/digests.ts'
import { createTokens } from '../src/sale/tokens/tokens.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { compareToHello } from './support/compareToHello.ts'
import { operation } from './support/load.ts'
import { startApi } from './support/processes.ts'
import { startStores } from './support/stores.ts'

/** More tokens than the process caches, so that it checks each one. */
const WAITING = 100_000

/** All fields of a position that the page shows. */
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

let sent = 0
await compareToHello({
  title: 'poll of a position over GraphQL, its token checked',
  api,
  ours: {
    name: 'fairgate, queuePosition',
    expect: '"state":"WAITING"',
    next: () => polls[sent++ % WAITING] as Buffer,
  },
})

await api.stop()
await stores.stop()
