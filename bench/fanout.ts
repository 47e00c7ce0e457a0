// Changes of a section to everybody who follows it: processor time a message against a bare `ws` send of the same bytes
// and against graphql-ws by itself.
import { setTimeout as sleep } from 'node:timers/promises'
import { compare } from './support/compare.ts'
import { type Crowd, openCrowd } from './support/crowd.ts'
import { startFollowed } from './support/followed.ts'
import { type Served, startStock } from './support/processes.ts'

const FOLLOWERS = 4_000
const UPDATES = 12
/** The gathering takes 250: each of these is a message of its own. */
const APART_MS = 300

const { api, follow, changeSeats, stop } = await startFollowed()
const bare = await startStock('sockets')
const stock = await startStock('subscriptions')

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

for (const server of [bare, stock]) await server.stop()
await stop()
