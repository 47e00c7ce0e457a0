// Generated from clients/operations by npm run schema. Do not edit.
import { operation } from '../transport/operation.ts'

/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
/** The server chooses the seats: the best free ones, side by side unless `together` is false. */
export type BestAvailableInput = {
  priceLevelId?: string | null | undefined;
  /** From 1 to 1000. */
  quantity: number;
  /** Null: anywhere. */
  sectionId?: string | null | undefined;
  /** True: side by side in one row, or nothing. */
  together?: boolean | null | undefined;
};

/** Which seats best available takes first, where the plan shows it wrongly or not at all. `fairgate draw-plan` draws the result. */
export type BestSeatsInput = {
  /** Categories of the plan, the best first. A seat of a category that is not named is worse than those of all that are. */
  categories?: Array<string> | null | undefined;
  /** The nearest seats to this point, in plan units. Default: those before the stage, the screen or the field that an area of the plan names; else those in the middle of the front, which the order of the row labels shows. */
  near?: PointInput | null | undefined;
};

/** When a fan must answer a challenge before they join the line. */
export type ChallengeMode =
  | 'ALWAYS'
  | 'NEVER'
  /** Where the address, the device or the pace looks like a script. */
  | 'SUSPICIOUS';

/** How a hold is paid for. */
export type CheckoutInput = {
  /** Where the tickets go; default: the account's address. */
  email?: string | null | undefined;
  holdId: string;
  idempotencyKey: string;
  /** The language of the mails and of the tickets, as a BCP 47 tag such as de-AT; default: by the header Accept-Language. */
  locale?: string | null | undefined;
  /** The payment provider's token for a card; never a card number. */
  paymentMethod: string;
  /** The provider to which `paymentMethod` belongs, from `Hold.payments`; default: the one that takes new orders now. */
  provider?: string | null | undefined;
};

/** An event with its hall, prices and sale. */
export type CreateEventInput = {
  appearance?: EventAppearanceInput | null | undefined;
  bestSeats?: BestSeatsInput | null | undefined;
  currency: string;
  generalAdmission?: Array<GeneralAdmissionAreaInput> | null | undefined;
  name: string;
  /** Categories of the plan whose seats are not for sale. They need no price; with one, `unblockSeats` puts them on sale. */
  notForSale?: Array<string> | null | undefined;
  performers?: Array<string> | null | undefined;
  /** One for every area, and for every category of the plan that has seats and is not in `notForSale`. */
  prices: Array<PriceInput>;
  sale: SaleInput;
  /** A seating plan in the open format that pretix publishes (zones, rows, seats, areas, categories), as an object or as the text of its file; or the answer of the pretix API that has it in `layout`. */
  seatingPlan?: unknown;
  slug: string;
  startsAt: string;
  timeZone: string;
  venue: VenueInput;
};

/** Why the payment provider declined a payment. */
export type DeclineReason =
  | 'AUTHENTICATION_FAILED'
  | 'CARD_EXPIRED'
  | 'INSUFFICIENT_FUNDS'
  | 'OTHER'
  | 'TRY_LATER';

/** The place whose alerts end. */
export type EndTurnAlertsInput = {
  queueToken: string;
};

/** How the event looks on its page. The page keeps its contrast with every colour. */
export type EventAppearanceInput = {
  /** Such as #00625b. */
  accentColor?: string | null | undefined;
  /** https. Every browser that opens the page loads it from there. */
  imageUrl?: string | null | undefined;
  /** Shown until the sale opens. At most 1,000 characters. */
  presaleText?: string | null | undefined;
  /** At most 20,000 characters. */
  terms?: string | null | undefined;
};

/** A live hold, and the selection that replaces it in one step. */
export type ExchangeHoldInput = {
  /** A live hold of the caller. */
  holdId: string;
  /** As for `hold`. */
  idempotencyKey: string;
  /** Of the same event. It may contain seats of the old hold. */
  selection: HoldSelection;
};

/** An area without seats: the fans stand, or choose their seats at the event. */
export type GeneralAdmissionAreaInput = {
  /** From 1 to 150000. */
  capacity: number;
  key: string;
  name: string;
  outline?: Array<PointInput> | null | undefined;
};

/** A number of units of a general-admission area. */
export type GeneralAdmissionInput = {
  /** From 1 to 1000. */
  quantity: number;
  sectionId: string;
};

/** What an account wants to hold. */
export type HoldInput = {
  eventId: string;
  /** The same key and input return the first answer; the same key with other input is an error. */
  idempotencyKey: string;
  selection: HoldSelection;
};

/** Whose limit refused a hold. */
export type HoldLimitScope =
  /** The account made too many holds in a minute, or too many that were never paid. */
  | 'ACCOUNT'
  /** The live holds of all accounts at the internet address, in IPv6 at its /64 network, have too many seats. */
  | 'ADDRESS'
  /** The live holds of all accounts on the device have too many seats. */
  | 'DEVICE';

/** What to hold. Exactly one of the fields is set. */
export type HoldSelection =
  {   bestAvailable: BestAvailableInput; generalAdmission?: never; seats?: never; }
  |  { bestAvailable?: never;   generalAdmission: GeneralAdmissionInput; seats?: never; }
  |  { bestAvailable?: never; generalAdmission?: never;   /** Seat ids or keys, in any order; a seat named twice is BAD_USER_INPUT. */
  seats: Array<string>; };

/** The state of a hold. */
export type HoldState =
  | 'ACTIVE'
  | 'EXPIRED'
  | 'RELEASED'
  /** Sold: see `order`. */
  | 'SOLD';

/** Whose holds. Exactly one of the fields is set. */
export type HolderInput =
  {   account: string; address?: never; device?: never; }
  |  { account?: never;   /** `Holder.address`: all accounts at it. */
  address: string; device?: never; }
  |  { account?: never; address?: never;   device: string; };

/** Who joins which line. */
export type JoinQueueInput = {
  /** Answer to a challenge, where the sale asks for one. */
  challenge?: string | null | undefined;
  eventId: string;
  /** Move the account's place, and its admission, to this device; the other device's tokens die. */
  moveHere?: boolean | null | undefined;
};

/** What a fan waits for once it cannot be held. */
export type JoinWaitlistInput = {
  /** Take fewer than `quantity` when that is what comes back. */
  acceptFewer?: boolean | null | undefined;
  eventId: string;
  /** What the fan takes where nothing comes back in the section and at the price level above, in order. Up to 9. */
  orElse?: Array<WaitlistAlternativeInput> | null | undefined;
  priceLevelId?: string | null | undefined;
  /** From 1 to 1000. */
  quantity: number;
  sectionId?: string | null | undefined;
  /** Only seats side by side in one row. Default: side by side where such a block comes back, otherwise apart. */
  together?: boolean | null | undefined;
  /** How many of `quantity` are wheelchair seats. The others are then companion seats of these. 0: usual seats only. From 0 to 1000. */
  wheelchairSeats?: number | null | undefined;
};

/** The place or the admission to give up. */
export type LeaveQueueInput = {
  queueToken: string;
};

