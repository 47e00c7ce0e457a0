// A section's map over GraphQL, read by somebody who is inside, against a stock Yoga that answers `{ hello }`.
import { importKeys, makeKeys } from '../src/keys.ts'
import { deviceDigest } from '../src/sale/tokens/digests.ts'
import { createTokens } from '../src/sale/tokens/tokens.ts'
import { createDatabase } from '../src/sql/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { compareToHello } from './support/compareToHello.ts'
import { operation } from './support/load.ts'
import { startApi } from './support/processes.ts'
import { startStores } from './support/stores.ts'

/** Fans inside, each with tokens of their own, who look again and again: a process remembers what it has checked of them. */
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

let asked = 0
await compareToHello({
  title: 'map read over GraphQL, account and admission checked',
  api,
  ours: {
    name: 'fairgate, availability of 480 seats',
    expect: '"available":480',
    next: () => reads[asked++ % INSIDE] as Buffer,
  },
})

await api.stop()
await stores.stop()
