// The types of schema/schema.graphql that clients use. Instants are RFC 3339 text.

export interface Money {
  /** Minor units (ISO 4217). */
  amount: number
  currency: string
}

export type SaleState = 'SCHEDULED' | 'PRE_QUEUE' | 'ON_SALE' | 'PAUSED' | 'SOLD_OUT' | 'ENDED'

export interface WaitingRoomState {
  admittedUpTo: number
  admissionRate: number
  paused: boolean
  waiting: number
  inside: number
  /** The number of places that the seats left will serve. */
  enoughFor: number
  draw: Draw
}

/** The public data that proves a place in the draw; see docs/draw.md. */
export interface Draw {
  /** Hexadecimal. Fans note it before the sale opens. */
  commitment: string
  /** Hexadecimal; null before the draw. */
  seed: string | null
  /** Number of fans in the draw; null before the line is frozen. */
  size: number | null
  beaconSource: string | null
  beacon: string
}

export interface Sale {
  state: SaleState
  preQueueOpensAt: string
  opensAt: string
  endsAt: string | null
  ticketLimit: number
  holdSeconds: number
  seatPicking: boolean
  available: number
  held: number
  sections: { sectionId: string; available: number }[]
  /** What is left of each price level; null where it cannot be told. */
  prices: { priceLevelId: string; available: number | null; held: number | null }[]
  asOf: string
  waitingRoom: WaitingRoomState | null
}

export interface PriceLevel {
  id: string
  name: string
  color: string | null
  total: Money
  fee: Money
}

export interface Section {
  id: string
  key: string
  name: string
  kind: 'SEATED' | 'GENERAL_ADMISSION'
  capacity: number
  priceLevels: PriceLevel[]
  outline: { x: number; y: number }[]
  layoutUrl: string
}

export interface EventPage {
  id: string
  slug: string
  name: string
  performers: string[]
  appearance: {
    imageUrl: string | null
    accentColor: string | null
    presaleText: string | null
    terms: string | null
  } | null
  venue: { name: string; city: string | null }
  startsAt: string
  timeZone: string
  planWidth: number | null
  planHeight: number | null
  sale: Sale
  sections: Section[]
}

export interface Seat {
  id: string
  key: string
  index: number
  row: string
  number: string
  x: number
  y: number
  priceLevelId: string
  wheelchair: boolean
  companionOf: string | null
}

export interface SectionAvailability {
  sectionId: string
  version: number
  asOf: string
  /** Base64 of two bits a seat; null while only counts are known. */
  statuses: string | null
  available: number
}

export type SeatStatusName = 'AVAILABLE' | 'HELD' | 'SOLD' | 'NOT_FOR_SALE'

export interface SectionUpdate {
  sectionId: string
  version: number
  previousVersion: number | null
  asOf: string
  available: number
  snapshot: SectionAvailability | null
  changes: { index: number; status: SeatStatusName }[]
}

export type QueueState =
  | 'PRE_QUEUE'
  | 'WAITING'
  | 'ADMITTED'
  | 'LAPSED'
  | 'FINISHED'
  | 'OPEN'
  | 'SOLD_OUT'
  | 'ENDED'

export interface QueuePosition {
  __typename: 'QueuePosition'
  eventId: string
  state: QueueState
  queueToken: string
  arrival: number
  place: number | null
  position: number | null
  estimatedWaitSeconds: number | null
  outlook: 'ESTIMATED' | 'PAUSED' | 'RATE_UNKNOWN' | 'ALL_HELD' | 'MAY_NOT_REACH' | null
  paused: boolean
  available: number
  held: number
  admission: { token: string; expiresAt: string } | null
  turnEndsAt: string | null
  pollAfterSeconds: number
  asOf: string
}

/** An expected refusal. `retryAfterSeconds`: after this the same request can succeed; null: never. */
export interface Refused<Name extends string> {
  __typename: Name
  message: string
  retryAfterSeconds: number | null
}

export type JoinResult =
  | QueuePosition
  | (Refused<'QueueNotOpen'> & { opensAt: string })
  | Refused<'PlaceOnOtherDevice'>
  | Refused<'AccountNotVerified'>
  | (Refused<'ChallengeRequired'> & { challenge: { kind?: string } })
  | (Refused<'SaleOver'> & { saleState: SaleState })

export interface HoldItem {
  section: { id: string; name: string }
  seat: Pick<Seat, 'id' | 'row' | 'number' | 'wheelchair'> | null
  priceLevel: { id: string; name: string }
  total: Money
}

export type HoldState = 'ACTIVE' | 'EXPIRED' | 'RELEASED' | 'SOLD'

export interface Hold {
  __typename: 'Hold'
  id: string
  state: HoldState
  items: HoldItem[]
  total: Money
  expiresAt: string
  order: { id: string; state: OrderState } | null
  /** The provider to which the payment method of a checkout must belong. */
  payments: { provider: string; publishableKey: string | null }
  asOf: string
}