/** The entry to end. */
export type LeaveWaitlistInput = {
  id: string;
};

/** The state of an order. */
export type OrderState =
  /** Confirmed, then undone: the capture was refused for good, or ops refunded all of it. */
  | 'CANCELLED'
  | 'CONFIRMED'
  | 'DECLINED'
  | 'PAYING'
  | 'SEATS_GONE';

/** Where the money of an order is. */
export type PaymentState =
  | 'AUTHORIZED'
  | 'CAPTURED'
  | 'NONE'
  | 'PARTIALLY_REFUNDED'
  | 'REFUNDED'
  /** The provider refused or has not answered a refund that is owed: ops see it, and it is tried again. */
  | 'REFUND_OWED'
  | 'VOIDED';

/** The shape of an area, and which of its fields have it. */
export type PlanAreaKind =
  /** Around the position: `radiusX`, which equals `radiusY`. */
  | 'CIRCLE'
  /** Around the position: `radiusX`, `radiusY`. */
  | 'ELLIPSE'
  /** `points`, relative to the position. */
  | 'POLYGON'
  /** From the position to the right and down: `width`, `height`. */
  | 'RECTANGLE'
  /** `text` alone. */
  | 'TEXT';

/** What the seats look at, from an area's text in some thirty languages. */
export type PlanFeature =
  | 'FIELD'
  | 'SCREEN'
  | 'STAGE';

/** A point of the seating plan, in plan units from the top left. */
export type PointInput = {
  /** From -1000000 to 1000000, rounded to 0.000001. */
  x: number;
  /** From -1000000 to 1000000, rounded to 0.000001. */
  y: number;
};

/** The price of a category or an area. */
export type PriceInput = {
  /** Name of a category of the plan, or the key of an area. */
  category: string;
  /** From 0 to 2147483647. */
  fee?: number | null | undefined;
  /** Minor units. From 0 to 2147483647. */
  price: number;
};

/** A browser's subscription to web push: the values of `PushSubscription.toJSON()`. */
export type PushSubscriptionInput = {
  auth: string;
  /** https, of a host in the internet. At most 1,000 characters. */
  endpoint: string;
  /** The `pushKey` with which the browser subscribed. */
  key: string;
  p256dh: string;
};

/** What is known about the wait of a place, and why there may be no estimate. */
export type QueueOutlook =
  /** No seat is available; held ones may come back. */
  | 'ALL_HELD'
  /** `estimatedWaitSeconds` has the wait. */
  | 'ESTIMATED'
  /** What is left and may come back will hardly reach this place. */
  | 'MAY_NOT_REACH'
  | 'PAUSED'
  /** No place was called lately, or the wait is longer than a week. */
  | 'RATE_UNKNOWN';

/** The state of a place in the line. */
export type QueueState =
  | 'ADMITTED'
  | 'ENDED'
  /** Bought, or left. */
  | 'FINISHED'
  /** The turn or the admission ran out unused; join again. */
  | 'LAPSED'
  /** The waiting room was turned off: go straight in. */
  | 'OPEN'
  | 'PRE_QUEUE'
  /** The account has joined again since: this token is of its earlier place. `joinQueue` returns the current one. */
  | 'REPLACED'
  | 'SOLD_OUT'
  | 'WAITING';

/** The event to call off, and the rate of its refunds. */
export type RefundEventInput = {
  eventId: string;
  /** Orders refunded in a second. From 1 to 100. */
  perSecond?: number | null | undefined;
  reason: string;
};

/** The hold to release. */
export type ReleaseHoldInput = {
  holdId: string;
};

/** Whose holds to release. The audit trail keeps the reason. */
export type ReleaseHoldsInput = {
  eventId: string;
  holder: HolderInput;
  reason: string;
};

/** The alerts to add to a place. Without any, the answer is the alerts that the place has. */
export type RequestTurnAlertsInput = {
  /** The language of the alerts, a BCP 47 tag. Default: by the header Accept-Language. */
  locale?: string | null | undefined;
  /** By mail. The address of the account must be verified. */
  mail?: boolean | null | undefined;
  /** By web push to this browser. A place has up to 3 browsers: a further one replaces the oldest. */
  push?: PushSubscriptionInput | null | undefined;
  queueToken: string;
};

/** The settings of a sale. */
export type SaleInput = {
  /** People a second, at most. From 0 to 10000, rounded to 0.001. */
  admissionRate?: number | null | undefined;
  /** From 1 to 86400. */
  admissionSeconds?: number | null | undefined;
  allowOrphanSeats?: boolean | null | undefined;
  /** Public randomness that the draw waits for once the line is frozen: exactly where and which, such as "drand quicknet, the round of 10:01:00 UTC, randomness as hex". Given with `revealBeacon`. Default: the draw is made at `opensAt`, without. */
  beaconSource?: string | null | undefined;
  challenge?: ChallengeMode | null | undefined;
  /** Default, and at the latest: when the event begins. */
  endsAt?: string | null | undefined;
  /** Seats that live holds from one internet address may have together; in IPv6, from one /64 network. Default: a twentieth of the seats, and at least 25 times the ticket limit. Hundreds of honest fans may share the address of a carrier or a campus. From 1 to 150000. */
  heldPerAddress?: number | null | undefined;
  /** Seats that live holds on one device may have together. Default: five times the ticket limit, for a family. Neither this nor `heldPerAddress` counts for less than the ticket limit. From 1 to 150000. */
  heldPerDevice?: number | null | undefined;
  /** From 1 to 86400. */
  holdSeconds?: number | null | undefined;
  /** From 1 to 10000. */
  holdsPerMinute?: number | null | undefined;
  opensAt: string;
  /** How long an order may be PAYING before its payment is cancelled. Its seats belong to it until then. From 1 to 60. */
  paymentMinutes?: number | null | undefined;
  /** Default: 15 minutes before `opensAt`. */
  preQueueOpensAt?: string | null | undefined;
  /** A refund returns the fees too. False: it returns the prices alone. */
  returnFees?: boolean | null | undefined;
  seatPicking?: boolean | null | undefined;
  /** Shoppers searching at once per order that is still to be had. From 0.01 to 100, rounded to 0.01. */
  shoppersPerOrder?: number | null | undefined;
  /** From 1 to 1000. */
  ticketLimit?: number | null | undefined;
  /** How long a called place waits for its fan. From 1 to 86400. */
  turnSeconds?: number | null | undefined;
  /** Holds per account that may end unpaid before it must wait. From 1 to 10000. */
  unpaidHolds?: number | null | undefined;
  waitingRoom?: boolean | null | undefined;
};

/** The state of a sale. */
export type SaleState =
  | 'ENDED'
  | 'ON_SALE'
  | 'PAUSED'
  /** The line may be joined; places are drawn at `opensAt`. */
  | 'PRE_QUEUE'
  | 'SCHEDULED'
  | 'SOLD_OUT';

/** Whether a seat can be held. */
export type SeatStatus =
  | 'AVAILABLE'
  | 'HELD'
  | 'NOT_FOR_SALE'
  | 'SOLD';

