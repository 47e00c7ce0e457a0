// What:     the time from a hold over GraphQL to the message at each of 5,000 subscribers of the section. Then the same
//           for a minute with 100 more subscribers that read nothing: their cost for the others and for the memory.
// Limit:    the gathering of changes for 250 ms; holds come at any moment of it.
// Target:   p99 at most 350 ms after the commit.
// Measured:
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { ascending, percentile } from '../clients/surge/percentiles.ts'
import { figure } from './support/compare.ts'
import { startHoldBench } from './support/holdBench.ts'
import { subscribeMessage } from './support/sectionFeed.ts'
import { openSocketGroup } from './support/socketGroup.ts'

const FOLLOWERS = 5_000
const STUCK = 100
/** Milliseconds between two holds, on average. */
const APART_MS = 100
const SEATS = 4

const bench = await startHoldBench([{ seats: 4_000 }])
const { api, event } = bench

/** The times of the messages of each subscriber. */
const times: number[][] = Array.from({ length: FOLLOWERS }, () => [])
/** The number of the message with a seat, by seat index. */
const messageOf = new Map<number, number>()
const sockets = await openSocketGroup(api.url, FOLLOWERS, [subscribeMessage(event.id)], (at, no, data) => {
  const own = times[no] as number[]
  if (no === 0)
    for (const { index } of JSON.parse(String(data)).payload.data.seatSection.changes)
      messageOf.set(index, own.length)
  own.push(at)
})
await sockets.until(FOLLOWERS)

interface Held {
  readonly index: number
  readonly askedAt: number
  readonly answeredAt: number
}

let next = 1
async function hold(): Promise<Held> {
  const seatNos = Array.from({ length: SEATS }, () => next++)
  const socket = connect({ host: '127.0.0.1', port: Number(new URL(api.url).port), noDelay: true })
  await once(socket, 'connect')
  const askedAt = performance.now()
  socket.write(bench.hold({ seats: seatNos.map(event.seatId) }))
  const [answer] = await once(socket, 'data')
  socket.destroy()
  if (!String(answer).includes('"state":"ACTIVE"')) throw new Error(`no hold: ${answer}`)
  return { index: (seatNos[0] ?? 0) - 1, askedAt, answeredAt: performance.now() }
}

/** Holds seats for this time. Resolves when every subscriber has received all of them. */
async function holdFor(seconds: number): Promise<Held[]> {
  const holds: Promise<Held>[] = []
  const end = performance.now() + 1_000 * seconds
  while (performance.now() < end) {
    holds.push(hold())
    await sleep(Math.random() * 2 * APART_MS)
  }
  const held = await Promise.all(holds)
  await sockets.silence()
  return held
}

/** Reports the time since the request and since the answer: the commit is between the two. */
function report(title: string, holds: readonly Held[]): number {
  console.log(`${title}: ${holds.length} holds, ms to each of ${FOLLOWERS} subscribers`)
  const p99s = (['askedAt', 'answeredAt'] as const).map((since) => {
    const delays = holds.flatMap((held) =>
      times.map((own) => (own[messageOf.get(held.index) ?? Number.NaN] ?? Number.NaN) - held[since]),
    )
    if (delays.some(Number.isNaN)) throw new Error('a subscriber missed a change')
    const sorted = ascending(delays)
    const at = (share: number) => figure(percentile(sorted, share))
    console.log(
      `  from its ${since === 'askedAt' ? 'request' : 'answer'}: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)}`,
    )
    return percentile(sorted, 0.99)
  })
  return p99s[0] as number
}

/** A subscriber that reads nothing. Its long id makes each message large, so that the system's buffers fill in seconds. */
async function openStuck(): Promise<WebSocket> {
  const ws = new WebSocket(`${api.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
  ws.on('error', () => {})
  await once(ws, 'open')
  ws.send(JSON.stringify({ type: 'connection_init' }))
  await once(ws, 'message')
  ws.send(JSON.stringify(subscribeMessage(event.id, `${crypto.randomUUID()} ${'x'.repeat(60_000)}`)))
  await once(ws, 'message')
  ws.pause()
  return ws
}

await holdFor(3)
const quiet = report('without stuck subscribers', await holdFor(15))
console.log('  target: p99 at most 350 from the commit\n')

const before = await api.memory()
const stuck: WebSocket[] = []
for (let i = 0; i < STUCK; i++) stuck.push(await openStuck())
const filling = await holdFor(20)
const bytes = ((await api.memory()) - before) / STUCK
const among = report(`with ${STUCK} subscribers that read nothing for a minute`, [
  ...filling,
  ...(await holdFor(40)),
])
console.log(`  p99 with them relative to p99 without them: ${figure(among / quiet)}`)
console.log(`  bytes of the server's memory for each that read nothing for 20 s: ${figure(bytes)}`)
// A paused socket notices its end only when it reads.
for (const ws of stuck) ws.resume()
await sleep(2_000)
const closed = stuck.filter(({ readyState }) => readyState === WebSocket.CLOSED).length
console.log(`  closed by the server: ${closed} of ${STUCK}`)

sockets.close()
for (const ws of stuck) ws.terminate()
await bench.stop()
