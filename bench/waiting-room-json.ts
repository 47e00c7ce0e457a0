// What:     answers of waiting-room.json, the public state of a sale that waiting fans read.
// Limit:    a bare node:http server with the same bytes, per second of the server's processor time.
// Target:   ratio at least 0.85.
// Measured, of 24 to 30 µs for one small answer:
// - The router takes 1.5 µs (http/http.ts keeps the routes of known addresses).
// - A histogram of prom-client takes 0.7 to 1.0 µs for each of two observations, ours 0.06 µs (metrics/timings.ts).
// - Random bytes for one id by a call of their own take 2 µs (graphql/requestId.ts).
import { makeKeys } from '../src/keys.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { compare } from './support/compare.ts'
import { load, request } from './support/load.ts'
import { startApi, startStock } from './support/processes.ts'
import { startStores } from './support/stores.ts'

const ANSWERS = 30_000

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
const event = await insertEvent(db, { waitingRoom: true, sections: Array(12).fill({ seats: 40 }) })
await db.close()
const api = await startApi(stores, await makeKeys())
const path = `/events/${event.id}/waiting-room.json`
const answer = await fetch(api.url + path)
const { date, connection, 'keep-alive': _, ...headers } = Object.fromEntries(answer.headers)
const bare = await startStock('bytes', { HEADERS: JSON.stringify(headers), BODY: await answer.text() })

const options = { answers: ANSWERS, expect: event.id, next: () => get, keepsCoreAwake: true }
const get = request('GET', path, {})
await compare({
  title: 'waiting-room.json',
  unit: "answers a second of the server's processor time",
  atLeast: 0.85,
  limit: {
    name: 'bare node:http, the same bytes',
    run: async () => (await load({ ...options, server: bare })).perCpuSecond,
  },
  ours: { name: 'fairgate', run: async () => (await load({ ...options, server: api })).perCpuSecond },
})

await api.stop()
await bare.stop()
await stores.stop()