/** Whether a section has seats. */
export type SectionKind =
  | 'GENERAL_ADMISSION'
  | 'SEATED';

/** What changes of an event. A field that is left out stays as it is. In `appearance` a null field is removed. */
export type UpdateEventInput = {
  appearance?: EventAppearanceInput | null | undefined;
  eventId: string;
  name?: string | null | undefined;
  performers?: Array<string> | null | undefined;
  venue?: UpdateVenueInput | null | undefined;
};

/** The texts of a venue that change. A field that is left out stays as it is. */
export type UpdateVenueInput = {
  /** Null removes it. */
  city?: string | null | undefined;
  name?: string | null | undefined;
};

/** Where an event takes place. */
export type VenueInput = {
  city?: string | null | undefined;
  /** From -90 to 90, rounded to 0.000001. */
  latitude?: number | null | undefined;
  /** From -180 to 180, rounded to 0.000001. */
  longitude?: number | null | undefined;
  name: string;
};

/** A section, a price level or both. Null: any. */
export type WaitlistAlternativeInput = {
  priceLevelId?: string | null | undefined;
  sectionId?: string | null | undefined;
};

/** The state of an entry. */
export type WaitlistState =
  | 'FULFILLED'
  | 'LAPSED'
  | 'LEFT'
  /** A hold was made for this entry: see `hold`. */
  | 'OFFERED'
  | 'WAITING';

export type AccountStateQueryVariables = Exact<{
  eventId: string;
}>;


export type AccountStateQuery = { viewer: { accountId: string, holds: Array<HoldFieldsFragment>, orders: { edges: Array<{ node: OrderFieldsFragment }> }, waitlist: Array<{ id: string, state: WaitlistState, quantity: number, position: number | null }>, queuePosition: QueuePositionFieldsFragment | null } | null };

export type AvailabilityQueryVariables = Exact<{
  eventId: string;
  sectionId: string;
}>;


export type AvailabilityQuery = { event: { section: { availability: SectionAvailabilityFieldsFragment | null } | null } | null };

export type CheckoutMutationVariables = Exact<{
  input: CheckoutInput;
}>;


export type CheckoutMutation = { checkout:
    | RefusalFields_CheckoutBusy_Fragment
    | RefusalFields_HoldNotFound_Fragment
    | OrderFieldsFragment
    | (
      { order: OrderFieldsFragment }
      & RefusalFields_PaymentDeclined_Fragment
    )
    | (
      { order: OrderFieldsFragment }
      & RefusalFields_SeatsGone_Fragment
    )
   };

export type CreateEventMutationVariables = Exact<{
  input: CreateEventInput;
}>;


export type CreateEventMutation = { createEvent: { id: string, slug: string } };

export type EndTurnAlertsMutationVariables = Exact<{
  input: EndTurnAlertsInput;
}>;


export type EndTurnAlertsMutation = { endTurnAlerts: { mail: boolean } };

export type EventPageQueryVariables = Exact<{
  slug: string;
}>;


export type EventPageQuery = { eventBySlug: EventPageFieldsFragment | null };

export type EventRefundQueryVariables = Exact<{
  eventId: string;
}>;


export type EventRefundQuery = { eventRefund: EventRefundFieldsFragment | null };

export type ExchangeHoldMutationVariables = Exact<{
  input: ExchangeHoldInput;
}>;


export type ExchangeHoldMutation = { exchangeHold:
    | HoldRefusalFields_AdmissionRequired_Fragment
    | HoldFieldsFragment
    | HoldRefusalFields_HoldInCheckout_Fragment
    | HoldRefusalFields_HoldNotFound_Fragment
    | HoldRefusalFields_NotEnoughAvailable_Fragment
    | HoldRefusalFields_OrphanSeats_Fragment
    | HoldRefusalFields_SaleNotOpen_Fragment
    | HoldRefusalFields_SaleOver_Fragment
    | HoldRefusalFields_SalePaused_Fragment
    | HoldRefusalFields_SeatsInOwnHold_Fragment
    | HoldRefusalFields_SeatsTaken_Fragment
    | HoldRefusalFields_TicketLimitReached_Fragment
    | HoldRefusalFields_TooManyHolds_Fragment
    | HoldRefusalFields_WheelchairSeatRequired_Fragment
   };

export type HallPlanQueryVariables = Exact<{
  eventId: string;
}>;


export type HallPlanQuery = { event: HallPlanFieldsFragment | null };

export type HoldMutationVariables = Exact<{
  input: HoldInput;
}>;


export type HoldMutation = { hold:
    | HoldRefusalFields_AdmissionRequired_Fragment
    | HoldFieldsFragment
    | HoldRefusalFields_NotEnoughAvailable_Fragment
    | HoldRefusalFields_OrphanSeats_Fragment
    | HoldRefusalFields_SaleNotOpen_Fragment
    | HoldRefusalFields_SaleOver_Fragment
    | HoldRefusalFields_SalePaused_Fragment
    | HoldRefusalFields_SeatsInOwnHold_Fragment
    | HoldRefusalFields_SeatsTaken_Fragment
    | HoldRefusalFields_TicketLimitReached_Fragment
    | HoldRefusalFields_TooManyHolds_Fragment
    | HoldRefusalFields_WheelchairSeatRequired_Fragment
   };

export type HoldByIdQueryVariables = Exact<{
  id: string;
}>;


export type HoldByIdQuery = { hold: HoldFieldsFragment | null };

export type HoldUpdatedSubscriptionVariables = Exact<{
  id: string;
}>;


export type HoldUpdatedSubscription = { holdUpdated: HoldFieldsFragment };

export type HoldersQueryVariables = Exact<{
  eventId: string;
  first?: number | null | undefined;
  after?: string | null | undefined;
}>;


export type HoldersQuery = { holders: { edges: Array<{ node: HolderFieldsFragment }>, pageInfo: { hasNextPage: boolean, endCursor: string | null } } };

export type JoinQueueMutationVariables = Exact<{
  input: JoinQueueInput;
}>;


export type JoinQueueMutation = { joinQueue:
    | RefusalFields_AccountNotVerified_Fragment
    | (
      { challenge: unknown }
      & RefusalFields_ChallengeRequired_Fragment
    )
    | RefusalFields_PlaceOnOtherDevice_Fragment
    | (
      { opensAt: string }
      & RefusalFields_QueueNotOpen_Fragment
    )
    | QueuePositionFieldsFragment
    | (
      { saleState: SaleState }
      & RefusalFields_SaleOver_Fragment
    )
   };

export type JoinWaitlistMutationVariables = Exact<{
  input: JoinWaitlistInput;
}>;


export type JoinWaitlistMutation = { joinWaitlist:
    | RefusalFields_AdmissionRequired_Fragment
    | (
      { available: number, holdable: { wish: number, quantity: number, together: boolean, areaId: string | null, seats: Array<string> } | null }
      & RefusalFields_NotSoldOut_Fragment
    )
    | (
      { saleState: SaleState }
      & RefusalFields_SaleOver_Fragment
    )
    | (
      { limit: number, used: number }
      & RefusalFields_TicketLimitReached_Fragment
    )
    | WaitlistEntryFieldsFragment
   };

