// The names of what clients/operations selects. Instants are RFC 3339 text; amounts of money are in minor units (ISO 4217).
import type {
  AccountStateQuery,
  CheckoutMutation,
  ExchangeHoldMutation,
  HoldMutation,
  JoinQueueMutation,
  JoinWaitlistInput,
  JoinWaitlistMutation,
  ReconciliationQuery,
  ReleaseHoldMutation,
  ReleaseHoldsMutation,
  RequestTurnAlertsInput,
  RequestTurnAlertsMutation,
} from './generated/operations.ts'

export type {
  CreateEventInput,
  DeclineReason,
  DrawFieldsFragment as Draw,
  EventPageFieldsFragment as EventPage,
  EventRefundFieldsFragment as EventRefund,
  HallPlanFieldsFragment as HallPlan,
  HolderFieldsFragment as Holder,
  HolderInput,
  HoldFieldsFragment as Hold,
  HoldItemFieldsFragment as HoldItem,
  HoldSelection,
  HoldState,
  MoneyFieldsFragment as Money,
  OrderFieldsFragment as Order,
  OrderOfEventFieldsFragment as OrderOfEvent,
  OrderState,
  PaymentState,
  PlanAreaFieldsFragment as PlanArea,
  PriceLevelFieldsFragment as PriceLevel,
  QueuePositionFieldsFragment as QueuePosition,
  QueueState,
  SaleFieldsFragment as Sale,
  SaleState,
  SeatFieldsFragment as Seat,
  SeatStatus as SeatStatusName,
  SectionAvailabilityFieldsFragment as SectionAvailability,
  SectionFieldsFragment as Section,
  SectionUpdateFieldsFragment as SectionUpdate,
  TicketFieldsFragment as Ticket,
  WaitingRoomFieldsFragment as WaitingRoomState,
  WaitlistEntryFieldsFragment as WaitlistEntry,
  WaitlistState,
} from './generated/operations.ts'

/** In plan units, from the top left. */
export interface Point {
  x: number
  y: number
}

/** An expected refusal. `retryAfterSeconds`: after this the same request can succeed; null: never. */
export interface Refused<Name extends string> {
  __typename: Name
  message: string
  retryAfterSeconds: number | null
}

export type JoinResult = JoinQueueMutation['joinQueue']
export type HoldResult = HoldMutation['hold']
export type HoldRefusal = Exclude<HoldResult, { __typename: 'Hold' }>
export type ExchangeResult = ExchangeHoldMutation['exchangeHold']
export type ReleaseResult = ReleaseHoldMutation['releaseHold']
export type CheckoutResult = CheckoutMutation['checkout']
/** The alerts to add to a place. */
export type AlertsRequest = Omit<RequestTurnAlertsInput, 'queueToken'>
export type TurnAlertsResult = RequestTurnAlertsMutation['requestTurnAlerts']
export type JoinWaitlistResult = JoinWaitlistMutation['joinWaitlist']

/** Null: any section, any price level. */
export type WaitlistWish = Omit<JoinWaitlistInput, 'eventId'>

type Viewer = NonNullable<AccountStateQuery['viewer']>
/** One account's holds, orders, waitlist entries and place at one event. */
export type AccountState = Omit<Viewer, 'orders'> & { orders: Viewer['orders']['edges'][number]['node'][] }

export type Reconciliation = ReconciliationQuery['reconciliation']
export type ReleasedHolds = ReleaseHoldsMutation['releaseHolds']
