import { WebSocket } from 'ws'
import {
  ApiError,
  createFairgate,
  type EventPage,
  type Fairgate,
  type Hold,
  isTransient,
  memorySession,
  type QueuePosition,
  randomId,
  type Sale,
  type Section,
  sandboxToken,
} from '../sdk/index.ts'
import { delay } from '../sdk/transport/client.ts'
import { pickSeats } from './pickSeats.ts'
import type { Random } from './random.ts'
import { type CrowdRecord, countOne, type Ending, type Whereabouts } from './record.ts'
import { startWait, type Wait } from './waitEstimates.ts'

const ABANDONS = 1 / 3
const DECLINED_FIRST = 1 / 20
const GIVES_UP_WHEN_DECLINED = 1 / 3
/** The share of abandoning fans who do not release their hold. */
const ABANDONS_WITHOUT_RELEASE = 1 / 10
/** Holds that are not released block seats until they expire. The simulation leaves them only in sales with short holds. */
const SHORT_HOLD_SECONDS = 120

export interface FanDeps {
  url: string
  event: EventPage
  /** The sale as the whole crowd sees it. */
  sale(): Sale
  account: string
  /** The IP address that the fan comes from. */
  address: string
  random: Random
  record: CrowdRecord
  /** The connection pool that the crowd shares. */
  fetch: typeof fetch
  signal: AbortSignal
}

/** Simulates one fan from arrival to ticket or departure. Never throws; the record has the result. */
export async function simulateFan(deps: FanDeps): Promise<void> {
  const { record, signal, url, random } = deps
  let at: Whereabouts = 'outside'
  const go = (to: Whereabouts) => {
    record.whereabouts[at]--
    record.whereabouts[to]++
    at = to
  }
  const fairgate = createFairgate({
    url,
    session: memorySession(),
    webSocket: WebSocket,
    fetch: fetchFrom(deps.address, deps.fetch),
    timed: (operation, milliseconds) => {
      const known = record.latencies.get(operation)
      if (known) known.push(milliseconds)
      else record.latencies.set(operation, [milliseconds])
    },
  })
  try {
    const ending = await visit(deps, fairgate, go)
    countOne(record.endings, ending)
  } catch (error) {
    if (signal.aborted) countOne(record.endings, 'time was up')
    else {
      countOne(record.endings, 'stopped by an error')
      const { code } = error as { code?: string }
      countOne(record.errors, `${code ?? (error as Error).name}: ${(error as Error).message}`)
    }
  } finally {
    go('gone')
    // Each fan closes their socket on leaving, at slightly different times.
    await delay(random.between(0, 300)).then(() => fairgate.close())
  }
}

/** Sends the fan's own address, because limits on one address must not apply to a whole crowd. */
export function fetchFrom(address: string, send: typeof fetch): typeof fetch {
  return (target, init) =>
    send(target, { ...init, headers: { ...init?.headers, 'x-forwarded-for': address } })
}

async function visit(deps: FanDeps, fairgate: Fairgate, go: (to: Whereabouts) => void): Promise<Ending> {
  const { random, event, record, account, url } = deps
  fairgate.session.accountToken = await persist(deps, () => sandboxToken(url, account, [], deps.fetch))
  const subscribes = random.happens(0.5)
  for (;;) {
    if (event.sale.waitingRoom) {
      const result = await waitInLine(deps, fairgate, subscribes, go)
      if (result === 'too late') return 'too late'
      if (result === 'lapsed') {
        countOne(record.refusals, 'turn lapsed, joined again')
        continue
      }
    }
    go('inside')
    const ending = await shop(deps, fairgate, subscribes, go)
    if (ending !== 'admission over') {
      await persist(deps, () => fairgate.waitingRoom.leave())
      return ending
    }
    countOne(record.refusals, 'admission ended, joined again')
  }
}

type LineResult = 'admitted' | 'lapsed' | 'too late'

/** Joins the line and waits, on a socket or by polling. */
export async function waitInLine(
  deps: FanDeps,
  { waitingRoom, clock }: Fairgate,
  subscribes: boolean,
  go: (to: Whereabouts) => void,
): Promise<LineResult> {
  const { event, record, signal } = deps
  let joined: QueuePosition | undefined
  while (!joined) {
    const result = await persist(deps, () => waitingRoom.join(event.id))
    if (result.__typename === 'QueuePosition') joined = result
    else if (result.__typename === 'SaleOver') return 'too late'
    else if (result.__typename === 'QueueNotOpen')
      await delay(Math.max(0, clock.until(result.opensAt)) + 50, signal)
    else throw new Error(`joining was refused: ${result.__typename}`)
  }
  go('in line')
  let wait: Wait | undefined
  const note = (admitted: boolean) => {
    const { first, halfway } = wait?.end(admitted) ?? {}
    if (first) record.estimates.push(first)
    if (halfway) record.halfway.push(halfway)
  }
  return new Promise((resolve, reject) => {
    const done = (result: LineResult) => {
      stop()
      signal.removeEventListener('abort', abort)
      note(result === 'admitted')
      resolve(result)
    }
    const abort = () => {
      stop()
      reject(signal.reason)
    }
    const stop = waitingRoom.watch(
      ({ state, estimatedWaitSeconds, admission }) => {
        if (state === 'WAITING') {
          wait ??= startWait()
          wait.update(estimatedWaitSeconds)
        }
        if (state === 'OPEN' || (state === 'ADMITTED' && admission)) done('admitted')
        else if (state === 'SOLD_OUT' || state === 'ENDED' || state === 'FINISHED' || state === 'REPLACED')
          done('too late')
        else if (state === 'LAPSED') done('lapsed')
      },
      (error) => {
        signal.removeEventListener('abort', abort)
        reject(error)
      },
      subscribes ? 'socket' : 'polling',
    )
    signal.addEventListener('abort', abort, { once: true })
  })
}