export type LayoutQueryVariables = Exact<{
  eventId: string;
  sectionId: string;
}>;


export type LayoutQuery = { event: { section: { layout: Array<SeatFieldsFragment> } | null } | null };

export type LeaveQueueMutationVariables = Exact<{
  input: LeaveQueueInput;
}>;


export type LeaveQueueMutation = { leaveQueue: QueuePositionFieldsFragment };

export type LeaveWaitlistMutationVariables = Exact<{
  input: LeaveWaitlistInput;
}>;


export type LeaveWaitlistMutation = { leaveWaitlist: WaitlistEntryFieldsFragment };

export type OrderByIdQueryVariables = Exact<{
  id: string;
}>;


export type OrderByIdQuery = { order: OrderFieldsFragment | null };

export type OrderUpdatedSubscriptionVariables = Exact<{
  id: string;
}>;


export type OrderUpdatedSubscription = { orderUpdated: OrderFieldsFragment };

export type OrdersQueryVariables = Exact<{ [key: string]: never; }>;


export type OrdersQuery = { viewer: { accountId: string, orders: { edges: Array<{ node: OrderOfEventFieldsFragment }> } } | null };

export type PushKeyQueryVariables = Exact<{ [key: string]: never; }>;


export type PushKeyQuery = { pushKey: string | null };

export type QueuePositionQueryVariables = Exact<{
  queueToken: string;
}>;


export type QueuePositionQuery = { queuePosition: QueuePositionFieldsFragment };

export type QueuePositionUpdatedSubscriptionVariables = Exact<{
  queueToken: string;
}>;


export type QueuePositionUpdatedSubscription = { queuePosition: QueuePositionFieldsFragment };

export type ReconciliationQueryVariables = Exact<{
  eventId: string;
}>;


export type ReconciliationQuery = { reconciliation: { asOf: string, ok: boolean, capacity: number, available: number, held: number, sold: number, notForSale: number, tickets: number, ordersConfirmed: number, ordersPaying: number, captured: MoneyFieldsFragment, findings: Array<{ kind: string, subject: string, detail: string }> } };

export type RefundEventMutationVariables = Exact<{
  input: RefundEventInput;
}>;


export type RefundEventMutation = { refundEvent: EventRefundFieldsFragment };

export type ReleaseHoldMutationVariables = Exact<{
  input: ReleaseHoldInput;
}>;


export type ReleaseHoldMutation = { releaseHold:
    | HoldFieldsFragment
    | RefusalFields_HoldInCheckout_Fragment
    | RefusalFields_HoldNotFound_Fragment
   };

export type ReleaseHoldsMutationVariables = Exact<{
  input: ReleaseHoldsInput;
}>;


export type ReleaseHoldsMutation = { releaseHolds: { released: number, seats: number, inCheckout: number } };

export type RequestTurnAlertsMutationVariables = Exact<{
  input: RequestTurnAlertsInput;
}>;


export type RequestTurnAlertsMutation = { requestTurnAlerts:
    | { __typename: 'AccountNotVerified' }
    | { __typename: 'PlaceNotWaiting' }
    | { __typename: 'TurnAlerts', mail: boolean, browsers: number }
   };

export type SaleQueryVariables = Exact<{
  eventId: string;
}>;


export type SaleQuery = { event: { sale: SaleFieldsFragment } | null };

export type SaleUpdatedSubscriptionVariables = Exact<{
  eventId: string;
}>;


export type SaleUpdatedSubscription = { saleUpdated: SaleFieldsFragment };

export type SeatSectionSubscriptionVariables = Exact<{
  eventId: string;
  sectionId: string;
}>;


export type SeatSectionSubscription = { seatSection: SectionUpdateFieldsFragment };

export type UpdateEventMutationVariables = Exact<{
  input: UpdateEventInput;
}>;


export type UpdateEventMutation = { updateEvent: { id: string, slug: string } };

export type WaitlistEntryByIdQueryVariables = Exact<{
  id: string;
}>;


export type WaitlistEntryByIdQuery = { node:
    | { __typename: 'AuditEntry' }
    | { __typename: 'DeadLetter' }
    | { __typename: 'Event' }
    | { __typename: 'Hold' }
    | { __typename: 'Order' }
    | { __typename: 'PriceLevel' }
    | { __typename: 'Sale' }
    | { __typename: 'Seat' }
    | { __typename: 'Section' }
    | { __typename: 'Ticket' }
    | (
      { __typename: 'WaitlistEntry' }
      & WaitlistEntryFieldsFragment
    )
   | null };

export type WaitlistUpdatedSubscriptionVariables = Exact<{
  id: string;
}>;


export type WaitlistUpdatedSubscription = { waitlistUpdated: WaitlistEntryFieldsFragment };

export type MoneyFieldsFragment = { amount: number, currency: string };

export type DrawFieldsFragment = { commitment: string, seed: string | null, size: number | null, beaconSource: string | null, beacon: string };

export type WaitingRoomFieldsFragment = { admittedUpTo: number, admissionRate: number, paused: boolean, waiting: number, inside: number, enoughFor: number, draw: DrawFieldsFragment };

export type SaleFieldsFragment = { state: SaleState, preQueueOpensAt: string, opensAt: string, endsAt: string | null, ticketLimit: number, holdSeconds: number, seatPicking: boolean, available: number, held: number, asOf: string, sections: Array<{ sectionId: string, available: number }>, prices: Array<{ priceLevelId: string, available: number | null, held: number | null }>, waitingRoom: WaitingRoomFieldsFragment | null };

export type QueuePositionFieldsFragment = { __typename: 'QueuePosition', eventId: string, state: QueueState, queueToken: string, arrival: number, place: number | null, position: number | null, estimatedWaitSeconds: number | null, outlook: QueueOutlook | null, paused: boolean, available: number, held: number, turnEndsAt: string | null, pollAfterSeconds: number, asOf: string, admission: { token: string, expiresAt: string } | null };

export type SeatNameFieldsFragment = { id: string, row: string, number: string, wheelchair: boolean };

export type HoldItemFieldsFragment = { section: { id: string, name: string }, seat: SeatNameFieldsFragment | null, priceLevel: { id: string, name: string }, total: MoneyFieldsFragment };

export type HoldFieldsFragment = { __typename: 'Hold', id: string, state: HoldState, expiresAt: string, asOf: string, total: MoneyFieldsFragment, order: { id: string, state: OrderState } | null, payments: { provider: string, publishableKey: string | null }, items: Array<HoldItemFieldsFragment> };

export type TicketFieldsFragment = { id: string, voided: boolean, barcode: string | null, walletUrl: string | null, section: { id: string, name: string }, seat: (
    { priceLevelId: string }
    & SeatNameFieldsFragment
  ) | null };

