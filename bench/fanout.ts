// What:     changes of a section to 4,000 subscribers: messages per second of the server's processor time.
// Limit:    a bare `ws` send of the same bytes; and a stock graphql-ws server.
// Target:   ratio at least 0.9 to `ws`, at least 5.5 to graphql-ws.
// Measured:
// - A message takes 66 µs by graphql-ws, 14 µs by a bare send.
import { setTimeout as sleep } from 'node:timers/promises'
import { compare } from './support/compare.ts'
import { keepCoreAwake } from './support/keepCoreAwake.ts'
import { type Served, startStock } from './support/processes.ts'
import { startSectionFeed } from './support/sectionFeed.ts'
import { openSocketGroup, type SocketGroup } from './support/socketGroup.ts'

const FOLLOWERS = 4_000
/** Updates in a round. Many short rounds in alternation, because the speed of the machine changes within seconds. */
const UPDATES = 4
const ROUNDS = 9
/** Longer than the gathering of 250 ms, so that each update is a message of its own. */
const APART_MS = 300
/** A server pings some of its sockets each second. */
const IDLE_MS = 1_000

const { api, follow, changeSeats, stop } = await startSectionFeed()
const bare = await startStock('sockets')
const stock = await startStock('subscriptions')

const post = (server: Served, body: string) =>
  fetch(server.url, { method: 'POST', body }).then((r) => r.text())

/**
 * Messages per second of the server's processor time. Its idle use (pings, timers) is measured before the updates and
 * subtracted, for all three servers alike. Changes that a busy machine gathers into one message count as one.
 */
async function measure(
  server: Served,
  sockets: SocketGroup,
  update: () => Promise<unknown>,
): Promise<number> {
  const used = async () => ({ cpu: await server.cpu(), at: performance.now() })
  const idle = await used()
  await sleep(IDLE_MS)
  const [from, before] = [await used(), sockets.received]
  const idleShare = (from.cpu - idle.cpu) / (from.at - idle.at)
  const release = keepCoreAwake()
  for (let i = 0; i < UPDATES; i++) {
    await update()
    await sleep(APART_MS)
  }
  await sockets.until(before + FOLLOWERS)
  await sockets.silence(APART_MS)
  const to = await used()
  release()
  const cpu = to.cpu - from.cpu - idleShare * (to.at - from.at)
  return ((sockets.received - before) * 1_000_000) / cpu
}

const unit = "messages a second of the server's processor time"
const ours = await openSocketGroup(api.url, FOLLOWERS, follow)
const limit = await openSocketGroup(bare.url, FOLLOWERS, [])
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
const subscribers = await openSocketGroup(stock.url, FOLLOWERS, follow)
await sleep(1_000)
await compare({
  title: `the same, against stock graphql-ws`,
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
