import {
  type GraphQLObjectType,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/resolvers/schema.ts'
import type { AskOptions } from '../support/client.ts'
import { insertEvent } from '../support/event.ts'
import { type Json, testServer } from '../support/server.ts'

/**
 * Which caller may read or send what:
 *
 *     public      every caller
 *     account     a caller with a valid token of an account
 *     own         the account that it belongs to; for every other caller it does not exist
 *     token       the bearer of a queue token, on its device
 *     admission   a fan with an admission, where the sale has a waiting room
 *     organizer, ops, organizerOrOps   an account with the role
 *
 * By class: each type with its fields, each field with its arguments. An input type has the class of the field that takes it.
 */
const CLASSIFIED: Record<string, Record<string, string>> = {
  public: {
    Query: 'event(id) eventBySlug(slug) events(after,first,near,search,startsAfter) pushKey sandbox',
    Sandbox: 'cards isOut',
    SandboxCard: 'paymentMethod result',
    Subscription: 'saleUpdated(eventId)',
    NearInput: 'km latitude longitude',
    Node: 'id',
    Draw: 'beacon beaconSource commitment seed size',
    Event:
      'appearance areas focus id name performers planHeight planWidth sale section(id) sections slug startsAt timeZone venue',
    EventAppearance: 'accentColor imageUrl presaleText terms',
    EventConnection: 'edges pageInfo',
    EventEdge: 'cursor node',
    Money: 'amount currency',
    PageInfo: 'endCursor hasNextPage hasPreviousPage startCursor',
    PaymentSettings: 'provider publishableKey',
    PlanArea:
      'borderColor color feature height kind points radiusX radiusY rotation sectionId text width x y',
    PlanText: 'color size text x y',
    Point: 'x y',
    PriceCount: 'available held priceLevelId',
    PriceLevel: 'color fee id key name onSale price total',
    Sale: 'asOf available endsAt eventId held holdSeconds id opensAt payments preQueueOpensAt prices seatPicking sections state ticketLimit waitingRoom',
    Seat: 'across companionOf id index key number priceLevelId radius rank ring row rowIndex rowLabel rowLabels run runPosition seatLabel wheelchair x y',
    Section: 'capacity id key kind layout layoutUrl name outline priceLevels wheelchairSeats',
    SectionCount: 'available sectionId',
    Venue: 'city latitude longitude name',
    WaitingRoom: 'admissionRate admittedUpTo draw enoughFor eventId inside paused waiting',
    Refusal: 'message retryAfterSeconds',
    AccountNotVerified: 'message retryAfterSeconds',
    AdmissionRequired: 'message retryAfterSeconds',
    ChallengeRequired: 'challenge message retryAfterSeconds',
    CheckoutBusy: 'message retryAfterSeconds',
    HoldableWish: 'areaId quantity seats together wish',
    HoldInCheckout: 'message retryAfterSeconds',
    HoldNotFound: 'message retryAfterSeconds',
    NotEnoughAvailable: 'available message retryAfterSeconds',
    NotSoldOut: 'available holdable message retryAfterSeconds',
    OrphanSeats: 'message retryAfterSeconds stranded',
    PlaceNotWaiting: 'message retryAfterSeconds',
    PlaceOnOtherDevice: 'message retryAfterSeconds',
    QueueNotOpen: 'message opensAt retryAfterSeconds',
    SaleNotOpen: 'message opensAt retryAfterSeconds',
    SaleOver: 'message retryAfterSeconds saleState',
    SalePaused: 'message retryAfterSeconds',
    SeatsTaken: 'alternatives message retryAfterSeconds unavailable',
    TooManyHolds: 'message retryAfterSeconds scope',
    WheelchairSeatRequired: 'message retryAfterSeconds wheelchairSeats',
  },
  admission: {
    Section: 'availability',
    Subscription: 'seatSection(eventId,sectionId)',
    SeatChange: 'index status',
    SectionAvailability: 'asOf available sectionId statuses version',
    SectionUpdate: 'asOf available changes previousVersion sectionId snapshot version',
  },
  token: {
    Query: 'queuePosition(queueToken)',
    Mutation: 'endTurnAlerts(input) leaveQueue(input)',
    EndTurnAlertsInput: 'queueToken',
    Subscription: 'queuePosition(queueToken)',
    LeaveQueueInput: 'queueToken',
    Admission: 'expiresAt token',
    TurnAlerts: 'browsers eventId mail',
    QueuePosition:
      'admission arrival asOf available estimatedWaitSeconds eventId held outlook paused place pollAfterSeconds position queueToken state turnEndsAt',
  },
  account: {
    Mutation: 'hold(input) joinQueue(input) joinWaitlist(input) requestTurnAlerts(input)',
    PushSubscriptionInput: 'auth endpoint key p256dh',
    RequestTurnAlertsInput: 'locale mail push queueToken',
    BestAvailableInput: 'priceLevelId quantity sectionId together',
    GeneralAdmissionInput: 'quantity sectionId',
    HoldInput: 'eventId idempotencyKey selection',
    HoldSelection: 'bestAvailable generalAdmission seats',
    JoinQueueInput: 'challenge eventId moveHere',
    JoinWaitlistInput: 'acceptFewer eventId orElse priceLevelId quantity sectionId together wheelchairSeats',
    TicketLimitReached: 'limit message retryAfterSeconds used',
    WaitlistAlternativeInput: 'priceLevelId sectionId',
  },
  own: {
    Query: 'hold(id) node(id) order(id) viewer',
    Mutation: 'checkout(input) exchangeHold(input) leaveWaitlist(input) releaseHold(input)',
    Subscription: 'holdUpdated(id) orderUpdated(id) waitlistUpdated(id)',
    CheckoutInput: 'email holdId idempotencyKey locale paymentMethod provider',
    ExchangeHoldInput: 'holdId idempotencyKey selection',
    LeaveWaitlistInput: 'id',
    ReleaseHoldInput: 'holdId',
    Hold: 'asOf event expiresAt id items order payments state total',
    HoldItem: 'priceLevel seat section total',
    Order:
      'declineReason event hold id items nextAction payment pdfUrl placedAt refunded state tickets total',
    OrderConnection: 'edges pageInfo',
    OrderEdge: 'cursor node',
    PaymentAction: 'clientSecret expiresAt url',
    PaymentDeclined: 'message order retryAfterSeconds',
    SeatsGone: 'message order retryAfterSeconds',
    SeatsInOwnHold: 'hold message retryAfterSeconds seats',
    Ticket: 'barcode id order seat section voided walletUrl',
    Viewer: 'accountId holds(eventId) orders(after,eventId,first) queuePosition(eventId) waitlist(eventId)',
    WaitlistEntry: 'event hold id odds position quantity state',
    WaitlistOdds: 'entriesAhead seatsThatMayComeBack ticketsAhead',
  },
  organizer: {
    Mutation: 'createEvent(input)',
    BestSeatsInput: 'categories near',
    CreateEventInput:
      'appearance bestSeats currency generalAdmission name notForSale performers prices sale seatingPlan slug startsAt timeZone venue',
    EventAppearanceInput: 'accentColor imageUrl presaleText terms',
    GeneralAdmissionAreaInput: 'capacity key name outline',
    PointInput: 'x y',
    PriceInput: 'category fee price',
    SaleInput:
      'admissionRate admissionSeconds allowOrphanSeats beaconSource challenge endsAt heldPerAddress heldPerDevice holdSeconds holdsPerMinute opensAt paymentMinutes preQueueOpensAt returnFees seatPicking shoppersPerOrder ticketLimit turnSeconds unpaidHolds waitingRoom',
    VenueInput: 'city latitude longitude name',
  },
  organizerOrOps: {
    Mutation:
      'blockSeats(input) changeEventOwners(input) revealBeacon(input) unblockSeats(input) updateEvent(input) updateSale(input)',
    BlockSeatsInput: 'eventId reason seats',
    BlockSeatsPayload: 'changed refused',
    ChangeEventOwnersInput: 'add eventId remove',
    EventOwnersPayload: 'eventId owners',
    RevealBeaconInput: 'beacon eventId',
    UpdateEventInput: 'appearance eventId name performers venue',
    UpdateVenueInput: 'city name',
    UpdateSaleInput:
      'challenge endsAt eventId heldPerAddress heldPerDevice opensAt paused preQueueOpensAt prices returnFees seatPicking ticketLimit waitingRoom',
  },
  ops: {
    Query:
      'auditTrail(after,eventId,first) deadLetters(after,failedAfter,failedBefore,first,queue) eventRefund(eventId) holders(after,eventId,first) reconciliation(eventId)',
    Mutation:
      'discardDeadLetters(input) endPayment(input) refundEvent(input) refundOrder(input) releaseHolds(input) replayDeadLetters(input) setAdmission(input) setSandboxOutage(isOut)',
    EndPaymentInput: 'orderId reason',
    EventRefund: 'event finishedAt left owed perSecond reason refunded refused returned startedAt',
    RefundEventInput: 'eventId perSecond reason',
    EndPaymentPayload: 'orderId payment state',
    Subscription: 'saleMetrics(eventId)',
    AuditConnection: 'edges pageInfo',
    AuditEdge: 'cursor node',
    AuditEntry: 'accountId action at detail id subject',
    DeadLetter: 'attempts data error failedAt id job queue replays',
    DeadLetterConnection: 'edges pageInfo',
    DeadLetterEdge: 'cursor node',
    DeadLetterRefusal: 'deadLetterId reason',
    DeadLetterWindowInput: 'failedAfter failedBefore perSecond queue',
    DeadLettersInput: 'ids window',
    DiscardDeadLettersInput: 'ids reason',
    DiscardDeadLettersPayload: 'discarded refused',
    Finding: 'detail kind subject',
    Holder:
      'accountId address addressSeats device deviceSeats heldSince heldUntil holds holdsMade holdsPaying holdsUnpaid seats tickets',
    HolderConnection: 'edges pageInfo',
    HolderEdge: 'cursor node',
    HolderInput: 'account address device',
    ReleaseHoldsInput: 'eventId holder reason',
    ReleaseHoldsPayload: 'inCheckout released seats',
    ReplayDeadLettersPayload: 'refused replayed',
    Reconciliation:
      'asOf available capacity captured eventId findings held notForSale ok ordersConfirmed ordersPaying sold tickets',
    RefundOrderInput: 'idempotencyKey orderId reason ticketIds',
    SaleMetrics:
      'admissionsPerSecond asOf available checkoutP99Ms checkoutsPerSecond held holdsPerSecond holdsRefusedPerSecond inside rate rateCeiling rateReason sold waiting',
    SetAdmissionInput: 'eventId paused rate',
  },
}

const classOf = new Map<string, string>()
for (const [kind, types] of Object.entries(CLASSIFIED))
  for (const [type, fields] of Object.entries(types))
    for (const field of fields.split(' ')) classOf.set(`${type}.${field}`, kind)

test('every field, argument and input of the schema is classified', () => {
  const found: string[] = []
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue
    if (isInputObjectType(type)) for (const name in type.getFields()) found.push(`${type.name}.${name}`)
    if (isObjectType(type) || isInterfaceType(type))
      for (const { name, args } of Object.values(type.getFields())) {
        const given = args.map((arg) => arg.name).sort()
        found.push(`${type.name}.${name}${given.length > 0 ? `(${given.join(',')})` : ''}`)
      }
  }
  expect([...classOf.keys()].sort()).toEqual(found.sort())
})