export type OrderFieldsFragment = { __typename: 'Order', id: string, state: OrderState, payment: PaymentState, declineReason: DeclineReason | null, placedAt: string, pdfUrl: string | null, hold: { id: string }, total: MoneyFieldsFragment, refunded: MoneyFieldsFragment, nextAction: { url: string | null, clientSecret: string | null, expiresAt: string } | null, tickets: Array<TicketFieldsFragment> };

export type WaitlistEntryFieldsFragment = { __typename: 'WaitlistEntry', id: string, state: WaitlistState, quantity: number, position: number | null, odds: { entriesAhead: number, ticketsAhead: number, seatsThatMayComeBack: number | null } | null, hold: HoldFieldsFragment | null };

type RefusalFields_AccountNotVerified_Fragment = { __typename: 'AccountNotVerified', message: string, retryAfterSeconds: number | null };

type RefusalFields_AdmissionRequired_Fragment = { __typename: 'AdmissionRequired', message: string, retryAfterSeconds: number | null };

type RefusalFields_ChallengeRequired_Fragment = { __typename: 'ChallengeRequired', message: string, retryAfterSeconds: number | null };

type RefusalFields_CheckoutBusy_Fragment = { __typename: 'CheckoutBusy', message: string, retryAfterSeconds: number | null };

type RefusalFields_HoldInCheckout_Fragment = { __typename: 'HoldInCheckout', message: string, retryAfterSeconds: number | null };

type RefusalFields_HoldNotFound_Fragment = { __typename: 'HoldNotFound', message: string, retryAfterSeconds: number | null };

type RefusalFields_NotEnoughAvailable_Fragment = { __typename: 'NotEnoughAvailable', message: string, retryAfterSeconds: number | null };

type RefusalFields_NotSoldOut_Fragment = { __typename: 'NotSoldOut', message: string, retryAfterSeconds: number | null };

type RefusalFields_OrphanSeats_Fragment = { __typename: 'OrphanSeats', message: string, retryAfterSeconds: number | null };

type RefusalFields_PaymentDeclined_Fragment = { __typename: 'PaymentDeclined', message: string, retryAfterSeconds: number | null };

type RefusalFields_PlaceNotWaiting_Fragment = { __typename: 'PlaceNotWaiting', message: string, retryAfterSeconds: number | null };

type RefusalFields_PlaceOnOtherDevice_Fragment = { __typename: 'PlaceOnOtherDevice', message: string, retryAfterSeconds: number | null };

type RefusalFields_QueueNotOpen_Fragment = { __typename: 'QueueNotOpen', message: string, retryAfterSeconds: number | null };

type RefusalFields_SaleNotOpen_Fragment = { __typename: 'SaleNotOpen', message: string, retryAfterSeconds: number | null };

type RefusalFields_SaleOver_Fragment = { __typename: 'SaleOver', message: string, retryAfterSeconds: number | null };

type RefusalFields_SalePaused_Fragment = { __typename: 'SalePaused', message: string, retryAfterSeconds: number | null };

type RefusalFields_SeatsGone_Fragment = { __typename: 'SeatsGone', message: string, retryAfterSeconds: number | null };

type RefusalFields_SeatsInOwnHold_Fragment = { __typename: 'SeatsInOwnHold', message: string, retryAfterSeconds: number | null };

type RefusalFields_SeatsTaken_Fragment = { __typename: 'SeatsTaken', message: string, retryAfterSeconds: number | null };

type RefusalFields_TicketLimitReached_Fragment = { __typename: 'TicketLimitReached', message: string, retryAfterSeconds: number | null };

type RefusalFields_TooManyHolds_Fragment = { __typename: 'TooManyHolds', message: string, retryAfterSeconds: number | null };

type RefusalFields_WheelchairSeatRequired_Fragment = { __typename: 'WheelchairSeatRequired', message: string, retryAfterSeconds: number | null };

export type RefusalFieldsFragment =
  | RefusalFields_AccountNotVerified_Fragment
  | RefusalFields_AdmissionRequired_Fragment
  | RefusalFields_ChallengeRequired_Fragment
  | RefusalFields_CheckoutBusy_Fragment
  | RefusalFields_HoldInCheckout_Fragment
  | RefusalFields_HoldNotFound_Fragment
  | RefusalFields_NotEnoughAvailable_Fragment
  | RefusalFields_NotSoldOut_Fragment
  | RefusalFields_OrphanSeats_Fragment
  | RefusalFields_PaymentDeclined_Fragment
  | RefusalFields_PlaceNotWaiting_Fragment
  | RefusalFields_PlaceOnOtherDevice_Fragment
  | RefusalFields_QueueNotOpen_Fragment
  | RefusalFields_SaleNotOpen_Fragment
  | RefusalFields_SaleOver_Fragment
  | RefusalFields_SalePaused_Fragment
  | RefusalFields_SeatsGone_Fragment
  | RefusalFields_SeatsInOwnHold_Fragment
  | RefusalFields_SeatsTaken_Fragment
  | RefusalFields_TicketLimitReached_Fragment
  | RefusalFields_TooManyHolds_Fragment
  | RefusalFields_WheelchairSeatRequired_Fragment
;

export type PriceLevelFieldsFragment = { id: string, name: string, color: string | null, onSale: boolean, total: MoneyFieldsFragment, fee: MoneyFieldsFragment };

export type SectionFieldsFragment = { id: string, key: string, name: string, kind: SectionKind, capacity: number, layoutUrl: string, priceLevels: Array<PriceLevelFieldsFragment> };

export type EventPageFieldsFragment = { id: string, slug: string, name: string, performers: Array<string>, startsAt: string, timeZone: string, planWidth: number | null, planHeight: number | null, venue: { name: string, city: string | null }, appearance: { imageUrl: string | null, accentColor: string | null, presaleText: string | null, terms: string | null } | null, sale: SaleFieldsFragment, sections: Array<SectionFieldsFragment> };

export type SeatFieldsFragment = { id: string, key: string, index: number, row: string, number: string, x: number, y: number, priceLevelId: string, wheelchair: boolean, companionOf: string | null, rowIndex: number | null, rowLabel: string | null, run: number | null, runPosition: number | null };

export type PlanAreaFieldsFragment = { kind: PlanAreaKind, x: number, y: number, rotation: number, width: number | null, height: number | null, radiusX: number | null, radiusY: number | null, color: string | null, borderColor: string | null, feature: PlanFeature | null, sectionId: string | null, points: Array<{ x: number, y: number }>, text: { text: string, x: number, y: number, size: number, color: string | null } | null };

export type HallPlanFieldsFragment = { focus: { x: number, y: number } | null, areas: Array<PlanAreaFieldsFragment>, sections: Array<{ id: string, wheelchairSeats: number, outline: Array<{ x: number, y: number }> }> };

export type SectionAvailabilityFieldsFragment = { sectionId: string, version: number, asOf: string, statuses: string | null, available: number };

export type SectionUpdateFieldsFragment = { sectionId: string, version: number, previousVersion: number | null, asOf: string, available: number, snapshot: SectionAvailabilityFieldsFragment | null, changes: Array<{ index: number, status: SeatStatus }> };

