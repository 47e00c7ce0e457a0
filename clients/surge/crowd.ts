import { delay } from '../sdk/client.ts'
import { createFairgate, type EventPage, memorySession, type Sale } from '../sdk/index.ts'
import { simulateFan } from './fan.ts'
import type { Options } from './options.ts'
import { createPooledFetch } from './pooledFetch.ts'
import { createRandom } from './random.ts'
import type { CrowdRecord } from './record.ts'

/** A large crowd arrives over this time. Half of it comes before the opening, if the line is open then. */
const ARRIVAL_MS = 20_000
const ARRIVAL_MS_EACH = 20

/** Simulates all fans and returns when the last one has left. */
export async function runCrowd(
  { fans, url, seed }: Options,
  event: EventPage,
  record: CrowdRecord,
  signal: AbortSignal,
  onSale: (sale: Sale) => void,
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
          url,
          event,
          sale: () => sale,
          account: `surge-${run}-${number}`,
          // The address range for benchmarks (RFC 2544). Two fans share an address.
          address: `198.18.${(number >> 9) & 255}.${(number >> 1) & 255}`,
          random,
          record,
          fetch,
          signal,
        })
      }),
    )
  } finally {
    stop()
    observer.close()
  }
}
