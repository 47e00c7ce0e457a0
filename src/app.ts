import type { Logger } from 'pino'
import type { Env } from './env.ts'
import { type Keys, readKeys } from './keys.ts'
import { createPaymentProvider } from './payments/index.ts'
import { type ChannelHub, createChannelHub } from './redis/channelHub.ts'
import { connectForCommands, connectForWaiting } from './redis/connect.ts'
import { createPublisher, type Publish } from './redis/publisher.ts'
import { type Admissions, createAdmissions } from './sale/admission.ts'
import { type Catalogue, createCatalogue } from './sale/catalogue.ts'
import { type Checkout, createCheckout } from './sale/checkout.ts'
import { type DeadLetters, createDeadLetters } from './sale/deadLetters.ts'
import { createEvents, type Events } from './sale/events.ts'
import { createHolds, type Holds } from './sale/holds.ts'
import { createOrders, type Orders } from './sale/orders.ts'
import { createReconciliation, type Reconciliation } from './sale/reconciliation.ts'
import { createSales, type Sales } from './sale/sales.ts'
import { createSeatMap, type SeatMap } from './sale/seatMap.ts'
import { createTickets, type Tickets } from './sale/tickets.ts'
import { createTokens, type Tokens } from './sale/tokens.ts'
import { createWaitingRoom, type WaitingRoom } from './sale/waitingRoom.ts'
import { createDatabase, type Database } from './sql/database.ts'

/** Everything the two processes are made of, built once. */
export interface App {
  readonly env: Env
  readonly log: Logger
  readonly keys: Keys
  readonly db: Database
  readonly queueDb: Database
  readonly hub: ChannelHub
  readonly publish: Publish
  readonly catalogue: Catalogue
  readonly tokens: Tokens
  readonly seatMap: SeatMap
  readonly sales: Sales
  readonly admissions: Admissions
  readonly waitingRoom: WaitingRoom
  readonly holds: Holds
  readonly tickets: Tickets
  readonly orders: Orders
  readonly checkout: Checkout
  readonly events: Events
  readonly deadLetters: DeadLetters
  readonly reconciliation: Reconciliation
  close(): Promise<void>
}