export type HoldRefusal =
  | (Refused<'SeatsTaken'> & { unavailable: string[]; alternatives: string[][] })
  | (Refused<'NotEnoughAvailable'> & { available: number })
  | (Refused<'OrphanSeats'> & { stranded: string[] })
  | (Refused<'WheelchairSeatRequired'> & { wheelchairSeats: string[] })
  | (Refused<'TicketLimitReached'> & { limit: number; used: number })
  | (Refused<'TooManyHolds'> & { scope: 'ACCOUNT' | 'DEVICE' | 'ADDRESS' })
  | Refused<'AdmissionRequired'>
  | (Refused<'SaleNotOpen'> & { opensAt: string })
  | Refused<'SalePaused'>
  | (Refused<'SaleOver'> & { saleState: SaleState })

export type HoldResult = Hold | HoldRefusal

export type ReleaseResult = Hold | Refused<'HoldNotFound'> | Refused<'HoldInCheckout'>

/** Exactly one of the fields is set. */
export interface HoldSelection {
  seats?: string[]
  bestAvailable?: { quantity: number; sectionId?: string; priceLevelId?: string; together?: boolean }
  generalAdmission?: { sectionId: string; quantity: number }
}

export type OrderState = 'PAYING' | 'CONFIRMED' | 'DECLINED' | 'SEATS_GONE' | 'CANCELLED'
export type PaymentState =
  | 'NONE'
  | 'AUTHORIZED'
  | 'CAPTURED'
  | 'VOIDED'
  | 'PARTIALLY_REFUNDED'
  | 'REFUNDED'
  | 'REFUND_OWED'
export type DeclineReason =
  | 'INSUFFICIENT_FUNDS'
  | 'CARD_EXPIRED'
  | 'AUTHENTICATION_FAILED'
  | 'TRY_LATER'
  | 'OTHER'

export interface Ticket {
  id: string
  section: { id: string; name: string }
  seat: Pick<Seat, 'id' | 'row' | 'number' | 'wheelchair' | 'priceLevelId'> | null
  barcode: string | null
  voided: boolean
}

export interface Order {
  __typename: 'Order'
  id: string
  state: OrderState
  payment: PaymentState
  hold: { id: string }
  total: Money
  tickets: Ticket[]
  declineReason: DeclineReason | null
  nextAction: { url: string | null; clientSecret: string | null; expiresAt: string } | null
  placedAt: string
}

export type CheckoutResult =
  | Order
  | (Refused<'PaymentDeclined'> & { order: Order })
  | (Refused<'SeatsGone'> & { order: Order })
  | Refused<'HoldNotFound'>
  | Refused<'CheckoutBusy'>

export type WaitlistState = 'WAITING' | 'OFFERED' | 'FULFILLED' | 'LAPSED' | 'LEFT'

export interface WaitlistEntry {
  __typename: 'WaitlistEntry'
  id: string
  state: WaitlistState
  quantity: number
  /** Number of entries ahead that could take the same seats, plus one; null after the offer. */
  position: number | null
  /** Null unless the entry waits. */
  odds: {
    entriesAhead: number
    ticketsAhead: number
    /** Null: unknown. */
    seatsThatMayComeBack: number | null
  } | null
  hold: Hold | null
}

/** Null: any section, any price level. */
export interface WaitlistWish {
  quantity: number
  sectionId?: string | null
  priceLevelId?: string | null
  /** Alternatives, in order. */
  orElse?: readonly { sectionId?: string | null; priceLevelId?: string | null }[] | null
  /** Seats side by side only. */
  together?: boolean | null
  /** How many of `quantity` are wheelchair seats; the others are companion seats of these. */
  wheelchairSeats?: number
  acceptFewer?: boolean
}

export type JoinWaitlistResult =
  | WaitlistEntry
  | (Refused<'NotSoldOut'> & {
      available: number
      /** The hold that can succeed; null: the sale is not open yet. */
      holdable: {
        wish: number
        quantity: number
        together: boolean
        areaId: string | null
        seats: string[]
      } | null
    })
  | Refused<'AdmissionRequired'>
  | (Refused<'TicketLimitReached'> & { limit: number; used: number })
  | (Refused<'SaleOver'> & { saleState: SaleState })

/** One account's holds, orders, waitlist entries and place at one event. */
export interface AccountState {
  accountId: string
  holds: Hold[]
  orders: Order[]
  /** Newest first. The seats of an offer are among the holds. */
  waitlist: Pick<WaitlistEntry, 'id' | 'state' | 'quantity' | 'position'>[]
  queuePosition: QueuePosition | null
}

export interface Reconciliation {
  asOf: string
  ok: boolean
  capacity: number
  available: number
  held: number
  sold: number
  notForSale: number
  tickets: number
  ordersConfirmed: number
  ordersPaying: number
  captured: Money
  findings: { kind: string; subject: string; detail: string }[]
}

/** An account with live holds, for ops. */
export interface Holder {
  accountId: string
  seats: number
  holds: number
  holdsPaying: number
  heldSince: string
  heldUntil: string
  /** A digest, the same for all holders at the address. */
  address: string | null
  addressSeats: number | null
  device: string | null
  deviceSeats: number | null
  holdsMade: number
  holdsUnpaid: number
  tickets: number
}

/** Exactly one field is set. */
export type HolderInput = { account: string } | { address: string } | { device: string }

export interface ReleasedHolds {
  released: number
  seats: number
  inCheckout: number
}