export type HolderFieldsFragment = { accountId: string, seats: number, holds: number, holdsPaying: number, heldSince: string, heldUntil: string, address: string | null, addressSeats: number | null, device: string | null, deviceSeats: number | null, holdsMade: number, holdsUnpaid: number, tickets: number };

export type EventRefundFieldsFragment = { perSecond: number, finishedAt: string | null, refunded: number, left: number, refused: number, owed: MoneyFieldsFragment, returned: MoneyFieldsFragment };

type HoldRefusalFields_AccountNotVerified_Fragment = RefusalFields_AccountNotVerified_Fragment;

type HoldRefusalFields_AdmissionRequired_Fragment = RefusalFields_AdmissionRequired_Fragment;

type HoldRefusalFields_ChallengeRequired_Fragment = RefusalFields_ChallengeRequired_Fragment;

type HoldRefusalFields_CheckoutBusy_Fragment = RefusalFields_CheckoutBusy_Fragment;

type HoldRefusalFields_HoldInCheckout_Fragment = RefusalFields_HoldInCheckout_Fragment;

type HoldRefusalFields_HoldNotFound_Fragment = RefusalFields_HoldNotFound_Fragment;

type HoldRefusalFields_NotEnoughAvailable_Fragment = (
  { available: number }
  & RefusalFields_NotEnoughAvailable_Fragment
);

type HoldRefusalFields_NotSoldOut_Fragment = RefusalFields_NotSoldOut_Fragment;

type HoldRefusalFields_OrphanSeats_Fragment = (
  { stranded: Array<string> }
  & RefusalFields_OrphanSeats_Fragment
);

type HoldRefusalFields_PaymentDeclined_Fragment = RefusalFields_PaymentDeclined_Fragment;

type HoldRefusalFields_PlaceNotWaiting_Fragment = RefusalFields_PlaceNotWaiting_Fragment;

type HoldRefusalFields_PlaceOnOtherDevice_Fragment = RefusalFields_PlaceOnOtherDevice_Fragment;

type HoldRefusalFields_QueueNotOpen_Fragment = RefusalFields_QueueNotOpen_Fragment;

type HoldRefusalFields_SaleNotOpen_Fragment = (
  { opensAt: string }
  & RefusalFields_SaleNotOpen_Fragment
);

type HoldRefusalFields_SaleOver_Fragment = (
  { saleState: SaleState }
  & RefusalFields_SaleOver_Fragment
);

type HoldRefusalFields_SalePaused_Fragment = RefusalFields_SalePaused_Fragment;

type HoldRefusalFields_SeatsGone_Fragment = RefusalFields_SeatsGone_Fragment;

type HoldRefusalFields_SeatsInOwnHold_Fragment = (
  { seats: Array<string>, hold: HoldFieldsFragment }
  & RefusalFields_SeatsInOwnHold_Fragment
);

type HoldRefusalFields_SeatsTaken_Fragment = (
  { unavailable: Array<string>, alternatives: Array<Array<string>> }
  & RefusalFields_SeatsTaken_Fragment
);

type HoldRefusalFields_TicketLimitReached_Fragment = (
  { limit: number, used: number }
  & RefusalFields_TicketLimitReached_Fragment
);

type HoldRefusalFields_TooManyHolds_Fragment = (
  { scope: HoldLimitScope }
  & RefusalFields_TooManyHolds_Fragment
);

type HoldRefusalFields_WheelchairSeatRequired_Fragment = (
  { wheelchairSeats: Array<string> }
  & RefusalFields_WheelchairSeatRequired_Fragment
);

export type HoldRefusalFieldsFragment =
  | HoldRefusalFields_AccountNotVerified_Fragment
  | HoldRefusalFields_AdmissionRequired_Fragment
  | HoldRefusalFields_ChallengeRequired_Fragment
  | HoldRefusalFields_CheckoutBusy_Fragment
  | HoldRefusalFields_HoldInCheckout_Fragment
  | HoldRefusalFields_HoldNotFound_Fragment
  | HoldRefusalFields_NotEnoughAvailable_Fragment
  | HoldRefusalFields_NotSoldOut_Fragment
  | HoldRefusalFields_OrphanSeats_Fragment
  | HoldRefusalFields_PaymentDeclined_Fragment
  | HoldRefusalFields_PlaceNotWaiting_Fragment
  | HoldRefusalFields_PlaceOnOtherDevice_Fragment
  | HoldRefusalFields_QueueNotOpen_Fragment
  | HoldRefusalFields_SaleNotOpen_Fragment
  | HoldRefusalFields_SaleOver_Fragment
  | HoldRefusalFields_SalePaused_Fragment
  | HoldRefusalFields_SeatsGone_Fragment
  | HoldRefusalFields_SeatsInOwnHold_Fragment
  | HoldRefusalFields_SeatsTaken_Fragment
  | HoldRefusalFields_TicketLimitReached_Fragment
  | HoldRefusalFields_TooManyHolds_Fragment
  | HoldRefusalFields_WheelchairSeatRequired_Fragment
;

export type OrderOfEventFieldsFragment = (
  { event: { id: string, slug: string, name: string, startsAt: string, timeZone: string, venue: { name: string, city: string | null } } }
  & OrderFieldsFragment
);

