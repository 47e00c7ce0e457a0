// A sale's public state, as everybody who waits reads it, against a bare node:http server of the same bytes.
// Processor time as measured, of 24 to 30 µs for one small answer: the router 1.5 (http/http.ts keeps the routes of known
// addresses); a histogram of prom-client 0.7 to 1.0 for each of two observations, ours 0.06 (metrics/timings.ts); random bytes for
// one id by a call of their own 2 (http/requestId.ts).
import { makeKeys } from '../src/keys.ts'
import { createDatabase } from '../src/sql/database.ts'
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

const options = { answers: ANSWERS, expect: event.id, next: () => asked, staysAwake: true }
const asked = request('GET', path, {})
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
