// Changes of a section to everybody who follows it: processor time a message against a bare `ws` send of the same bytes
// and against graphql-ws by itself; how long after the commit the last of 5,000 knows; what an idle follower weighs.
import { setTimeout as sleep } from 'node:timers/promises'
import { watchSection } from '../clients/sdk/operations.ts'
import { makeKeys } from '../src/keys.ts'
import { createDatabase } from '../src/sql/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { testRoom } from '../test/support/room.ts'
import { compare, figure } from './support/compare.ts'
import { type Crowd, openCrowd } from './support/crowd.ts'
import { type Served, startApi, startStock } from './support/processes.ts'
import { startStores } from './support/stores.ts'

const FOLLOWERS = 4_000
const UPDATES = 12
/** The gathering takes 250: each of these is a message of its own. */
const APART_MS = 300
/** Seats that change hands in a quarter of a second of a busy section. */
const SEATS = 12
const SECTION = 480

const stores = await startStores()
const db = createDatabase(stores.databaseUrl)
const event = await insertEvent(db, { sections: [{ seats: SECTION }] })
const room = await testRoom({ db, redisUrl: stores.redisUrl })
const api = await startApi(stores, await makeKeys())
const bare = await startStock('sockets')
const stock = await startStock('subscriptions')

const variables = { eventId: event.id, sectionId: 'A' }
const followMessage = (id: string) => ({
  id,
  type: 'subscribe',
  payload: { query: watchSection.text, variables },
})
/** As graphql-ws's client names its operations. */
const follow = [followMessage(crypto.randomUUID())]

let revision = 0
/** The next seats in order become held, and in the next round through the section available again. */
function changeSeats(): Promise<void> {
  const first = (revision * SEATS) % SECTION
  const status = Math.floor((revision * SEATS) / SECTION) % 2 === 0 ? 1 : 0
  revision++
  const seats = Array.from({ length: SEATS }, (_, i) => ({ seatNo: first + i + 1, status, revision }))
  return room.seatMap.publish(event.id, seats as never)
}

const post = (server: Served, body: string) =>
  fetch(server.url, { method: 'POST', body }).then((r) => r.text())

/** Messages a second of the server's own processor time. Changes that a busy machine gathers into one count as one. */
async function measure(server: Served, crowd: Crowd, tell: () => Promise<unknown>): Promise<number> {
  await crowd.silence()
  const [cpuBefore, before] = [await server.cpu(), crowd.received]
  for (let i = 0; i < UPDATES; i++) {
    await tell()
    await sleep(APART_MS)
  }
  await crowd.until(before + FOLLOWERS)
  const cpu = (await server.cpu()) - cpuBefore
  await crowd.silence()
  return ((crowd.received - before) * 1_000_000) / cpu
}

const unit = "messages a second of the server's processor time"
{
  const ours = await openCrowd(api.url, FOLLOWERS, follow)
  const limit = await openCrowd(bare.url, FOLLOWERS, [])
  await ours.until(FOLLOWERS)
  await changeSeats()
  await ours.until(2 * FOLLOWERS)
  const message = JSON.stringify({ id: follow[0]?.id, type: 'next', payload: JSON.parse(ours.payload) })
  await compare({
    title: `${message.length} bytes to ${FOLLOWERS} sockets, against a bare send`,
    unit,
    atLeast: 0.9,
    limit: { name: 'ws', run: () => measure(bare, limit, () => post(bare, message)) },
    ours: { name: 'fairgate, seatSection', run: () => measure(api, ours, changeSeats) },
  })
  limit.close()
  const update = JSON.stringify(JSON.parse(ours.payload).data.seatSection)
  const subscribers = await openCrowd(stock.url, FOLLOWERS, follow)
  await sleep(1_000)
  await compare({
    title: `the same, against graphql-ws by itself`,
    unit,
    atLeast: 5.5,
    rounds: 3,
    limit: { name: 'graphql-ws', run: () => measure(stock, subscribers, () => post(stock, update)) },
    ours: { name: 'fairgate, seatSection', run: () => measure(api, ours, changeSeats) },
  })
  subscribers.close()
  ours.close()
}

{
  const CROWD = 5_000
  const delays: number[] = []
  let changedAt = 0
  const crowd = await openCrowd(api.url, CROWD, follow, (at) => delays.push(at - changedAt))
  await crowd.until(CROWD)
  const last: number[] = []
  delays.length = 0
  for (let i = 0; i < 30; i++) {
    // At any moment of the gathering: a change just after a message waits the longest.
    await sleep(300 + Math.random() * 500)
    const before = crowd.received
    changedAt = performance.now()
    await changeSeats()
    await crowd.until(before + CROWD)
    last.push(crowd.lastAt - changedAt)
  }
  console.log(`from a change to each of ${CROWD} followers, ms`)
  console.log(
    `  p50 ${figure(quantile(delays, 0.5))}, p99 ${figure(quantile(delays, 0.99))}; asked: p99 at most 350`,
  )
  console.log(
    `  to the last of them: p50 ${figure(quantile(last, 0.5))}, most ${figure(quantile(last, 1))}\n`,
  )
  crowd.close()
}

{
  const IDLE = 4_000
  const weigh = async (server: Served, words: object[]) => {
    await sleep(500)
    const before = await server.memory()
    const crowd = await openCrowd(server.url, IDLE, words)
    await sleep(1_000)
    const bytes = (await server.memory()) - before
    crowd.close()
    await sleep(500)
    return bytes / IDLE
  }
  await compare({
    title: 'memory of an idle follower',
    unit: 'bytes',
    atMost: 1.5,
    rounds: 3,
    limit: { name: 'a connection of ws', run: () => weigh(bare, []) },
    ours: { name: 'a follower of seatSection', run: () => weigh(api, follow) },
  })
}

for (const server of [api, bare, stock]) await server.stop()
room.close()
await db.close()
await stores.stop()

function quantile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}
