import { setMaxListeners } from 'node:events'
import { createFairgate, type EventPage, memorySession, type Sale } from '../sdk/index.ts'
import { delay } from '../sdk/transport/client.ts'
import { type FanDeps, simulateFan } from './fan.ts'
import { type Hoarding, simulateHoarder } from './hoarder.ts'
import type { Options } from './options.ts'
import { createPooledFetch } from './pooledFetch.ts'
import { createRandom } from './random.ts'
import { type CrowdRecord, createRecord } from './record.ts'

/** A large crowd arrives over this time. Half of it comes before the opening, if the line is open then. */
const ARRIVAL_MS = 20_000
const ARRIVAL_MS_EACH = 20

/** The address of all hoarders: one of those for documentation (RFC 5737). */
const HOARDERS_ADDRESS = '203.0.113.66'

/** Simulates all fans, beside the hoarders, and returns when the last fan has left. */
export async function runCrowd(
  { fans, url, seed, hoarders }: Options,
  event: EventPage,
  record: CrowdRecord,
  signal: AbortSignal,
  onSale: (sale: Sale) => void,
  hoarding: Hoarding,
): Promise<void> {
  // One subscription to the sale for all fans: they see the same public state.
  const observer = createFairgate({ url, session: memorySession() })
  let sale = event.sale
  const stop = observer.sales.watch(
    event.id,
    (now) => {
      sale = now
      onSale(now)
    },
    () => undefined,
  )
  const arrivalMs = Math.min(ARRIVAL_MS, fans * ARRIVAL_MS_EACH)
  const fetch = createPooledFetch(url)
  const run = Date.now().toString(36)
  const opens = Math.max(0, observer.clock.until(event.sale.opensAt))
  const lineOpens = Math.max(0, observer.clock.until(event.sale.preQueueOpensAt))
  const shared = { url, event, sale: () => sale, fetch }
  const fansAreGone = new AbortController()
  setMaxListeners(0, fansAreGone.signal)
  const hoards = Promise.all(
    Array.from({ length: hoarders }, async (_, number) => {
      const random = createRandom(seed, fans + number)
      const hoarder: FanDeps = {
        ...shared,
        account: `hoarder-${run}-${number}`,
        address: HOARDERS_ADDRESS,
        random,
        record: createRecord(0),
        signal: fansAreGone.signal,
      }
      await delay(lineOpens + random.between(0, 1_000), hoarder.signal).catch(() => undefined)
      await simulateHoarder(hoarder, hoarding)
    }),
  )
  try {
    await Promise.all(
      Array.from({ length: fans }, async (_, number) => {
        const random = createRandom(seed, number)
        const early = number % 2 === 0
        const arrives = early
          ? lineOpens + random.next() * Math.max(arrivalMs / 2, opens - lineOpens - 1_000)
          : opens + random.next() * arrivalMs
        await delay(arrives, signal).catch(() => undefined)
        await simulateFan({
          ...shared,
          account: `surge-${run}-${number}`,
          // The address range for benchmarks (RFC 2544). Two fans share an address.
          address: `198.18.${(number >> 9) & 255}.${(number >> 1) & 255}`,
          random,
          record,
          signal,
        })
      }),
    )
  } finally {
    fansAreGone.abort()
    await hoards
    stop()
    observer.close()
  }
}
