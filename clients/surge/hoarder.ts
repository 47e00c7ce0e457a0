import { WebSocket } from 'ws'
import {
  createFairgate,
  type Fairgate,
  type Hold,
  memorySession,
  randomId,
  sandboxToken,
} from '../sdk/index.ts'
import { delay } from '../sdk/transport/client.ts'
import { type FanDeps, fetchFrom, persist, waitInLine } from './fan.ts'
import { countOne } from './record.ts'

/** What the hoarding accounts hold together. */
export interface Hoarding {
  holds: number
  /** Seats held now, and the most at any moment. */
  seats: number
  mostSeats: number
  /** Seats times the seconds for which they were held. */
  seatSeconds: number
  readonly refusals: Map<string, number>
  readonly errors: Map<string, number>
}

export function createHoarding(): Hoarding {
  return { holds: 0, seats: 0, mostSeats: 0, seatSeconds: 0, refusals: new Map(), errors: new Map() }
}

/** The time left in a hold at which its account tries a card that is declined, for the time that a payment is given. */
const STRETCHES_AT_SECONDS = 10
const LONGEST_PAUSE_SECONDS = 5

/**
 * Simulates an account that holds as many seats as it may, as soon as it is admitted, and never pays. It lets each hold run
 * out, tries a declined card shortly before, and holds again. Returns once the signal is aborted or the sale is over.
 */
export async function simulateHoarder(deps: FanDeps, hoarding: Hoarding): Promise<void> {
  const { url, account, address, signal } = deps
  const fairgate = createFairgate({
    url,
    session: memorySession(),
    webSocket: WebSocket,
    fetch: fetchFrom(address, deps.fetch),
  })
  try {
    fairgate.session.accountToken = await persist(deps, () => sandboxToken(url, account, [], deps.fetch))
    while (!isOver(deps)) {
      if (deps.event.sale.waitingRoom) {
        const result = await waitInLine(deps, fairgate, false, () => undefined)
        if (result === 'too late') return
        if (result === 'lapsed') continue
      }
      await hoard(deps, fairgate, hoarding)
    }
  } catch (error) {
    if (!signal.aborted) countOne(hoarding.errors, (error as Error).message)
  } finally {
    fairgate.close()
  }
}

const isOver = ({ sale }: FanDeps) => sale().state === 'SOLD_OUT' || sale().state === 'ENDED'

/** Holds again and again, until the admission is over. */
async function hoard(deps: FanDeps, fairgate: Fairgate, hoarding: Hoarding): Promise<void> {
  const { event, sale, signal, random } = deps
  while (!isOver(deps)) {
    const quantity = Math.max(1, Math.min(sale().ticketLimit, sale().available))
    const result = await persist(deps, () =>
      fairgate.holds.hold(event.id, { bestAvailable: { quantity, together: false } }),
    )
    if (result.__typename === 'Hold') {
      await keep(deps, fairgate, result, hoarding)
      continue
    }
    countOne(hoarding.refusals, result.__typename)
    if (result.__typename === 'AdmissionRequired' || result.__typename === 'SaleOver') return
    const seconds = Math.min(LONGEST_PAUSE_SECONDS, result.retryAfterSeconds ?? 1)
    await delay(1_000 * seconds * random.between(0.5, 1), signal)
  }
}

/** Keeps a hold until it runs out. */
async function keep(deps: FanDeps, fairgate: Fairgate, hold: Hold, hoarding: Hoarding): Promise<void> {
  const { signal } = deps
  const seats = hold.items.length
  const since = performance.now()
  hoarding.holds++
  hoarding.seats += seats
  hoarding.mostSeats = Math.max(hoarding.mostSeats, hoarding.seats)
  try {
    const end = untilOver(fairgate, hold, signal)
    const stretch = fairgate.clock.until(hold.expiresAt) - 1_000 * STRETCHES_AT_SECONDS
    await Promise.race([end, delay(Math.max(0, stretch), signal)])
    await persist(deps, () =>
      fairgate.checkout.pay(
        { holdId: hold.id, paymentMethod: 'pm_card_declined', key: randomId() },
        undefined,
        signal,
      ),
    )
    await end
  } finally {
    hoarding.seats -= seats
    hoarding.seatSeconds += (seats * (performance.now() - since)) / 1_000
  }
}

function untilOver({ holds }: Fairgate, { id }: Hold, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => done(() => reject(signal.reason))
    const done = (settle: () => void) => {
      stop()
      signal.removeEventListener('abort', abort)
      settle()
    }
    const stop = holds.watch(
      id,
      ({ state }) => {
        if (state !== 'ACTIVE') queueMicrotask(() => done(resolve))
      },
      (error) => done(() => reject(error)),
    )
    signal.addEventListener('abort', abort, { once: true })
  })
}
