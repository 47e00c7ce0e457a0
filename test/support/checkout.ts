import { escapeLiteral } from 'pg'
import pino from 'pino'
import { guard } from '../../src/payments/guard.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { createRegistry, type Payments } from '../../src/payments/registry.ts'
import { createSandbox, type SandboxSettings } from '../../src/payments/sandbox.ts'
import type { ChannelHub, Listener } from '../../src/redis/channelHub.ts'
import type { Account } from '../../src/sale/caller.ts'
import { createCatalogue } from '../../src/sale/catalogue/catalogue.ts'
import { createHolds, type HoldsDeps, type HoldView } from '../../src/sale/holds/holds.ts'
import { createHoldOrigins } from '../../src/sale/holds/origins.ts'
import { newId } from '../../src/sale/ids.ts'
import { createCheckout } from '../../src/sale/orders/checkout.ts'
import { createOrders } from '../../src/sale/orders/orders.ts'
import type { Sales } from '../../src/sale/sales/sales.ts'
import type { SeatChange } from '../../src/seatStatus.ts'
import type { Database } from '../../src/sql/database/database.ts'
import type { TestEvent } from './event.ts'
import type { NetworkRecord } from './networks/network.ts'

const PUBLIC_URL = 'http://localhost:4000'
export const CALM: SandboxSettings = {
  latencyMs: 0,
  declineRate: 0,
  timeoutRate: 0,
  lostReplyRate: 0,
  rateLimit: 0,
}

export interface TestCheckoutOptions {
  sandbox?: Partial<SandboxSettings>
  /** In place of the sandbox. */
  provider?: PaymentProvider
  /** Wraps the provider, behind the guard. */
  wrap?(provider: PaymentProvider): PaymentProvider
  /** In place of the sandbox alone. */
  payments?: Payments
  timeoutMs?: number
  patienceMs?: number
  /** Answers as Redis does: 0 for a permit, else the milliseconds to wait. */
  takePermit?(): Promise<number>
  /** The process's copy of the sale; default: none. */
  findSale?: Sales['find']
  /** Default: no caller has an admission. */
  admissions?: HoldsDeps['admissions']
  /** A map that also gets the changes that `mapChanges` records. */
  seatMap?: { publish(eventId: string, changes: SeatChange[]): unknown }
}

/** With the same secret in every process. */
export const testOrigins = createHoldOrigins({
  keys: { tokens: [{ kid: 'test', secret: new Uint8Array(32) }] },
  trustedProxies: [],
})

