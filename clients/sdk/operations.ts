import { operation } from './operation.ts'
import type {
  AccountState,
  CheckoutResult,
  EventPage,
  Hold,
  HoldResult,
  HoldSelection,
  JoinResult,
  JoinWaitlistResult,
  Order,
  QueuePosition,
  ReleaseResult,
  Sale,
  Seat,
  SectionAvailability,
  SectionUpdate,
  WaitlistEntry,
  WaitlistWish,
} from './schema.ts'

const MONEY = 'amount currency'

const SALE = `
  state preQueueOpensAt opensAt endsAt ticketLimit holdSeconds seatPicking available held asOf
  sections { sectionId available } prices { priceLevelId available held }
  waitingRoom { admittedUpTo admissionRate paused waiting inside enoughFor draw { commitment seed size beaconSource beacon } }`

const POSITION = `
  __typename eventId state queueToken arrival place position estimatedWaitSeconds outlook paused available held
  admission { token expiresAt } turnEndsAt pollAfterSeconds asOf`

const SEAT = 'id row number wheelchair'

const HOLD = `
  __typename id state expiresAt asOf total { ${MONEY} } order { id state } payments { provider publishableKey }
  items { section { id name } seat { ${SEAT} } priceLevel { id name } total { ${MONEY} } }`

const ORDER = `
  __typename id state payment declineReason placedAt hold { id } total { ${MONEY} }
  nextAction { url clientSecret expiresAt }
  tickets { id voided barcode section { id name } seat { ${SEAT} priceLevelId } }`

const ENTRY = `__typename id state quantity position
  odds { entriesAhead ticketsAhead seatsThatMayComeBack } hold { ${HOLD} }`

const REFUSAL = '... on Refusal { __typename message retryAfterSeconds }'

export const readEventPage = operation<{ eventBySlug: EventPage | null }, { slug: string }>(`
  query EventPage($slug: String!) {
    eventBySlug(slug: $slug) {
      id slug name performers startsAt timeZone planWidth planHeight
      venue { name city }
      appearance { imageUrl accentColor presaleText terms }
      sale { ${SALE} }
      sections {
        id key name kind capacity layoutUrl
        outline { x y }
        priceLevels { id name color total { ${MONEY} } fee { ${MONEY} } }
      }
    }
  }`)

export const readSale = operation<{ event: { sale: Sale } | null }, { eventId: string }>(`
  query Sale($eventId: ID!) { event(id: $eventId) { sale { ${SALE} } } }`)

export const watchSale = operation<{ saleUpdated: Sale }, { eventId: string }>(`
  subscription SaleUpdated($eventId: ID!) { saleUpdated(eventId: $eventId) { ${SALE} } }`)

export const readAccountState = operation<
  {
    viewer:
      | (Omit<AccountState, 'orders'> & {
          orders: { edges: { node: Order }[] }
        })
      | null
  },
  { eventId: string }
>(`
  query AccountState($eventId: ID!) {
    viewer {
      accountId
      holds(eventId: $eventId) { ${HOLD} }
      orders(eventId: $eventId, first: 10) { edges { node { ${ORDER} } } }
      waitlist(eventId: $eventId) { id state quantity position }
      queuePosition(eventId: $eventId) { ${POSITION} }
    }
  }`)

export const joinQueue = operation<
  { joinQueue: JoinResult },
  { input: { eventId: string; challenge?: string; moveHere?: boolean } }
>(`
  mutation JoinQueue($input: JoinQueueInput!) {
    joinQueue(input: $input) {
      ... on QueuePosition { ${POSITION} }
      ... on QueueNotOpen { opensAt }
      ... on ChallengeRequired { challenge }
      ... on SaleOver { saleState }
      ${REFUSAL}
    }
  }`)

export const leaveQueue = operation<{ leaveQueue: QueuePosition }, { input: { queueToken: string } }>(`
  mutation LeaveQueue($input: LeaveQueueInput!) { leaveQueue(input: $input) { ${POSITION} } }`)

export const readPosition = operation<{ queuePosition: QueuePosition }, { queueToken: string }>(`
  query QueuePosition($queueToken: String!) { queuePosition(queueToken: $queueToken) { ${POSITION} } }`)

export const watchPosition = operation<{ queuePosition: QueuePosition }, { queueToken: string }>(`
  subscription QueuePositionUpdated($queueToken: String!) {
    queuePosition(queueToken: $queueToken) { ${POSITION} }
  }`)

