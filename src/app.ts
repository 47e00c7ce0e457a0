import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Env } from './env.ts'
import { JOBS } from './jobs/index.ts'
import type { JobQueues } from './jobs/jobQueues.ts'
import { createJobQueues } from './jobs/queues.ts'
import { type FollowedKeys, followKeys } from './keys.ts'
import { createLog } from './log.ts'
import { createMailer } from './mail.ts'
import { createPaymentProvider } from './payments/index.ts'
import type { Payments } from './payments/provider.ts'
import { type ChannelHub, createChannelHub } from './redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from './redis/connect.ts'
import { createSharedJoinGuard } from './redis/joinGuard.ts'
import { createPublisher, type Publish } from './redis/publisher.ts'
import { type Admissions, createAdmissions } from './sale/admission/admissions.ts'
import { type Clock, createClock } from './sale/clock.ts'
import { type Catalogue, createCatalogue } from './sale/events/catalogue.ts'
import { createEvents, type Events } from './sale/events/events.ts'
import { type Blocks, createBlocks } from './sale/holds/blocks.ts'
import { createHolds, type Holds } from './sale/holds/holds.ts'
import { createAltcha } from './sale/joinGuard/altcha.ts'
import { createJoinGuard } from './sale/joinGuard/joinGuard.ts'
import { createSeatMap, type SeatMap } from './sale/map/seatMap.ts'
import { type AuditTrail, createAuditTrail } from './sale/ops/auditTrail.ts'
import { createDeadLetters, type DeadLetters } from './sale/ops/deadLetters.ts'
import { instrumentCheckout, instrumentHolds } from './sale/ops/instrumented.ts'
import { createLoad, type Load } from './sale/ops/load.ts'
import { createReconciliation, type Reconciliation } from './sale/ops/reconciliation.ts'
import { createSaleMetrics, type SaleMetrics } from './sale/ops/saleMetrics.ts'
import { type Checkout, createCheckout } from './sale/orders/checkout.ts'
import { createOrders, type Orders } from './sale/orders/orders.ts'
import { createTickets, type Tickets } from './sale/orders/tickets.ts'
import { createRooms } from './sale/room/rooms.ts'
import { createSales, type Sales } from './sale/sales/sales.ts'
import { createTokens, type Tokens } from './sale/tokens/tokens.ts'
import { createWaitingRoom, type WaitingRoom } from './sale/waitingRoom/waitingRoom.ts'
import { createWaitlist, type Waitlist } from './sale/waitlist/waitlist.ts'
import { createDatabase, type Database } from './sql/database.ts'

/** Everything the two processes are made of, built once. */
export interface App {
  readonly env: Env
  readonly log: Logger
  readonly keys: FollowedKeys
  readonly db: Database
  readonly roomDb: Database
  readonly redis: Redis
  readonly roomRedis: Redis
  readonly hub: ChannelHub
  readonly publish: Publish
  readonly queues: JobQueues
  readonly clock: Clock
  readonly catalogue: Catalogue
  readonly tokens: Tokens
  readonly seatMap: SeatMap
  readonly sales: Sales
  readonly admissions: Admissions
  readonly waitingRoom: WaitingRoom
  readonly holds: Holds
  readonly blocks: Blocks
  readonly waitlist: Waitlist
  readonly tickets: Tickets
  readonly orders: Orders
  readonly payments: Payments
  readonly checkout: Checkout
  readonly events: Events
  readonly auditTrail: AuditTrail
  readonly deadLetters: DeadLetters
  readonly reconciliation: Reconciliation
  readonly load: Load
  readonly saleMetrics: SaleMetrics
  close(): Promise<void>
}

/**
 * Builds the app; nothing is asked of the database or Redis yet, so a process starts while they are away.
 * Throws where the keys cannot be read.
 */