test('a public field returns public data only', () => {
  const isPublic = (name: string) => Object.hasOwn(CLASSIFIED.public as object, name)
  for (const [coordinate, kind] of classOf) {
    const [type = '', field = ''] = coordinate.split(/[.(]/)
    const owner = schema.getType(type)
    if (kind !== 'public' || !isObjectType(owner)) continue
    const returned = getNamedType((owner as GraphQLObjectType).getFields()[field]?.type)
    expect([coordinate, isLeafType(returned) || isPublic(String(returned))]).toEqual([coordinate, true])
  }
})

const server = await testServer()
const { ask, token, app } = server
const open = await insertEvent(app.db, { sections: [{ seats: 40 }] })
const tiny = await insertEvent(app.db, { sections: [{ seats: 1 }], waitingRoom: false })
const room = await insertEvent(app.db, { sections: [{ seats: 40 }], waitingRoom: true, rate: 0 })
const DEVICE = 'device-a'

const owner = await token('owner')
const callers = {
  anonymous: {},
  badToken: { token: 'forged.token.here', device: DEVICE },
  owner: { token: owner, device: DEVICE },
  stranger: { token: await token('stranger'), device: 'device-b' },
  organizer: { token: await token('olga', { roles: ['organizer'] }) },
  ops: { token: await token('otto', { roles: ['ops'] }) },
} satisfies Record<string, AskOptions>
type Caller = keyof typeof callers
const CALLERS = Object.keys(callers) as Caller[]

async function holdOf(eventId: string, seat: string): Promise<string> {
  const input = { eventId, idempotencyKey: seat, selection: { seats: [seat] } }
  const { data } = await ask(
    'mutation ($input: HoldInput!) { hold(input: $input) { ... on Hold { id } } }',
    { input },
    callers.owner,
  )
  return data.hold.id
}

const hold = await holdOf(open.id, open.seatId(1))
const bought = await ask(
  `mutation ($input: CheckoutInput!) { checkout(input: $input) { ... on Order { id state tickets { id } } } }`,
  {
    input: {
      holdId: await holdOf(tiny.id, tiny.seatId(1)),
      paymentMethod: 'pm_card_visa',
      idempotencyKey: 'pay',
      email: 'owner@example.com',
    },
  },
  callers.owner,
)
const order = bought.data.checkout
const joined = await ask(
  'mutation ($input: JoinQueueInput!) { joinQueue(input: $input) { ... on QueuePosition { queueToken } } }',
  { input: { eventId: room.id } },
  callers.owner,
)
const { queueToken } = joined.data.joinQueue
await ask(
  'mutation ($input: SetAdmissionInput!) { setAdmission(input: $input) { eventId } }',
  { input: { eventId: room.id, rate: 0 } },
  callers.ops,
)
const audit = (await ask('{ auditTrail { edges { node { id } } } }', {}, callers.ops)).data.auditTrail
  .edges[0].node.id
await app.sales.refresh(tiny.id)
const entry = (
  await ask(
    'mutation ($input: JoinWaitlistInput!) { joinWaitlist(input: $input) { __typename ... on WaitlistEntry { id } } }',
    { input: { eventId: tiny.id, quantity: 1 } },
    callers.owner,
  )
).data.joinWaitlist.id

const LETTER = `dl_${'0'.repeat(32)}`
await app.db.pool.query(
  `insert into dead_letters (id, queue, job, job_id, data, error, attempts, failed_at)
   values ($1, 'none', 'none', '1', '{}', 'none', 1, now())`,
  [LETTER],
)

const window = { failedAfter: '2026-01-01T00:00:00Z', failedBefore: '2026-01-02T00:00:00Z' }
const wrong = 'x'
/** For each root field an operation that changes nothing that the next caller needs. */
const OPERATIONS: Record<string, [arguments_: object, selection?: string]> = {
  'Query.event': [{ id: open.id }, 'id sections { id }'],
  'Query.eventBySlug': [{ slug: open.slug }, 'id'],
  'Query.events': [{}, 'edges { cursor }'],
  'Query.viewer': [{}, 'accountId'],
  'Query.hold': [{ id: hold }, 'id'],
  'Query.order': [{ id: order.id }, 'id'],
  'Query.node': [{ id: hold }, 'id'],
  'Query.queuePosition': [{ queueToken }, 'state'],
  'Query.auditTrail': [{}, 'edges { cursor }'],
  'Query.deadLetters': [{}, 'edges { cursor }'],
  'Query.holders': [{ eventId: tiny.id }, 'edges { cursor }'],
  'Query.reconciliation': [{ eventId: tiny.id }, 'ok'],
  'Mutation.hold': [
    { input: { eventId: room.id, idempotencyKey: 'k', selection: { seats: [room.seatId(1)] } } },
  ],
  'Mutation.joinQueue': [{ input: { eventId: open.id } }],
  'Mutation.joinWaitlist': [{ input: { eventId: open.id, quantity: 1 } }],
  'Mutation.checkout': [{ input: { holdId: hold, paymentMethod: 'pm_card_declined', idempotencyKey: '' } }],
  'Mutation.exchangeHold': [{ input: { holdId: wrong, idempotencyKey: 'k', selection: { seats: [wrong] } } }],
  'Mutation.releaseHold': [{ input: { holdId: wrong } }],
  'Mutation.leaveWaitlist': [{ input: { id: wrong } }],
  'Mutation.leaveQueue': [{ input: { queueToken: wrong } }],
  'Query.pushKey': [{}, ''],
  'Mutation.requestTurnAlerts': [{ input: { queueToken: wrong } }],
  'Mutation.endTurnAlerts': [{ input: { queueToken: wrong } }],
  'Mutation.updateEvent': [{ input: { eventId: wrong } }, 'id'],
  'Mutation.blockSeats': [{ input: { eventId: wrong, seats: [wrong], reason: 'r' } }],
  'Mutation.unblockSeats': [{ input: { eventId: wrong, seats: [wrong], reason: 'r' } }],
  'Mutation.createEvent': [
    {
      input: {
        ...{
          slug: 'NO SLUG',
          name: 'n',
          startsAt: window.failedAfter,
          timeZone: 'UTC',
          venue: { name: 'v' },
        },
        ...{ prices: [], currency: 'EUR', sale: { opensAt: window.failedAfter } },
      },
    },
  ],
  'Mutation.changeEventOwners': [{ input: { eventId: wrong, add: [], remove: [] } }, 'eventId'],
  'Mutation.updateSale': [{ input: { eventId: wrong } }],
  'Mutation.revealBeacon': [{ input: { eventId: wrong, beacon: 'b' } }],
  'Mutation.setAdmission': [{ input: { eventId: wrong } }],
  'Query.sandbox': [{}, 'isOut'],
  'Mutation.setSandboxOutage': [{ isOut: false }, 'isOut'],
  'Mutation.endPayment': [{ input: { orderId: wrong, reason: 'r' } }],
  'Query.eventRefund': [{ eventId: open.id }],
  'Mutation.refundEvent': [{ input: { eventId: wrong, reason: 'r' } }],
  'Mutation.refundOrder': [{ input: { orderId: wrong, reason: 'r', idempotencyKey: 'k' } }],
  'Mutation.releaseHolds': [
    { input: { eventId: tiny.id, holder: { account: wrong }, reason: 'r' } },
    'released',
  ],
  'Mutation.replayDeadLetters': [{ input: { ids: [] } }],
  'Mutation.discardDeadLetters': [{ input: { ids: [], reason: 'r' } }],
  'Subscription.saleUpdated': [{ eventId: open.id }],
  'Subscription.seatSection': [{ eventId: room.id, sectionId: room.sectionId(1) }],
  'Subscription.queuePosition': [{ queueToken }, 'state'],
  'Subscription.holdUpdated': [{ id: hold }, 'id'],
  'Subscription.orderUpdated': [{ id: order.id }, 'id'],
  'Subscription.waitlistUpdated': [{ id: entry }, 'id'],
  'Subscription.saleMetrics': [{ eventId: open.id }],
}

interface Outcome {
  readonly code: string | undefined
  /** The value of the root field. */
  readonly value: Json
}

async function run(coordinate: string, caller: Caller): Promise<Outcome> {
  const [type = '', name = ''] = coordinate.split('.')
  const field = (schema.getType(type) as GraphQLObjectType).getFields()[name]
  const [given, selection = '__typename'] = OPERATIONS[coordinate] as [object, string?]
  const used = (field?.args ?? []).filter((arg) => arg.name in given)
  const head = used.length > 0 ? `(${used.map((arg) => `$${arg.name}: ${arg.type}`).join(', ')})` : ''
  const args = used.length > 0 ? `(${used.map((arg) => `${arg.name}: $${arg.name}`).join(', ')})` : ''
  const query = `${type.toLowerCase()} ${head} { ${name}${args} ${selection && `{ ${selection} }`} }`
  if (type !== 'Subscription') {
    const { data, errors } = await ask(query, given, callers[caller])
    return { code: errors?.[0]?.extensions.code, value: data?.[name] ?? null }
  }
  const { token: account, device } = callers[caller] as AskOptions
  const socket = server.socket({
    ...(account && { authorization: `Bearer ${account}` }),
    ...(device && { deviceId: device }),
  })
  return new Promise((resolve) => {
    const leave = socket.subscribe(
      { query, variables: given as Record<string, unknown> },
      {
        next({ data, errors }) {
          resolve({ code: errors?.[0]?.extensions?.code as string, value: (data as Json)?.[name] ?? null })
          leave()
        },
        // A forged token ends the socket at its greeting: 4403.
        error: (errors) =>
          resolve({
            code: Array.isArray(errors) ? errors[0].extensions.code : `closed ${(errors as Json).code}`,
            value: null,
          }),
        complete: () => resolve({ code: undefined, value: null }),
      },
    )
  })
}

const NO_ACCOUNT: Caller[] = ['anonymous', 'badToken']
const refusals = ['UNAUTHENTICATED', 'FORBIDDEN', 'closed 4403']

/** Returns what the class demands of a caller: a code, or 'served', or 'nothing' for data that does not exist for the caller. */
function demanded(kind: string, caller: Caller): string {
  if (kind === 'public') return 'served'
  // The device and the token suffice: a forged token of an account counts as none.
  if (kind === 'token') return ['owner', 'badToken'].includes(caller) ? 'served' : 'QUEUE_TOKEN_INVALID'
  if (kind === 'admission') return 'ADMISSION_REQUIRED'
  if (NO_ACCOUNT.includes(caller)) return 'UNAUTHENTICATED'
  if (kind === 'account') return 'served'
  if (kind === 'own') return caller === 'owner' ? 'served' : 'nothing'
  const roles = kind === 'organizerOrOps' ? ['organizer', 'ops'] : [kind]
  return roles.includes(caller) ? 'served' : 'FORBIDDEN'
}

const rootFields = [...classOf].flatMap(([coordinate, kind]) => {
  const [field = ''] = coordinate.split('(')
  return /^(Query|Mutation|Subscription)\./.test(field) ? [[field, kind] as const] : []
})

describe('each root field serves each kind of caller as its class says', () => {
  test.each(rootFields)('%s is for: %s', async (coordinate, kind) => {
    for (const caller of CALLERS) {
      const { code, value } = await run(coordinate, caller)
      let outcome =
        code !== undefined && (refusals.includes(code) || /TOKEN_INVALID|ADMISSION/.test(code))
          ? code
          : 'served'
      // Another account's data: null, or the answer for data that does not exist.
      if (
        kind === 'own' &&
        caller !== 'owner' &&
        outcome === 'served' &&
        (value === null || value.__typename === 'HoldNotFound')
      )
        outcome = 'nothing'
      let wanted = demanded(kind, caller)
      // A socket refuses a forged token at its greeting.
      if (coordinate.startsWith('Subscription.') && caller === 'badToken') wanted = 'closed 4403'
      // These read the caller's own data, or find nothing to refuse.
      if (coordinate === 'Query.viewer')
        wanted = caller === 'anonymous' ? 'nothing' : caller === 'badToken' ? 'UNAUTHENTICATED' : 'served'
      if (coordinate === 'Query.node') wanted = caller === 'owner' ? 'served' : 'nothing'
      if (/\.(leaveQueue|endTurnAlerts)$/.test(coordinate)) wanted = 'QUEUE_TOKEN_INVALID'
      if (coordinate === 'Mutation.requestTurnAlerts' && wanted === 'served') wanted = 'QUEUE_TOKEN_INVALID'
      expect([coordinate, caller, outcome]).toEqual([coordinate, caller, wanted])
    }
  })
})

describe('each type of node exists for each kind of caller as its class says', () => {
  const event = open.id
  const nodes: Record<string, string> = {
    Event: event,
    Sale: event.replace('evt_', 'sal_'),
    Section: open.sectionId(1),
    Seat: open.seatId(1),
    PriceLevel: open.sectionId(1).replace('sec_', 'lvl_'),
    Hold: hold,
    Order: order.id,
    Ticket: order.tickets[0].id,
    WaitlistEntry: entry,
    AuditEntry: audit,
    DeadLetter: LETTER,
  }

  test('every type of node is here', () => {
    const types = schema.getPossibleTypes(schema.getType('Node') as never).map(({ name }) => name)
    expect(Object.keys(nodes).sort()).toEqual(types.sort())
  })

  test.each(Object.entries(nodes))('%s', async (type, id) => {
    const kind = classOf.get(`${type}.id`)
    for (const caller of CALLERS) {
      const { data, errors } = await ask(
        'query ($id: ID!) { node(id: $id) { __typename id } }',
        { id },
        callers[caller],
      )
      expect(errors).toBeUndefined()
      const exists =
        kind === 'public' || (kind === 'own' && caller === 'owner') || (kind === 'ops' && caller === 'ops')
      expect([caller, data.node]).toEqual([caller, exists ? { __typename: type, id } : null])
    }
  })
})

test('the map of a section needs an admission of the account, event and device', async () => {
  for (const caller of CALLERS) {
    const { data, errors } = await ask(
      'query ($id: ID!) { event(id: $id) { sections { id availability { available } } } }',
      { id: room.id },
      callers[caller],
    )
    expect(data.event.sections[0].availability).toBeNull()
    expect(errors?.[0]?.extensions.code).toBe('ADMISSION_REQUIRED')
  }
})

test('a queue token serves its account on its device only', async () => {
  const read = (options: AskOptions) =>
    ask(
      'query ($queueToken: String!) { queuePosition(queueToken: $queueToken) { state } }',
      { queueToken },
      options,
    )
  expect((await read({ device: DEVICE })).errors).toBeUndefined()
  for (const other of [
    {},
    { device: 'device-b' },
    { token: owner, device: 'device-b' },
    { ...callers.stranger, device: DEVICE },
  ])
    expect((await read(other)).errors?.[0]?.extensions.code).toBe('QUEUE_TOKEN_INVALID')
})