/** The holds, checkout and orders of one process, with channels of its own. */
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
  const sandbox = createSandbox(db, { ...CALM, ...options.sandbox }, { publicUrl: PUBLIC_URL })
  const payments =
    options.payments ?? createRegistry([guard(wrap(options.provider ?? sandbox), { takePermit, timeoutMs })])
  const catalogue = createCatalogue(db)
  const orders = createOrders({ db, hub })
  const holds = createHolds({
    db,
    catalogue,
    seatMap,
    sales: { find: options.findSale ?? (async () => null) },
    admissions: options.admissions ?? { check: () => null },
    origins: testOrigins,
    clock: { now: async () => new Date() },
    hub,
    publish,
  })
  const log = pino({ enabled: false })
  const checkout = createCheckout({
    db,
    payments,
    orders,
    publicUrl: PUBLIC_URL,
    seatMap,
    publish,
    log,
    patienceMs,
  })

  let last = 0
  const key = () => `key-${++last}-${Math.random()}`
  return {
    ...checkout,
    orders,
    holds,
    publish,
    catalogue,
    sandbox,
    /** The changes that were published to the seat map, in order. */
    mapChanges,
    /** The channels of the messages that were published, in order. */
    published,
    key,

    async hold(account: Account, event: TestEvent, seatNos: readonly number[]): Promise<HoldView> {
      const result = await holds.hold(
        { account, deviceId: null, admissionToken: null },
        {
          eventId: event.id,
          seats: seatNos.map(event.seatId),
          idempotencyKey: key(),
        },
      )
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

/** An account that may change every event. */
export function opsAccount(): Account {
  return { ...testAccount(), roles: new Set(['ops']) }
}

export function testAccount(): Account {
  const id = `fan-${++accounts}-${newId('ord', 'evt_x').slice(-8)}`
  return { id, email: `${id}@example.com`, emailVerified: true, roles: new Set() }
}

/**
 * Ends a hold's time, as if it had been made that much earlier; a negative `secondsAgo` gives it that much time.
 *
 * It locks in the product's order, the hold and then its seats in seat order: in any other it would deadlock with holds
 * and sweeps that run meanwhile. One message makes one transaction, so no lock waits for this process. The time is cut to
 * milliseconds, as the columns have them: they would round it up, to a moment that is still to come.
 */
export async function runOut(
  { pool }: Database,
  hold: Pick<HoldView, 'id' | 'eventId'>,
  secondsAgo = 1,
): Promise<void> {
  const [event, id] = [escapeLiteral(hold.eventId), escapeLiteral(hold.id)]
  const itsHold = `event_id = ${event} and id = ${id}`
  const itsSeats = `event_id = ${event} and hold_id = ${id}
    and no in (select seat_no from hold_items where event_id = ${event} and hold_id = ${id})`
  const until = `date_trunc('milliseconds', now() - make_interval(secs => ${secondsAgo}))`
  await pool.query(
    `select from holds where ${itsHold} for no key update;
     select from seats where ${itsSeats} order by no for no key update;
     update holds set expires_at = ${until} where ${itsHold};
     update seats set held_until = ${until} where ${itsSeats}`,
  )
}

/** Waits until the database's clock has passed a hold's end. Returns at once where a claim has extended the hold. */
export async function untilOver({ pool }: Database, { eventId, id }: Pick<HoldView, 'eventId' | 'id'>) {
  await pool.query(
    `select pg_sleep(greatest(0, extract(epoch from expires_at - clock_timestamp())) + 0.001)
     from holds where event_id = $1 and id = $2 and expires_at < clock_timestamp() + interval '1 minute'`,
    [eventId, id],
  )
}

type Job =
  | { job: 'capturePayment' | 'cancelPayment'; data: { orderId: string } }
  | { job: 'refundPayment'; data: { refundId: string } }

const run = (checkout: TestCheckout, { job, data }: Job) =>
  job === 'refundPayment'
    ? checkout.refundPayment(data.refundId)
    : job === 'capturePayment'
      ? checkout.capture(data.orderId)
      : checkout.cancelPayment(data.orderId)

/** Runs the jobs of the outbox, as relay and workers do, each until its answer is definite. Returns them. */
export async function workOutbox(db: Database, checkout: TestCheckout): Promise<Job[]> {
  const done: Job[] = []
  for (;;) {
    const { rows } = await db.pool.query<Job>('delete from outbox returning job, data')
    if (rows.length === 0) return done
    done.push(...rows)
    for (const job of rows) {
      for (let attempt = 1; ; attempt++) {
        try {
          await run(checkout, job)
          break
        } catch (error) {
          if (attempt === 10) throw error
        }
      }
    }
  }
}

/** The sandbox's records of all payments, in the sequence in which they were made. */
export async function sandboxRecords(db: Database): Promise<NetworkRecord[]> {
  const { rows } = await db.pool.query<NetworkRecord>(
    `select p.intent_id as "intentId", p.order_id as "orderId", p.state, p.captured::int as captured, (
         select coalesce(sum(r.amount), 0)::int from sandbox_refunds r
           where r.intent_id = p.intent_id and r.state = 'done'
       ) as refunded
       from sandbox_payments p order by p.intent_id`,
  )
  return rows
}

/** The sandbox's records of an order's payments. */
export async function atNetwork(db: Database, orderId: string) {
  const records = (await sandboxRecords(db)).filter((record) => record.orderId === orderId)
  return records.map(({ state, captured, refunded }) => ({ state, captured, refunded }))
}