/** Looks at the map, holds and pays. Chooses again after each refusal. */
async function shop(
  deps: FanDeps,
  fairgate: Fairgate,
  subscribes: boolean,
  go: (to: Whereabouts) => void,
): Promise<Ending | 'admission over'> {
  const { random, event, record, signal, sale } = deps
  const party = Math.min(sale().ticketLimit, 1 + random.below(4))
  for (;;) {
    if (sale().state === 'SOLD_OUT' || sale().state === 'ENDED') return 'too late'
    const section = chooseSection(deps)
    if (!section) {
      // Every seat is held: some become available again.
      await delay(random.between(800, 2_000), signal)
      continue
    }
    const seats = await persist(deps, () => fairgate.seatMap.layout(event.id, section))
    let statuses: Uint8Array | null
    try {
      statuses = await persist(deps, () => look(fairgate, event.id, section, subscribes))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'ADMISSION_REQUIRED') return 'admission over'
      throw error
    }
    const picked = pickSeats(seats, statuses, party, random)
    if (picked.length === 0) {
      await delay(random.between(300, 900), signal)
      continue
    }
    await delay(random.between(500, 2_500), signal)
    const key = randomId()
    const result = await persist(deps, () =>
      fairgate.holds.hold(event.id, { seats: picked.map(({ id }) => id) }, key),
    )
    if (result.__typename === 'Hold') {
      record.holds++
      go('holding')
      const ending = await pay(deps, fairgate, result)
      if (ending !== 'seats gone') return ending
      go('inside')
      continue
    }
    countOne(record.refusals, result.__typename)
    if (result.__typename === 'AdmissionRequired') return 'admission over'
    if (result.__typename === 'SaleOver') return 'too late'
    // Taken seats may become available again, but the fan does not wait for them: other seats are free.
    const wait = result.__typename === 'SeatsTaken' ? 0 : (result.retryAfterSeconds ?? 0)
    await delay(wait * 1_000 + random.between(200, 900), signal)
  }
}

/** Reads the section: a fan with a socket subscribes to it for a moment, any other fan reads it once. */
function look(
  fairgate: Fairgate,
  eventId: string,
  section: Section,
  live: boolean,
): Promise<Uint8Array | null> {
  if (!live) return fairgate.seatMap.read(eventId, section).then(({ statuses }) => statuses)
  return new Promise((resolve, reject) => {
    const stop = fairgate.seatMap.watch(
      eventId,
      section,
      ({ statuses }) => {
        queueMicrotask(() => stop())
        resolve(statuses)
      },
      reject,
      'socket',
    )
  })
}

function chooseSection({ event, sale, random }: FanDeps): Section | undefined {
  const free = new Map(sale().sections.map(({ sectionId, available }) => [sectionId, available]))
  const open = event.sections.filter(({ id, kind }) => kind === 'SEATED' && (free.get(id) ?? 0) > 0)
  return open[random.below(open.length)]
}

async function pay(deps: FanDeps, fairgate: Fairgate, hold: Hold): Promise<Ending | 'seats gone'> {
  const { random, record, signal, sale } = deps
  await delay(random.between(800, 3_000), signal)
  if (random.happens(ABANDONS)) {
    const keepsHold = sale().holdSeconds <= SHORT_HOLD_SECONDS && random.happens(ABANDONS_WITHOUT_RELEASE)
    if (!keepsHold) await persist(deps, () => fairgate.holds.release(hold.id))
    return 'abandoned'
  }
  let paymentMethod = random.happens(DECLINED_FIRST) ? 'pm_card_declined' : 'pm_card_visa'
  for (;;) {
    const key = randomId()
    const paid = await persist(deps, () =>
      fairgate.checkout.pay({ holdId: hold.id, paymentMethod, key }, undefined, signal),
    )
    switch (paid.__typename) {
      case 'Order':
        record.orders.push(paid)
        return 'bought'
      case 'PaymentDeclined':
        record.declines++
        if (random.happens(GIVES_UP_WHEN_DECLINED)) {
          await persist(deps, () => fairgate.holds.release(hold.id))
          return 'declined, and gave up'
        }
        paymentMethod = 'pm_card_visa'
        await delay(random.between(1_000, 3_000), signal)
        break
      case 'CheckoutBusy':
        countOne(record.refusals, 'CheckoutBusy')
        await delay((paid.retryAfterSeconds ?? 1) * 1_000 + random.between(0, 500), signal)
        break
      case 'SeatsGone':
      case 'HoldNotFound':
        countOne(record.refusals, paid.__typename)
        return 'seats gone'
    }
  }
}

/** Retries after temporary errors until it succeeds or the time is up, as a fan would. */
export async function persist<T>({ record, signal, random }: FanDeps, work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!isTransient(error)) throw error
      countOne(record.retries, (error as ApiError).code ?? (error as Error).name)
      const wait = (error as ApiError).retryAfterSeconds ?? Math.min(8, 0.5 * 2 ** attempt)
      await delay((wait + random.next()) * 1_000, signal)
    }
  }
}
