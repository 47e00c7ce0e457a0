import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Env } from './env.ts'
import type { JobQueues } from './jobs/bullmq/jobQueues.ts'
import { createJobQueues } from './jobs/bullmq/queues.ts'
import { JOBS } from './jobs/index.ts'
import { followKeys, type Keys } from './keys.ts'
import { createLog } from './log.ts'
import { addressOf, createMailer } from './mail.ts'
import { createPaymentProviders } from './payments/index.ts'
import type { Payments } from './payments/registry.ts'
import { createPush } from './push/push.ts'
import { type ChannelHub, createChannelHub } from './redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from './redis/connect.ts'
import { createSharedJoinGuard } from './redis/joinGuard.ts'
import { createPublisher, type Publish } from './redis/publisher.ts'
import { type Admissions, createAdmissions } from './sale/admission/admissions.ts'
import { type Catalogue, createCatalogue } from './sale/catalogue/catalogue.ts'
import { type Clock, createClock } from './sale/clock.ts'
import { createDocumentMaker } from './sale/documents/documentMaker.ts'
import { createDocuments, type Documents, LARGE_FILES } from './sale/documents/documents.ts'
import { createLinks } from './sale/documents/links.ts'
import { readWalletCertificates } from './sale/documents/wallet.ts'
import { createEvents, type Events } from './sale/events/events.ts'
import { createEventThread, type EventThread } from './sale/events/eventThread.ts'
import { type Blocks, createBlocks } from './sale/holds/blocks.ts'
import { createPulse, type Pulse } from './sale/holds/databasePulse.ts'
import { createHolds, type Holds } from './sale/holds/holds.ts'
import { createHoldOrigins, type HoldOrigins } from './sale/holds/origins.ts'
import { createAltcha } from './sale/joinGuard/altcha.ts'
import { createJoinGuard } from './sale/joinGuard/joinGuard.ts'
import { createLetters, type Letters } from './sale/letters/letters.ts'
import { createSeatMap, type SeatMap } from './sale/map/seatMap.ts'
import { type AuditTrail, createAuditTrail } from './sale/ops/auditTrail.ts'
import { createDeadLetters, type DeadLetters } from './sale/ops/deadLetters.ts'
import { createHolders, type Holders } from './sale/ops/holders.ts'
import { instrumentCheckout, instrumentHolds } from './sale/ops/instrumented.ts'
import { createLoad, type Load } from './sale/ops/load.ts'
import { createReconciliation, type Reconciliation } from './sale/ops/reconciliation.ts'
import { createSaleMetrics, type SaleMetrics } from './sale/ops/saleMetrics.ts'
import { createSandboxDesk, type SandboxDesk } from './sale/ops/sandboxDesk.ts'
import { type Checkout, createCheckout } from './sale/orders/checkout.ts'
import { createEventRefunds, type EventRefunds } from './sale/orders/eventRefunds.ts'
import { createPublishOrderChange } from './sale/orders/orderChanges.ts'
import { createOrders, type Orders } from './sale/orders/orders.ts'
import { createOrderRefunds, type OrderRefunds } from './sale/orders/refundOrder.ts'
import { createTicketStatus, type TicketStatus } from './sale/orders/ticketStatus.ts'
import { createTickets, type Tickets } from './sale/orders/tickets.ts'
import { createPacer, type Pacer } from './sale/pacer/pacer.ts'
import { createRooms, type Rooms } from './sale/room/rooms.ts'
import { createSales, type Sales } from './sale/sales/sales.ts'
import { createTokens, type Tokens } from './sale/tokens/tokens.ts'
import { type AlertSender, createAlertSender } from './sale/turnAlerts/alertSender.ts'
import { createTurnAlerts, type TurnAlerts } from './sale/turnAlerts/turnAlerts.ts'
import { createFailClosed } from './sale/waitingRoom/failClosed.ts'
import { createOpening } from './sale/waitingRoom/opening.ts'
import { createPlaces } from './sale/waitingRoom/places.ts'
import { createQueueStates } from './sale/waitingRoom/queueState.ts'
import { createTurns } from './sale/waitingRoom/turns.ts'
import { createWaitingRoom, type WaitingRoom } from './sale/waitingRoom/waitingRoom.ts'
import { createWaitlist, type Waitlist } from './sale/waitlist/waitlist.ts'
import { createDatabase, type Database } from './sql/database/database.ts'

/** The connections to Redis, and the channels on them. The waiting room may have a Redis of its own. */
export interface RedisConnections {
  readonly redis: Redis
  readonly hub: ChannelHub
  readonly publish: Publish
  readonly roomRedis: Redis
  readonly roomHub: ChannelHub
  readonly roomPublish: Publish
}

/** The connections, keys and settings below the parts. */
export interface Foundation extends RedisConnections {
  readonly env: Env
  readonly log: Logger
  readonly keys: Keys
  readonly db: Database
  readonly roomDb: Database
  readonly queues: JobQueues
  readonly load: Load
}

