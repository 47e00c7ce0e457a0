// What:     the latency of holds while the payment provider takes 30 s for each call, and four processes that call a provider
//           under one limit.
// Limit:    the same holds and the same number of checkouts with a provider that answers at once; a provider that answers 429 to
//           the call that exceeds 100 in a second, with a bucket of 100 as Stripe's.
// Target:   p99 of holds at most 1.2 times; no 429.
// How:      open loop, 50 holds and 10 checkouts a second, the two sides by turns.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { ascending, percentile } from '../clients/surge/percentiles.ts'
import { makeKeys } from '../src/keys.ts'
import { createDatabase } from '../src/sql/database/database.ts'
import { insertEvent } from '../test/support/event.ts'
import { figure, median } from './support/compare.ts'
import { operation } from './support/load.ts'
import { prepareOpenLoopLoad } from './support/openLoopLoad.ts'
import { type Served, startApi } from './support/processes.ts'
import { startStores } from './support/stores.ts'

const SECONDS = 12
const HOLDS_A_SECOND = 50
const CHECKOUTS_A_SECOND = 10
const ROUNDS = 3
const AT_MOST = 1.2
const PROCESSES = 4
const PER_SECOND = 100
const LIMIT_SECONDS = 10

const HOLD = `mutation Hold($input: HoldInput!) {
  hold(input: $input) { __typename ... on Hold { id expiresAt items { seat { id } } } ... on Refusal { message } }
}`
const CHECKOUT = `mutation Pay($input: CheckoutInput!) { checkout(input: $input) { __typename } }`

const stores = await startStores()
const keys = await makeKeys()
const db = createDatabase(stores.databaseUrl)
const quick = await startApi(stores, keys)
const slow = await startApi(stores, keys, { variables: { SANDBOX_LATENCY_MS: '30000' } })

async function tokenOf(account: string): Promise<string> {
  const given = await fetch(`${quick.url}/dev/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ account }),
  })
  return ((await given.json()) as { token: string }).token
}
const tokens = await Promise.all(Array.from({ length: 400 }, (_, i) => tokenOf(`fan-${i}`)))
const headersOf = (i: number) => ({
  authorization: `Bearer ${tokens[i % tokens.length]}`,
  'device-id': `device-of-fan-${i % tokens.length}-0123456789`,
})

/** Milliseconds of each hold, while checkouts go to the same process. */
async function round(api: Served): Promise<number[]> {
  const [holds, checkouts] = [HOLDS_A_SECOND * SECONDS, CHECKOUTS_A_SECOND * SECONDS]
  const seats = 2 * (holds + checkouts)
  const event = await insertEvent(db, {
    sections: Array.from({ length: 10 }, () => ({ seats: seats / 10 })),
    ticketLimit: 1_000,
    holdsPerMinute: 10_000,
    unpaidHolds: 10_000,
  })
  const input = (i: number) => ({
    input: {
      eventId: event.id,
      idempotencyKey: `hold-${i}`,
      selection: { seats: [event.seatId(2 * i + 1), event.seatId(2 * i + 2)] },
    },
  })
  const held = await Promise.all(
    Array.from({ length: checkouts }, async (_, i) => {
      const answer = await fetch(`${quick.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headersOf(i) },
        body: JSON.stringify({ query: HOLD, variables: input(holds + i) }),
      })
      return ((await answer.json()) as { data: { hold: { id: string } } }).data.hold.id
    }),
  )
  const holding = await prepareOpenLoopLoad(
    Array.from({ length: holds }, (_, i) => operation(HOLD, input(i), headersOf(i))),
    api.url,
    {
      folder: stores.folder,
      cores: '1',
      perSecond: HOLDS_A_SECOND,
      connections: 32,
      expect: '"__typename":"Hold"',
    },
  )
  holding.begin()
  const paying = held.map(async (holdId, i) => {
    await sleep((i * 1_000) / CHECKOUTS_A_SECOND)
    const variables = { input: { holdId, paymentMethod: 'pm_card_visa', idempotencyKey: `pay-${i}` } }
    const answer = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headersOf(i) },
      body: JSON.stringify({ query: CHECKOUT, variables }),
    })
    await answer.arrayBuffer()
  })
  const [{ answers, startedAt }] = await Promise.all([holding.done, ...paying])
  const failed = answers.filter(({ body }) => !body.includes('"__typename":"Hold"'))
  if (failed.length > 0) throw new Error(`${failed.length} holds failed: ${failed[0]?.body}`)
  return answers.filter(({ at }) => at >= startedAt + 1_000).map(({ ms }) => ms)
}

async function measureHolds(): Promise<void> {
  const p99: Record<'quick' | 'slow', number[]> = { quick: [], slow: [] }
  // The first round of each is the warm-up.
  for (let i = 0; i <= ROUNDS; i++) {
    for (const [name, api] of [
      ['quick', quick],
      ['slow', slow],
    ] as const) {
      const latencies = ascending(await round(api))
      if (i > 0) p99[name].push(percentile(latencies, 0.99))
    }
  }
  const ratio = median(p99.slow) / median(p99.quick)
  process.stdout.write(`p99 of holds, ${HOLDS_A_SECOND} a second beside ${CHECKOUTS_A_SECOND} checkouts, ${ROUNDS} rounds
  provider at once: ${p99.quick.map(figure).join(', ')} ms; provider of 30 s: ${p99.slow.map(figure).join(', ')} ms
  ratio ${figure(ratio)}, at most ${AT_MOST}: ${ratio <= AT_MOST ? 'kept' : 'exceeded'}
`)
}

/** A card network with a bucket of a second's calls. */
async function measureLimit(): Promise<void> {
  let tokensLeft = PER_SECOND
  let filledAt = performance.now()
  const arrivals: number[] = []
  const network = createServer((_request, response) => {
    const now = performance.now()
    tokensLeft = Math.min(PER_SECOND, tokensLeft + ((now - filledAt) / 1_000) * PER_SECOND)
    filledAt = now
    arrivals.push(now)
    const isOver = tokensLeft < 1
    if (!isOver) tokensLeft -= 1
    response.writeHead(isOver ? 429 : 200).end()
  })
  await once(network.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(network.address() as AddressInfo).port}/`
  const script = join(import.meta.dirname, 'support/paymentCaller.ts')
  const counts = await Promise.all(
    Array.from({ length: PROCESSES }, async () => {
      const words = [script, stores.redisUrl, url, String(PER_SECOND), String(LIMIT_SECONDS)]
      const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
      return JSON.parse(await text(child.stdout)) as { answered: number; limited: number; busy: number }
    }),
  )
  const sum = (name: 'answered' | 'limited' | 'busy') => counts.reduce((all, one) => all + one[name], 0)
  let most = 0
  for (let first = 0, last = 0; last < arrivals.length; last++) {
    while ((arrivals[first] as number) <= (arrivals[last] as number) - 1_000) first++
    most = Math.max(most, last - first + 1)
  }
  network.close()
  network.closeAllConnections()
  process.stdout.write(`${PROCESSES} processes under a limit of ${PER_SECOND} a second, for ${LIMIT_SECONDS} s
  ${sum('answered')} calls answered, at most ${most} within any second, ${sum('busy')} refused by our own limit
  answers 429: ${sum('limited')}, at most 0: ${sum('limited') === 0 ? 'kept' : 'exceeded'}
`)
}

const [only = ''] = process.argv.slice(2)
if (only !== 'limit') await measureHolds()
if (only !== 'holds') await measureLimit()
await quick.stop()
await slow.stop()
await db.close()
await stores.stop()
