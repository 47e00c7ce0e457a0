// What:     the longest wait of other callers while an organizer loads a plan of 150,000 seats.
// Target:   50 ms, the longest time for which a serving process may block.
// How:      GET /healthz every 5 ms on one connection to the API process, before and while `createEvent` runs, three times. The
//           wait of a request counts from the moment at which it was due.
// Measured: on two quiet cores, three rounds: 9, 16 and 12 ms at the longest quiet, and 90, 44 and 69 ms while a plan loads (8 to
//           9 s). No pass of the event loop took more than 42 ms of processor time. Before the plan was read on a thread: 2.1, 7.1 and 7.3 s.
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ascending, percentile } from '../clients/surge/percentiles.ts'
import { makeKeys } from '../src/keys.ts'
import { stadium } from '../test/support/stadium.ts'
import { figure } from './support/compare.ts'
import { startApi } from './support/processes.ts'
import { startStores } from './support/stores.ts'

const ROUNDS = 3
const EVERY_MS = 5

const stores = await startStores()
const api = await startApi(stores, await makeKeys())

async function post(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
) {
  const answer = await fetch(`${api.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  return answer.json()
}

const { token } = (await post('/dev/token', JSON.stringify({ account: 'olga', roles: ['organizer'] }))) as {
  token: string
}

function bodyOf(round: number): Uint8Array<ArrayBuffer> {
  const day = (n: number) => new Date(Date.now() + n * 86_400_000).toISOString()
  return Buffer.from(
    JSON.stringify({
      query: 'mutation ($input: CreateEventInput!) { createEvent(input: $input) { __typename } }',
      variables: {
        input: {
          slug: `stadium-${round}`,
          name: 'Stadium',
          startsAt: day(30),
          timeZone: 'Europe/Berlin',
          venue: { name: 'Stadium' },
          seatingPlan: stadium({ sections: 150, rows: 40, seatsPerRow: 25 }),
          prices: ['Lower', 'Middle', 'Upper'].map((category) => ({ category, price: 1_000 })),
          currency: 'EUR',
          sale: { opensAt: day(1) },
        },
      },
    }),
  )
}

const agent = new Agent({ keepAlive: true, maxSockets: 50 })

/** The waits of other callers in milliseconds, until `done` settles. */
async function waitsUntil(done: Promise<unknown>): Promise<number[]> {
  const waits: Promise<number>[] = []
  let isDone = false
  void done.finally(() => {
    isDone = true
  })
  const began = performance.now()
  for (let i = 0; !isDone; i++) {
    const due = began + i * EVERY_MS
    await sleep(Math.max(0, due - performance.now()))
    waits.push(
      new Promise((resolve, reject) => {
        const asked = request(`${api.url}/healthz`, { agent }, (answer) => {
          answer.resume().once('end', () => resolve(performance.now() - due))
        })
        asked.once('error', reject).end()
      }),
    )
  }
  return ascending(await Promise.all(waits))
}

const line = (name: string, waits: readonly number[]) =>
  process.stdout.write(
    `${name}: p50 ${figure(percentile(waits, 0.5))} ms, p99 ${figure(percentile(waits, 0.99))} ms, longest ${figure(waits.at(-1) ?? 0)} ms\n`,
  )

for (let round = 0; round < ROUNDS; round++) {
  const body = bodyOf(round)
  line('quiet', await waitsUntil(sleep(3_000)))
  const began = performance.now()
  const creating = post('/graphql', body, { authorization: `Bearer ${token}` })
  line('while a plan loads', await waitsUntil(creating))
  process.stdout.write(
    `${JSON.stringify(await creating).slice(0, 200)} after ${figure((performance.now() - began) / 1_000)} s\n`,
  )
}

agent.destroy()
await api.stop()
await stores.stop()
