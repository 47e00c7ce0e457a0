import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pino, { type Logger } from 'pino'
import { JOBS } from '../../src/jobs/index.ts'
import { createJobQueues } from '../../src/jobs/queues.ts'
import type { Timings } from '../../src/jobs/workers.ts'
import { importKeys, makeKeys } from '../../src/keys.ts'
import { guard } from '../../src/payments/guard.ts'
import type { PaymentProvider } from '../../src/payments/provider.ts'
import { createSandbox } from '../../src/payments/sandbox.ts'
import { createChannelHub } from '../../src/redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from '../../src/redis/connect.ts'
import { createPublisher } from '../../src/redis/publisher.ts'
import { createAdmissions } from '../../src/sale/admission.ts'
import { createCatalogue } from '../../src/sale/catalogue.ts'
import { createCheckout } from '../../src/sale/checkout.ts'
import { createClock } from '../../src/sale/clock.ts'
import { createDeadLetters } from '../../src/sale/deadLetters.ts'
import { createHolds } from '../../src/sale/holds.ts'
import { createOrders } from '../../src/sale/orders.ts'
import { createRooms } from '../../src/sale/rooms.ts'
import { createSales } from '../../src/sale/sales.ts'
import { createSeatMap } from '../../src/sale/seatMap.ts'
import { createTokens } from '../../src/sale/tokens.ts'
import { createWaitingRoom } from '../../src/sale/waitingRoom.ts'
import type { Database } from '../../src/sql/database.ts'

const keys = await importKeys(await makeKeys())

/** A dead runner is found within about two seconds. */
export const QUICK: Timings = { lockMs: 1_000, stalledCheckMs: 250 }

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
  const clock = createClock(db)
  const rooms = createRooms({ queueDb: db, hub, publish, log })
  const sales = createSales({ db, hub, seatMap, rooms, clock, log })
  const tokens = createTokens(keys)
  const admissions = createAdmissions({ db, tokens, rooms, clock })
  const waitingRoom = createWaitingRoom({
    db,
    queueDb: db,
    queueRedis: redis,
    sales,
    rooms,
    admissions,
    tokens,
    clock,
    log,
  })

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
    sales,
    waitingRoom,
    holds,
    orders,
    payments,
    checkout,
    deadLetters,
    async close() {
      sales.close()
      rooms.close()
      await queues.close()
      hub.close()
      redis.disconnect()
    },
  }
}

export type TestJobApp = ReturnType<typeof testJobApp>

function silent() {
  return pino({ enabled: false })
}

/** Looks again and again until `condition` holds; fails after a time far above what it should take. */
export async function until(condition: () => unknown, what: string, patienceMs = 45_000): Promise<void> {
  const end = performance.now() + patienceMs
  for (;;) {
    if (await condition()) return
    if (performance.now() > end) throw new Error(`still waiting for: ${what}`)
    await sleep(25)
  }
}

/**
 * Starts a worker process (test/support/worker.ts), lets it come to `point` and kills it there. `point` is `before`
 * or `after`, and the part and method of the app whose call that is.
 */
export async function killWorkerAt(point: string, databaseUrl: string, redisUrl: string): Promise<void> {
  const child = spawn(process.execPath, [WORKER, databaseUrl, redisUrl, point], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    const said = await Promise.race([
      once(child.stdout, 'data', { signal: AbortSignal.timeout(45_000) }),
      exited,
    ])
    if (String(said[0]) !== 'here\n') throw new Error(`the worker ended or said something else: ${said[0]}`)
  } finally {
    child.kill('SIGKILL')
    await exited
  }
}

const WORKER = fileURLToPath(new URL('./worker.ts', import.meta.url))
