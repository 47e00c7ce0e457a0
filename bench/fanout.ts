// Changes of a section to everybody who follows it: processor time a message against a bare `ws` send of the same bytes
// and against graphql-ws by itself. As measured: 66 µs for a message by graphql-ws, 14 for a bare send.
import { setTimeout as sleep } from 'node:timers/promises'
import { compare } from './support/compare.ts'
import { type Crowd, openCrowd } from './support/crowd.ts'
import { startFollowed } from './support/followed.ts'
import { type Served, startStock } from './support/processes.ts'
import { stayAwake } from './support/stayAwake.ts'

const FOLLOWERS = 4_000
/** A round: short ones, many of them and by turns, since the machine is now faster and now slower for seconds. */
const UPDATES = 4
const ROUNDS = 9
/** The gathering takes 250: each of these is a message of its own. */
const APART_MS = 300
/** A server pings some of its sockets each second. */
const IDLE_MS = 1_000

const { api, follow, changeSeats, stop } = await startFollowed()
const bare = await startStock('sockets')
const stock = await startStock('subscriptions')

const post = (server: Served, body: string) =>
  fetch(server.url, { method: 'POST', body }).then((r) => r.text())

/**
 * Messages a second of the server's own processor time; what it takes each second while nothing is told (pings, timers) is
 * measured right before and does not count, for any of the three. Changes that a busy machine gathers into one count as one.
 */
async function measure(server: Served, crowd: Crowd, tell: () => Promise<unknown>): Promise<number> {
  const used = async () => ({ cpu: await server.cpu(), at: performance.now() })
  const idle = await used()
  await sleep(IDLE_MS)
  const [from, before] = [await used(), crowd.received]
  const idleShare = (from.cpu - idle.cpu) / (from.at - idle.at)
  const rest = stayAwake()
  for (let i = 0; i < UPDATES; i++) {
    await tell()
    await sleep(APART_MS)
  }
  await crowd.until(before + FOLLOWERS)
  await crowd.silence(APART_MS)
  const to = await used()
  rest()
  const cpu = to.cpu - from.cpu - idleShare * (to.at - from.at)
  return ((crowd.received - before) * 1_000_000) / cpu
}

const unit = "messages a second of the server's processor time"
const ours = await openCrowd(api.url, FOLLOWERS, follow)
const limit = await openCrowd(bare.url, FOLLOWERS, [])
await ours.until(FOLLOWERS)
await changeSeats()
await ours.until(2 * FOLLOWERS)
const message = JSON.stringify({ id: follow[0].id, type: 'next', payload: JSON.parse(ours.payload) })
await compare({
  title: `${message.length} bytes to ${FOLLOWERS} sockets, against a bare send`,
  unit,
  atLeast: 0.9,
  rounds: ROUNDS,
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
  rounds: ROUNDS,
  limit: { name: 'graphql-ws', run: () => measure(stock, subscribers, () => post(stock, update)) },
  ours: { name: 'fairgate, seatSection', run: () => measure(api, ours, changeSeats) },
})
subscribers.close()
ours.close()

for (const server of [bare, stock]) await server.stop()
await stop()