const MoneyFields = 'fragment MoneyFields on Money{amount currency}'
const DrawFields = 'fragment DrawFields on Draw{commitment seed size beaconSource beacon}'
const WaitingRoomFields = 'fragment WaitingRoomFields on WaitingRoom{admittedUpTo admissionRate paused waiting inside enoughFor draw{...DrawFields}}'
const SaleFields = 'fragment SaleFields on Sale{state preQueueOpensAt opensAt endsAt ticketLimit holdSeconds seatPicking available held asOf sections{sectionId available}prices{priceLevelId available held}waitingRoom{...WaitingRoomFields}}'
const QueuePositionFields = 'fragment QueuePositionFields on QueuePosition{__typename eventId state queueToken arrival place position estimatedWaitSeconds outlook paused available held admission{token expiresAt}turnEndsAt pollAfterSeconds asOf}'
const SeatNameFields = 'fragment SeatNameFields on Seat{id row number wheelchair}'
const HoldItemFields = 'fragment HoldItemFields on HoldItem{section{id name}seat{...SeatNameFields}priceLevel{id name}total{...MoneyFields}}'
const HoldFields = 'fragment HoldFields on Hold{__typename id state expiresAt asOf total{...MoneyFields}order{id state}payments{provider publishableKey}items{...HoldItemFields}}'
const TicketFields = 'fragment TicketFields on Ticket{id voided barcode walletUrl section{id name}seat{...SeatNameFields priceLevelId}}'
const OrderFields = 'fragment OrderFields on Order{__typename id state payment declineReason placedAt hold{id}total{...MoneyFields}refunded{...MoneyFields}pdfUrl nextAction{url clientSecret expiresAt}tickets{...TicketFields}}'
const WaitlistEntryFields = 'fragment WaitlistEntryFields on WaitlistEntry{__typename id state quantity position odds{entriesAhead ticketsAhead seatsThatMayComeBack}hold{...HoldFields}}'
const RefusalFields = 'fragment RefusalFields on Refusal{__typename message retryAfterSeconds}'
const PriceLevelFields = 'fragment PriceLevelFields on PriceLevel{id name color onSale total{...MoneyFields}fee{...MoneyFields}}'
const SectionFields = 'fragment SectionFields on Section{id key name kind capacity layoutUrl priceLevels{...PriceLevelFields}}'
const EventPageFields = 'fragment EventPageFields on Event{id slug name performers startsAt timeZone planWidth planHeight venue{name city}appearance{imageUrl accentColor presaleText terms}sale{...SaleFields}sections{...SectionFields}}'
const SeatFields = 'fragment SeatFields on Seat{id key index row number x y priceLevelId wheelchair companionOf rowIndex rowLabel run runPosition}'
const PlanAreaFields = 'fragment PlanAreaFields on PlanArea{kind x y rotation width height radiusX radiusY points{x y}color borderColor text{text x y size color}feature sectionId}'
const HallPlanFields = 'fragment HallPlanFields on Event{focus{x y}areas{...PlanAreaFields}sections{id outline{x y}wheelchairSeats}}'
const SectionAvailabilityFields = 'fragment SectionAvailabilityFields on SectionAvailability{sectionId version asOf statuses available}'
const SectionUpdateFields = 'fragment SectionUpdateFields on SectionUpdate{sectionId version previousVersion asOf available snapshot{...SectionAvailabilityFields}changes{index status}}'
const HolderFields = 'fragment HolderFields on Holder{accountId seats holds holdsPaying heldSince heldUntil address addressSeats device deviceSeats holdsMade holdsUnpaid tickets}'
const EventRefundFields = 'fragment EventRefundFields on EventRefund{perSecond finishedAt refunded left refused owed{...MoneyFields}returned{...MoneyFields}}'
const HoldRefusalFields = 'fragment HoldRefusalFields on Refusal{...RefusalFields ...on SeatsTaken{unavailable alternatives}...on SeatsInOwnHold{seats hold{...HoldFields}}...on NotEnoughAvailable{available}...on OrphanSeats{stranded}...on WheelchairSeatRequired{wheelchairSeats}...on TicketLimitReached{limit used}...on TooManyHolds{scope}...on SaleNotOpen{opensAt}...on SaleOver{saleState}}'
const OrderOfEventFields = 'fragment OrderOfEventFields on Order{...OrderFields event{id slug name startsAt timeZone venue{name city}}}'

export const AccountStateDocument = /* @__PURE__ */ operation<AccountStateQuery, AccountStateQueryVariables>(
  'query AccountState($eventId:ID!){viewer{accountId holds(eventId:$eventId){...HoldFields}orders(eventId:$eventId first:10){edges{node{...OrderFields}}}waitlist(eventId:$eventId){id state quantity position}queuePosition(eventId:$eventId){...QueuePositionFields}}}' + HoldFields + MoneyFields + HoldItemFields + SeatNameFields + OrderFields + TicketFields + QueuePositionFields,
)

export const AvailabilityDocument = /* @__PURE__ */ operation<AvailabilityQuery, AvailabilityQueryVariables>(
  'query Availability($eventId:ID!$sectionId:ID!){event(id:$eventId){section(id:$sectionId){availability{...SectionAvailabilityFields}}}}' + SectionAvailabilityFields,
)

export const CheckoutDocument = /* @__PURE__ */ operation<CheckoutMutation, CheckoutMutationVariables>(
  'mutation Checkout($input:CheckoutInput!){checkout(input:$input){...OrderFields ...on PaymentDeclined{order{...OrderFields}}...on SeatsGone{order{...OrderFields}}...RefusalFields}}' + OrderFields + MoneyFields + TicketFields + SeatNameFields + RefusalFields,
)

export const CreateEventDocument = /* @__PURE__ */ operation<CreateEventMutation, CreateEventMutationVariables>(
  'mutation CreateEvent($input:CreateEventInput!){createEvent(input:$input){id slug}}', false,
)

export const EndTurnAlertsDocument = /* @__PURE__ */ operation<EndTurnAlertsMutation, EndTurnAlertsMutationVariables>(
  'mutation EndTurnAlerts($input:EndTurnAlertsInput!){endTurnAlerts(input:$input){mail}}',
)

export const EventPageDocument = /* @__PURE__ */ operation<EventPageQuery, EventPageQueryVariables>(
  'query EventPage($slug:String!){eventBySlug(slug:$slug){...EventPageFields}}' + EventPageFields + SaleFields + WaitingRoomFields + DrawFields + SectionFields + PriceLevelFields + MoneyFields,
)

export const EventRefundDocument = /* @__PURE__ */ operation<EventRefundQuery, EventRefundQueryVariables>(
  'query EventRefund($eventId:ID!){eventRefund(eventId:$eventId){...EventRefundFields}}' + EventRefundFields + MoneyFields,
)

export const ExchangeHoldDocument = /* @__PURE__ */ operation<ExchangeHoldMutation, ExchangeHoldMutationVariables>(
  'mutation ExchangeHold($input:ExchangeHoldInput!){exchangeHold(input:$input){...HoldFields ...HoldRefusalFields}}' + HoldFields + MoneyFields + HoldItemFields + SeatNameFields + HoldRefusalFields + RefusalFields,
)

export const HallPlanDocument = /* @__PURE__ */ operation<HallPlanQuery, HallPlanQueryVariables>(
  'query HallPlan($eventId:ID!){event(id:$eventId){...HallPlanFields}}' + HallPlanFields + PlanAreaFields,
)

export const HoldDocument = /* @__PURE__ */ operation<HoldMutation, HoldMutationVariables>(
  'mutation Hold($input:HoldInput!){hold(input:$input){...HoldFields ...HoldRefusalFields}}' + HoldFields + MoneyFields + HoldItemFields + SeatNameFields + HoldRefusalFields + RefusalFields,
)

export const HoldByIdDocument = /* @__PURE__ */ operation<HoldByIdQuery, HoldByIdQueryVariables>(
  'query HoldById($id:ID!){hold(id:$id){...HoldFields}}' + HoldFields + MoneyFields + HoldItemFields + SeatNameFields,
)

export const HoldUpdatedDocument = /* @__PURE__ */ operation<HoldUpdatedSubscription, HoldUpdatedSubscriptionVariables>(
  'subscription HoldUpdated($id:ID!){holdUpdated(id:$id){...HoldFields}}' + HoldFields + MoneyFields + HoldItemFields + SeatNameFields,
)

export const HoldersDocument = /* @__PURE__ */ operation<HoldersQuery, HoldersQueryVariables>(
  'query Holders($eventId:ID!$first:Int$after:String){holders(eventId:$eventId first:$first after:$after){edges{node{...HolderFields}}pageInfo{hasNextPage endCursor}}}' + HolderFields,
)

export const JoinQueueDocument = /* @__PURE__ */ operation<JoinQueueMutation, JoinQueueMutationVariables>(
  'mutation JoinQueue($input:JoinQueueInput!){joinQueue(input:$input){...QueuePositionFields ...on QueueNotOpen{opensAt}...on ChallengeRequired{challenge}...on SaleOver{saleState}...RefusalFields}}' + QueuePositionFields + RefusalFields,
)