export const readAvailability = operation<
  { event: { section: { availability: SectionAvailability | null } | null } | null },
  { eventId: string; sectionId: string }
>(`
  query Availability($eventId: ID!, $sectionId: ID!) {
    event(id: $eventId) {
      section(id: $sectionId) { availability { sectionId version asOf statuses available } }
    }
  }`)

export const readLayout = operation<
  { event: { section: { layout: Seat[] } | null } | null },
  { eventId: string; sectionId: string }
>(`
  query Layout($eventId: ID!, $sectionId: ID!) {
    event(id: $eventId) {
      section(id: $sectionId) { layout { id key index row number x y priceLevelId wheelchair companionOf } }
    }
  }`)

export const watchSection = operation<
  { seatSection: SectionUpdate },
  { eventId: string; sectionId: string }
>(`
  subscription SeatSection($eventId: ID!, $sectionId: ID!) {
    seatSection(eventId: $eventId, sectionId: $sectionId) {
      sectionId version previousVersion asOf available
      snapshot { sectionId version asOf statuses available }
      changes { index status }
    }
  }`)

export const hold = operation<
  { hold: HoldResult },
  { input: { eventId: string; selection: HoldSelection; idempotencyKey: string } }
>(`
  mutation Hold($input: HoldInput!) {
    hold(input: $input) {
      ... on Hold { ${HOLD} }
      ... on SeatsTaken { unavailable alternatives }
      ... on NotEnoughAvailable { available }
      ... on OrphanSeats { stranded }
      ... on WheelchairSeatRequired { wheelchairSeats }
      ... on TicketLimitReached { limit used }
      ... on TooManyHolds { scope }
      ... on SaleNotOpen { opensAt }
      ... on SaleOver { saleState }
      ${REFUSAL}
    }
  }`)

export const releaseHold = operation<{ releaseHold: ReleaseResult }, { input: { holdId: string } }>(`
  mutation ReleaseHold($input: ReleaseHoldInput!) {
    releaseHold(input: $input) { ... on Hold { ${HOLD} } ${REFUSAL} }
  }`)

export const readHold = operation<{ hold: Hold | null }, { id: string }>(`
  query HoldById($id: ID!) { hold(id: $id) { ${HOLD} } }`)

export const watchHold = operation<{ holdUpdated: Hold }, { id: string }>(`
  subscription HoldUpdated($id: ID!) { holdUpdated(id: $id) { ${HOLD} } }`)

export const checkout = operation<
  { checkout: CheckoutResult },
  {
    input: {
      holdId: string
      paymentMethod: string
      provider?: string
      email?: string
      idempotencyKey: string
    }
  }
>(`
  mutation Checkout($input: CheckoutInput!) {
    checkout(input: $input) {
      ... on Order { ${ORDER} }
      ... on PaymentDeclined { order { ${ORDER} } }
      ... on SeatsGone { order { ${ORDER} } }
      ${REFUSAL}
    }
  }`)

export const readOrder = operation<{ order: Order | null }, { id: string }>(`
  query OrderById($id: ID!) { order(id: $id) { ${ORDER} } }`)

export const watchOrder = operation<{ orderUpdated: Order }, { id: string }>(`
  subscription OrderUpdated($id: ID!) { orderUpdated(id: $id) { ${ORDER} } }`)

export const joinWaitlist = operation<
  { joinWaitlist: JoinWaitlistResult },
  { input: { eventId: string } & WaitlistWish }
>(`
  mutation JoinWaitlist($input: JoinWaitlistInput!) {
    joinWaitlist(input: $input) {
      ... on WaitlistEntry { ${ENTRY} }
      ... on NotSoldOut { available holdable { wish quantity together areaId seats } }
      ... on TicketLimitReached { limit used }
      ... on SaleOver { saleState }
      ${REFUSAL}
    }
  }`)

export const leaveWaitlist = operation<{ leaveWaitlist: WaitlistEntry }, { input: { id: string } }>(`
  mutation LeaveWaitlist($input: LeaveWaitlistInput!) { leaveWaitlist(input: $input) { ${ENTRY} } }`)

export const readWaitlistEntry = operation<{ node: WaitlistEntry | null }, { id: string }>(`
  query WaitlistEntryById($id: ID!) { node(id: $id) { ... on WaitlistEntry { ${ENTRY} } } }`)

export const watchWaitlistEntry = operation<{ waitlistUpdated: WaitlistEntry }, { id: string }>(`
  subscription WaitlistUpdated($id: ID!) { waitlistUpdated(id: $id) { ${ENTRY} } }`)
