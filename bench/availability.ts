// What:     reads of a section's map over GraphQL by admitted fans; the server checks account and admission.
// Limit:    a stock Yoga that answers `{ hello }`, per second of the server's processor time.
// Target:   ratio at least 4.
// Measured:
// - A map read took 87.6 µs of the server without the cache of checked admissions, and 79.9 µs with it and with the
//   change before it (ten rounds in turn over the same stores, load 5).
import { importKeys, makeKeys } from '../src/keys.ts'
import { deviceDigest } from '../src/sale/tokens/digests.ts'
import { createTokens } from '../src/sale/tokens/tokens.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { compareToHello } from './support/compareToHello.ts'
import { operation } from './support/load.ts'
import { startApi } from './support/processes.ts'
import { startStores } from './support/stores.ts'

/** Admitted fans, each with their own tokens, who read again and again: the process caches its checks of them. */
const INSIDE = 200

const AVAILABILITY = `query Section($id: ID!) {
  node(id: $id) { ... on Section { availability { version asOf statuses available } } }
}`

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
const keys = await makeKeys()
const tokens = createTokens(await importKeys(keys))
const event = await insertEvent(db, { waitingRoom: true, sections: [{ seats: 480 }] })
await db.close()
const api = await startApi(stores, keys)

const reads = await Promise.all(
  Array.from({ length: INSIDE }, async (_, i) => {
    const [accountId, deviceId] = [`fan-${i}`, `phone-${i}`]
    const given = await fetch(`${api.url}/dev/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ account: accountId }),
    })
    const { token } = (await given.json()) as { token: string }
    const admission = tokens.signAdmissionToken({
      eventId: event.id,
      accountId,
      device: new Uint8Array(deviceDigest(deviceId)),
      arrival: i + 1,
      place: i + 1,
      expiresAt: new Date(Date.now() + 3_600_000),
    })
    const headers = {
      authorization: `Bearer ${token}`,
      'device-id': deviceId,
      'admission-token': admission,
    }
    return operation(AVAILABILITY, { id: event.sectionId(1) }, headers)
  }),
)

let sent = 0
await compareToHello({
  title: 'map read over GraphQL, account and admission checked',
  api,
  ours: {
    name: 'fairgate, availability of 480 seats',
    expect: '"available":480',
    next: () => reads[sent++ % INSIDE] as Buffer,
  },
})

await api.stop()
await stores.stop()
