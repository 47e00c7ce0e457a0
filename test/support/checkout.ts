import pino from 'pino'
import { guard } from '../../src/payments/guard.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { createSandbox, type SandboxSettings } from '../../src/payments/sandbox.ts'
import type { ChannelHub, Listener } from '../../src/redis/channelHub.ts'
import type { Account } from '../../src/sale/caller.ts'
import { createCatalogue } from '../../src/sale/catalogue/catalogue.ts'
import { createHolds, type HoldView } from '../../src/sale/holds/holds.ts'
import { newId } from '../../src/sale/ids.ts'
import type { SeatChange } from '../../src/sale/map/seatStatus.ts'
import { createCheckout } from '../../src/sale/orders/checkout.ts'
import { createOrders } from '../../src/sale/orders/orders.ts'
import type { Sales } from '../../src/sale/sales/sales.ts'
import type { Database } from '../../src/sql/database.ts'
import type { TestEvent } from './event.ts'

const CALM: SandboxSettings = { latencyMs: 0, declineRate: 0, timeoutRate: 0, lostReplyRate: 0, rateLimit: 0 }

export interface TestCheckoutOptions {
  sandbox?: Partial<SandboxSettings>
  /** Puts something between the guard and the sandbox. */
  wrap?(provider: PaymentProvider): PaymentProvider
  timeoutMs?: number
  patienceMs?: number
  /** As Redis would answer: 0 for a permit, else milliseconds to wait. */
  takePermit?(): Promise<number>
  /** The sale as the process knows it; default: not at all. */
  findSale?: Sales['find']
  /** A map that is told what changes, beside `mapChanges`. */
  seatMap?: { publish(eventId: string, changes: SeatChange[]): unknown }
}

/** Holds, checkout and orders as one process has them, on a database and with channels of its own. */
export function testCheckout(db: Database, options: TestCheckoutOptions = {}) {
  const { wrap = (provider) => provider, takePermit = async () => 0, timeoutMs, patienceMs } = options
  const mapChanges: (SeatChange & { eventId: string })[] = []
  const published: string[] = []
  const listeners = new Map<string, Set<Listener>>()
  const publish = (channel: string, message: string) => {
    published.push(channel)
    for (const listener of listeners.get(channel) ?? []) listener(message)
  }
  const hub: ChannelHub = {
    listen(channel, listener) {
      const set = listeners.get(channel) ?? new Set()
      listeners.set(channel, set.add(listener))
      return () => set.delete(listener)
    },
    close() {},
  }
  const seatMap = {
    publish(eventId: string, changes: SeatChange[]) {
      mapChanges.push(...changes.map((change) => ({ ...change, eventId })))
      return options.seatMap?.publish(eventId, changes)
    },
  }
  const sandbox = createSandbox(db, { ...CALM, ...options.sandbox })
  const payments = guard(wrap(sandbox), { takePermit, timeoutMs })
  const catalogue = createCatalogue(db)
  const orders = createOrders({ db, hub })
  const holds = createHolds({
    db,
    catalogue,
    seatMap,
    sales: { find: options.findSale ?? (async () => null) },
    hub,
    publish,
  })
  const log = pino({ enabled: false })
  const checkout = createCheckout({ db, payments, orders, seatMap, publish, log, patienceMs })

  let last = 0
  const key = () => `key-${++last}-${Math.random()}`
  return {
    ...checkout,
    orders,
    holds,
    catalogue,
    sandbox,
    /** What the seat map was told, in order. */
    mapChanges,
    /** The channels that something was published on, in order. */
    published,
    key,

    async hold(account: Account, event: TestEvent, seatNos: readonly number[]): Promise<HoldView> {
      const result = await holds.hold({ account, deviceId: null, admissionToken: null }, null, {
        eventId: event.id,
        seats: seatNos.map(event.seatId),
        idempotencyKey: key(),
      })
      if (!('expiresAt' in result)) throw new Error(`no hold: ${result.constructor.name}`)
      return result
    },

    /** Pays with a new key each time. */
    pay(account: Account, hold: HoldView, paymentMethod = 'pm_card_visa', idempotencyKey = key()) {
      return checkout.checkout(account, { holdId: hold.id, paymentMethod, idempotencyKey })
    },
  }
}

export type TestCheckout = ReturnType<typeof testCheckout>

let accounts = 0

export function testAccount(): Account {
  const id = `fan-${++accounts}-${newId('ord', 'evt_x').slice(-8)}`
  return { id, email: `${id}@example.com`, emailVerified: true, roles: new Set() }
}

/** Lets a hold's time run out, as if it had been made that much earlier. */
export async function runOut(db: Database, hold: HoldView, secondsAgo = 1): Promise<void> {
  await db.pool.query(
    `with h as (
       update holds set expires_at = now() - make_interval(secs => $3)
       where event_id = $1 and id = $2
       returning event_id, id, expires_at
     )
     update seats s set held_until = h.expires_at
     from h where s.event_id = h.event_id and s.hold_id = h.id`,
    [hold.eventId, hold.id, secondsAgo],
  )
}

type Job = { job: 'capturePayment' | 'voidPayment'; data: { orderId: string } }

/** Does what the outbox asks for, as relay and workers do: in any order, and again until an answer is definite. */
export async function workOutbox(db: Database, checkout: TestCheckout): Promise<Job[]> {
  const done: Job[] = []
  for (;;) {
    const { rows } = await db.pool.query<Job>('delete from outbox returning job, data')
    if (rows.length === 0) return done
    done.push(...rows)
    for (const { job, data } of rows) {
      for (let attempt = 1; ; attempt++) {
        try {
          await (job === 'capturePayment'
            ? checkout.capture(data.orderId)
            : checkout.voidPayment(data.orderId))
          break
        } catch (error) {
          if (attempt === 10) throw error
        }
      }
    }
  }
}