/** The parts of the service. */
export interface Parts {
  readonly clock: Clock
  readonly catalogue: Catalogue
  readonly tokens: Tokens
  readonly seatMap: SeatMap
  readonly rooms: Rooms
  readonly sales: Sales
  readonly admissions: Admissions
  readonly waitingRoom: WaitingRoom
  readonly pacer: Pacer
  readonly origins: HoldOrigins
  readonly holds: Holds
  readonly blocks: Blocks
  readonly pulse: Pulse
  readonly waitlist: Waitlist
  readonly turnAlerts: TurnAlerts
  readonly alertSender: AlertSender
  readonly documents: Documents
  readonly letters: Letters
  readonly tickets: Tickets
  readonly ticketStatus: TicketStatus
  readonly orders: Orders
  readonly payments: Payments
  readonly checkout: Checkout
  readonly orderRefunds: OrderRefunds
  readonly eventRefunds: EventRefunds
  readonly events: Events
  readonly eventThread: EventThread
  readonly auditTrail: AuditTrail
  readonly deadLetters: DeadLetters
  readonly holders: Holders
  readonly reconciliation: Reconciliation
  readonly saleMetrics: SaleMetrics
  readonly sandboxDesk: SandboxDesk
}

/** The content of an API or worker process: the foundation and the parts on it. */
export interface App extends Foundation, Parts {
  close(): Promise<void>
}

/** For tests: builds other payment providers. */
export interface Replacements {
  createPayments?(foundation: Foundation): Payments
}

/**
 * Connects and builds the app. It sends nothing to the database or Redis yet, so a process starts while they are away.
 * Throws where the keys cannot be read.
 */
export async function createApp(env: Env, replacements: Replacements = {}): Promise<App> {
  const log = createLog(env.logLevel)
  const keys = await followKeys(env.keysFile, log)
  const connections = connectToRedis(env, log)
  const load = createLoad({ redis: connections.redis })
  const db = createDatabase(env.databaseUrl, {
    connections: env.databasePool,
    onConnectionError: warn(log, 'connection to the database lost'),
    onWait: load.poolWait,
  })
  const roomDb =
    env.roomDatabaseUrl === env.databaseUrl
      ? db
      : createDatabase(env.roomDatabaseUrl, {
          connections: env.databasePool,
          onConnectionError: warn(log, "connection to the waiting room's database lost"),
        })
  const queues = createJobQueues({ redisUrl: env.redisUrl, jobs: JOBS, log })
  const foundation: Foundation = { ...connections, env, log, keys, db, roomDb, queues, load }
  const parts = createParts(foundation, replacements)

  return {
    ...foundation,
    ...parts,
    async close() {
      keys.close()
      await parts.pulse.close()
      // First: the map waits for the changes that it is publishing to Redis.
      await parts.seatMap.close()
      await queues.close()
      load.close()
      closeParts(parts)
      disconnectFromRedis(connections)
      for (const database of new Set([db, roomDb])) await database.close()
    },
  }
}