export async function createApp(env: Env): Promise<App> {
  const log = createLog(env.logLevel)
  const keys = await followKeys(env.keysFile, log)

  const warn = (what: string) => (error: Error) => log.warn({ err: error }, what)
  const redis = connectForCommands(env.redisUrl, { onError: warn('connection to Redis') })
  const load = createLoad({ redis })
  const db = createDatabase(env.databaseUrl, {
    connections: env.databasePool,
    onConnectionError: warn('connection to the database lost'),
    onWait: load.poolWait,
  })
  const roomDb =
    env.roomDatabaseUrl === env.databaseUrl
      ? db
      : createDatabase(env.roomDatabaseUrl, {
          connections: env.databasePool,
          onConnectionError: warn("connection to the waiting room's database lost"),
        })
  const roomRedis =
    env.roomRedisUrl === env.redisUrl
      ? redis
      : connectForCommands(env.roomRedisUrl, { onError: warn("connection to the waiting room's Redis") })
  const hub = createChannelHub(connectForWaiting(env.redisUrl, { onError: warn('subscriptions to Redis') }))
  const publish = createPublisher(redis)
  const roomHub =
    roomRedis === redis
      ? hub
      : createChannelHub(
          connectForWaiting(env.roomRedisUrl, {
            onError: warn("subscriptions to the waiting room's Redis"),
          }),
        )
  const roomPublish = roomRedis === redis ? publish : createPublisher(roomRedis)
  const queues = createJobQueues({ redisUrl: env.redisUrl, jobs: JOBS, log })

  const clock = createClock(db)
  const catalogue = createCatalogue(db)
  const tokens = createTokens(keys)
  const seatMap = createSeatMap({ db, redis, hub, catalogue, clock, log })
  const rooms = createRooms({ roomDb, hub: roomHub, publish: roomPublish, log })
  const sales = createSales({ db, catalogue, hub, seatMap, rooms, clock, log })
  const admissions = createAdmissions({ db, tokens, rooms, clock })
  const joinGuard = createJoinGuard({
    shared: createSharedJoinGuard(roomRedis),
    verifier: createAltcha({ keys, clock }),
    clock,
  })
  const waitingRoom = createWaitingRoom({
    db,
    roomDb,
    roomRedis,
    sales,
    rooms,
    admissions,
    tokens,
    joinGuard,
    clock,
    load,
    log,
  })
  const holds = instrumentHolds(
    createHolds({ db, catalogue, seatMap, sales, admissions, clock, hub, publish }),
    load,
  )
  const blocks = createBlocks({ db, catalogue, seatMap })
  const waitlist = createWaitlist({
    db,
    catalogue,
    sales,
    seatMap,
    hub,
    publish,
    mailer: createMailer({ ...env.mail, log }),
    publicUrl: env.publicUrl,
    log,
  })
  const tickets = createTickets({ keys, catalogue })
  const orders = createOrders({ db, hub })
  const payments = createPaymentProvider({ env, db, redis, onAuthorization: load.authorization })
  const checkout = instrumentCheckout(createCheckout({ db, payments, orders, seatMap, publish, log }), load)
  const events = createEvents({ db, roomDb, catalogue, publish, sales, waitingRoom })
  const auditTrail = createAuditTrail({ db })
  const deadLetters = createDeadLetters({ db, queues, log })
  const saleMetrics = createSaleMetrics({ roomDb, sales, rooms, load, log })
  const reconciliation = createReconciliation({ db, catalogue, seatMap, payments, log })

  return {
    env,
    log,
    keys,
    db,
    roomDb,
    redis,
    roomRedis,
    hub,
    publish,
    queues,
    clock,
    catalogue,
    tokens,
    seatMap,
    sales,
    admissions,
    waitingRoom,
    holds,
    blocks,
    waitlist,
    tickets,
    orders,
    payments,
    checkout,
    events,
    auditTrail,
    deadLetters,
    reconciliation,
    load,
    saleMetrics,
    async close() {
      keys.close()
      await seatMap.close()
      await queues.close()
      load.close()
      sales.close()
      rooms.close()
      for (const channelHub of new Set([hub, roomHub])) channelHub.close()
      for (const connection of new Set([redis, roomRedis])) connection.disconnect()
      for (const database of new Set([db, roomDb])) await database.close()
    },
  }
}
