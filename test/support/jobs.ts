import { setTimeout as sleep } from 'node:timers/promises'
import pino, { type Logger } from 'pino'
import { JOBS } from '../../src/jobs/index.ts'
import type { JobApp } from '../../src/jobs/kit.ts'
import { createJobQueues } from '../../src/jobs/queues.ts'
import type { Timings } from '../../src/jobs/workers.ts'
import { guard } from '../../src/payments/guard.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { createSandbox } from '../../src/payments/sandbox.ts'
import { createChannelHub } from '../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../src/redis/connect.ts'
import { createPublisher } from '../../src/redis/publisher.ts'
import { createCatalogue } from '../../src/sale/catalogue.ts'
import { createCheckout } from '../../src/sale/checkout.ts'
import { createDeadLetters } from '../../src/sale/deadLetters.ts'
import { createHolds } from '../../src/sale/holds.ts'
import { createOrders } from '../../src/sale/orders.ts'
import { createSeatMap } from '../../src/sale/seatMap.ts'
import type { Database } from '../../src/sql/database.ts'

/** A dead runner is found within about three seconds. */
export const QUICK: Timings = { lockMs: 2_000, stalledCheckMs: 500 }

export interface TestJobAppOptions {
  db: Database
  redisUrl: string
  /** Puts something between the guard and the sandbox. */
  wrapProvider?(provider: PaymentProvider): PaymentProvider
  log?: Logger
}

/** What a worker process has, with its own connections. */
export function testJobApp({ db, redisUrl, wrapProvider = (p) => p, log = silent() }: TestJobAppOptions) {
  const redis = connectForCommands(redisUrl)
  const hub = createChannelHub(connectForWaiting(redisUrl))
  const publish = createPublisher(redis)
  const catalogue = createCatalogue(db)
  const seatMap = createSeatMap({ db, redis, hub, catalogue, log })
  const orders = createOrders({ db, hub })
  const holds = createHolds({ db, catalogue, seatMap, hub, publish })
  const payments = guard(
    wrapProvider(
      createSandbox(db, { latencyMs: 0, declineRate: 0, timeoutRate: 0, lostReplyRate: 0, rateLimit: 0 }),
    ),
    { takePermit: async () => 0 },
  )
  const checkout = createCheckout({ db, payments, orders, seatMap, publish, log })
  const queues = createJobQueues({ redisUrl, jobs: JOBS, log })
  const deadLetters = createDeadLetters({ db, queues, log })
  const ticks: string[] = []

  return {
    env: { redisUrl },
    log,
    db,
    redis,
    hub,
    publish,
    catalogue,
    queues,
    seatMap,
    holds,
    orders,
    checkout,
    deadLetters,
    ticks,
    sales: {
      async active() {
        const { rows } = await db.pool.query(
          'select event_id from sales where ends_at is null or ends_at > now()',
        )
        return rows.map(({ event_id }) => event_id as string)
      },
    },
    waitingRoom: {
      async tick(eventId: string) {
        ticks.push(eventId)
      },
    },
    async close() {
      await queues.close()
      hub.close()
      redis.disconnect()
    },
  }
}

export type TestJobApp = ReturnType<typeof testJobApp>

export const asJobApp = (app: TestJobApp) => app as unknown as JobApp

function silent() {
  return pino({ enabled: false })
}

/** Looks again and again until `condition` holds; fails after a time far above what it should take. */
export async function until(condition: () => unknown, what: string, patienceMs = 30_000): Promise<void> {
  const end = performance.now() + patienceMs
  for (;;) {
    if (await condition()) return
    if (performance.now() > end) throw new Error(`still waiting for: ${what}`)
    await sleep(25)
  }
}