export const JoinWaitlistDocument = /* @__PURE__ */ operation<JoinWaitlistMutation, JoinWaitlistMutationVariables>(
  'mutation JoinWaitlist($input:JoinWaitlistInput!){joinWaitlist(input:$input){...WaitlistEntryFields ...on NotSoldOut{available holdable{wish quantity together areaId seats}}...on TicketLimitReached{limit used}...on SaleOver{saleState}...RefusalFields}}' + WaitlistEntryFields + HoldFields + MoneyFields + HoldItemFields + SeatNameFields + RefusalFields,
)

export const LayoutDocument = /* @__PURE__ */ operation<LayoutQuery, LayoutQueryVariables>(
  'query Layout($eventId:ID!$sectionId:ID!){event(id:$eventId){section(id:$sectionId){layout{...SeatFields}}}}' + SeatFields,
)

export const LeaveQueueDocument = /* @__PURE__ */ operation<LeaveQueueMutation, LeaveQueueMutationVariables>(
  'mutation LeaveQueue($input:LeaveQueueInput!){leaveQueue(input:$input){...QueuePositionFields}}' + QueuePositionFields,
)

export const LeaveWaitlistDocument = /* @__PURE__ */ operation<LeaveWaitlistMutation, LeaveWaitlistMutationVariables>(
  'mutation LeaveWaitlist($input:LeaveWaitlistInput!){leaveWaitlist(input:$input){...WaitlistEntryFields}}' + WaitlistEntryFields + HoldFields + MoneyFields + HoldItemFields + SeatNameFields,
)

export const OrderByIdDocument = /* @__PURE__ */ operation<OrderByIdQuery, OrderByIdQueryVariables>(
  'query OrderById($id:ID!){order(id:$id){...OrderFields}}' + OrderFields + MoneyFields + TicketFields + SeatNameFields,
)

export const OrderUpdatedDocument = /* @__PURE__ */ operation<OrderUpdatedSubscription, OrderUpdatedSubscriptionVariables>(
  'subscription OrderUpdated($id:ID!){orderUpdated(id:$id){...OrderFields}}' + OrderFields + MoneyFields + TicketFields + SeatNameFields,
)

export const OrdersDocument = /* @__PURE__ */ operation<OrdersQuery, OrdersQueryVariables>(
  'query Orders{viewer{accountId orders(first:30){edges{node{...OrderOfEventFields}}}}}' + OrderOfEventFields + OrderFields + MoneyFields + TicketFields + SeatNameFields,
)

export const PushKeyDocument = /* @__PURE__ */ operation<PushKeyQuery, PushKeyQueryVariables>(
  'query PushKey{pushKey}',
)

export const QueuePositionDocument = /* @__PURE__ */ operation<QueuePositionQuery, QueuePositionQueryVariables>(
  'query QueuePosition($queueToken:String!){queuePosition(queueToken:$queueToken){...QueuePositionFields}}' + QueuePositionFields,
)

export const QueuePositionUpdatedDocument = /* @__PURE__ */ operation<QueuePositionUpdatedSubscription, QueuePositionUpdatedSubscriptionVariables>(
  'subscription QueuePositionUpdated($queueToken:String!){queuePosition(queueToken:$queueToken){...QueuePositionFields}}' + QueuePositionFields,
)

export const ReconciliationDocument = /* @__PURE__ */ operation<ReconciliationQuery, ReconciliationQueryVariables>(
  'query Reconciliation($eventId:ID!){reconciliation(eventId:$eventId){asOf ok capacity available held sold notForSale tickets ordersConfirmed ordersPaying captured{...MoneyFields}findings{kind subject detail}}}' + MoneyFields,
)

export const RefundEventDocument = /* @__PURE__ */ operation<RefundEventMutation, RefundEventMutationVariables>(
  'mutation RefundEvent($input:RefundEventInput!){refundEvent(input:$input){...EventRefundFields}}' + EventRefundFields + MoneyFields,
)

export const ReleaseHoldDocument = /* @__PURE__ */ operation<ReleaseHoldMutation, ReleaseHoldMutationVariables>(
  'mutation ReleaseHold($input:ReleaseHoldInput!){releaseHold(input:$input){...HoldFields ...RefusalFields}}' + HoldFields + MoneyFields + HoldItemFields + SeatNameFields + RefusalFields,
)

export const ReleaseHoldsDocument = /* @__PURE__ */ operation<ReleaseHoldsMutation, ReleaseHoldsMutationVariables>(
  'mutation ReleaseHolds($input:ReleaseHoldsInput!){releaseHolds(input:$input){released seats inCheckout}}',
)

export const RequestTurnAlertsDocument = /* @__PURE__ */ operation<RequestTurnAlertsMutation, RequestTurnAlertsMutationVariables>(
  'mutation RequestTurnAlerts($input:RequestTurnAlertsInput!){requestTurnAlerts(input:$input){__typename ...on TurnAlerts{mail browsers}}}',
)

export const SaleDocument = /* @__PURE__ */ operation<SaleQuery, SaleQueryVariables>(
  'query Sale($eventId:ID!){event(id:$eventId){sale{...SaleFields}}}' + SaleFields + WaitingRoomFields + DrawFields,
)

export const SaleUpdatedDocument = /* @__PURE__ */ operation<SaleUpdatedSubscription, SaleUpdatedSubscriptionVariables>(
  'subscription SaleUpdated($eventId:ID!){saleUpdated(eventId:$eventId){...SaleFields}}' + SaleFields + WaitingRoomFields + DrawFields,
)

export const SeatSectionDocument = /* @__PURE__ */ operation<SeatSectionSubscription, SeatSectionSubscriptionVariables>(
  'subscription SeatSection($eventId:ID!$sectionId:ID!){seatSection(eventId:$eventId sectionId:$sectionId){...SectionUpdateFields}}' + SectionUpdateFields + SectionAvailabilityFields,
)

export const UpdateEventDocument = /* @__PURE__ */ operation<UpdateEventMutation, UpdateEventMutationVariables>(
  'mutation UpdateEvent($input:UpdateEventInput!){updateEvent(input:$input){id slug}}',
)

export const WaitlistEntryByIdDocument = /* @__PURE__ */ operation<WaitlistEntryByIdQuery, WaitlistEntryByIdQueryVariables>(
  'query WaitlistEntryById($id:ID!){node(id:$id){__typename ...WaitlistEntryFields}}' + WaitlistEntryFields + HoldFields + MoneyFields + HoldItemFields + SeatNameFields,
)

export const WaitlistUpdatedDocument = /* @__PURE__ */ operation<WaitlistUpdatedSubscription, WaitlistUpdatedSubscriptionVariables>(
  'subscription WaitlistUpdated($id:ID!){waitlistUpdated(id:$id){...WaitlistEntryFields}}' + WaitlistEntryFields + HoldFields + MoneyFields + HoldItemFields + SeatNameFields,
)