/** Builds every part, in the order in which they use each other. Tests build theirs with it as well. */
export function createParts(
  foundation: Foundation,
  { createPayments = createProviders }: Replacements = {},
): Parts {
  const { env, log, keys, db, redis, hub, publish, queues, load } = foundation
  const { roomDb, roomRedis, roomHub, roomPublish } = foundation

  const clock = createClock(db)
  const tokens = createTokens(keys)
  const rooms = createRooms({ roomDb, hub: roomHub, publish: roomPublish, log })
  const catalogue = createCatalogue(db)
  const seatMap = createSeatMap({ db, redis, hub, catalogue, clock, log })
  const sales = createSales({ db, catalogue, hub, seatMap, rooms, clock, log })

  const admissions = createAdmissions({ db, tokens, rooms, clock })
  const joinGuard = createJoinGuard({
    shared: createSharedJoinGuard(roomRedis),
    verifier: createAltcha({ keys, clock }),
    clock,
  })
  const places = createPlaces({ roomDb, roomRedis, log })
  const opening = createOpening({ db, roomDb, sales, rooms, log })
  const failClosed = createFailClosed(log)
  const turns = createTurns({ roomDb, roomRedis, admissions, failClosed })
  const queueStates = createQueueStates({ roomDb, admissions, opening, turns, clock })
  const waitingRoom = createWaitingRoom({
    roomDb,
    sales,
    rooms,
    places,
    opening,
    queueStates,
    admissions,
    tokens,
    joinGuard,
    clock,
    failClosed,
  })
  const pacer = createPacer({ db, roomDb, sales, rooms, places, opening, load, log })

  const origins = createHoldOrigins({ keys, trustedProxies: env.trustedProxies })
  const holds = instrumentHolds(
    createHolds({ db, catalogue, seatMap, sales, admissions, origins, clock, hub, publish }),
    load,
  )
  const blocks = createBlocks({ db, catalogue, seatMap })
  const pulse = createPulse({ db, seatMap, publish, log })
  const tickets = createTickets({ keys, catalogue })
  const ticketStatus = createTicketStatus({ db, keys, catalogue, publicUrl: env.publicUrl })
  const orders = createOrders({ db, hub })
  const payments = createPayments(foundation)
  const checkout = instrumentCheckout(
    createCheckout({ db, payments, orders, publicUrl: env.publicUrl, seatMap, rooms, publish, log }),
    load,
  )
  const mailer = createMailer({ ...env.mail, log })
  const documents = createDocuments({
    db,
    catalogue,
    orders,
    tickets,
    links: createLinks({ keys, clock }),
    maker: createDocumentMaker(),
    largeMaker: createDocumentMaker(LARGE_FILES),
    wallet: readWalletCertificates(env.wallet),
    publicUrl: env.publicUrl,
  })
  const letters = createLetters({
    db,
    catalogue,
    orders,
    mailer,
    publicUrl: env.publicUrl,
    attach: documents.attachment,
  })
  const orderRefunds = createOrderRefunds({
    db,
    orders,
    publishChange: createPublishOrderChange({ publish, seatMap, rooms }),
  })
  const eventRefunds = createEventRefunds({ db, catalogue, sales, refunds: orderRefunds, publish, log })
  const waitlist = createWaitlist({
    db,
    catalogue,
    sales,
    seatMap,
    hub,
    publish,
    mailer,
    publicUrl: env.publicUrl,
    log,
  })

  const turnAlerts = createTurnAlerts({ roomDb, sales, rooms, tokens, keys, failClosed })
  const alertSender = createAlertSender({
    db,
    roomDb,
    sales,
    rooms,
    catalogue,
    mailer,
    push: createPush({ keys, contact: addressOf(env.mail.from) }),
    publicUrl: env.publicUrl,
    log,
  })

  const eventThread = createEventThread()
  const events = createEvents({ db, roomDb, catalogue, eventThread, publish, sales, waitingRoom })
  const auditTrail = createAuditTrail({ db })
  const deadLetters = createDeadLetters({ db, queues, log })
  const holders = createHolders({ db, catalogue, holds })
  const saleMetrics = createSaleMetrics({ roomDb, sales, rooms, load, log })
  const reconciliation = createReconciliation({ db, catalogue, seatMap, payments, log })

  const sandboxDesk = createSandboxDesk({ db, embedded: env.embedded, checkout, log })

  return {
    clock,
    catalogue,
    tokens,
    seatMap,
    rooms,
    sales,
    admissions,
    waitingRoom,
    pacer,
    origins,
    holds,
    blocks,
    pulse,
    waitlist,
    turnAlerts,
    alertSender,
    documents,
    letters,
    tickets,
    ticketStatus,
    orders,
    payments,
    checkout,
    orderRefunds,
    eventRefunds,
    events,
    eventThread,
    auditTrail,
    deadLetters,
    holders,
    reconciliation,
    saleMetrics,
    sandboxDesk,
  }
}

function createProviders({ env, log, db, redis, load }: Foundation): Payments {
  if (!env.embedded && env.payments.forNewOrders.includes('sandbox'))
    log.warn(
      'the sandbox takes orders, so tickets cost no money: configure a payment provider, see docs/payments.md',
    )
  return createPaymentProviders({ env, db, redis, onAuthorization: load.authorization })
}

/** Stops the timers, threads and subscriptions of the parts. The seat map has none: its `close` waits for publications alone. */
export function closeParts({
  sales,
  rooms,
  documents,
  eventThread,
}: Pick<Parts, 'sales' | 'rooms' | 'documents' | 'eventThread'>): void {
  documents.close()
  eventThread.close()
  sales.close()
  rooms.close()
}

export function connectToRedis(
  { redisUrl, roomRedisUrl }: Pick<Env, 'redisUrl' | 'roomRedisUrl'>,
  log: Logger,
): RedisConnections {
  const connect = (url: string, what: string) => {
    const redis = connectForCommands(url, { onError: warn(log, `connection to ${what}`) })
    const subscriber = connectForWaiting(url, { onError: warn(log, `subscriptions to ${what}`) })
    return { redis, hub: createChannelHub(subscriber), publish: createPublisher(redis) }
  }
  const own = connect(redisUrl, 'Redis')
  const room = roomRedisUrl === redisUrl ? own : connect(roomRedisUrl, "the waiting room's Redis")
  return { ...own, roomRedis: room.redis, roomHub: room.hub, roomPublish: room.publish }
}

export function disconnectFromRedis({ redis, roomRedis, hub, roomHub }: RedisConnections): void {
  for (const channelHub of new Set([hub, roomHub])) channelHub.close()
  for (const connection of new Set([redis, roomRedis])) connection.disconnect()
}

function warn(log: Logger, what: string): (error: Error) => void {
  return (error) => log.warn({ err: error }, what)
}
