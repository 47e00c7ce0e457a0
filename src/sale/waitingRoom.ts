import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import type { Database } from '../sql/database.ts'
import { findPlace, leavePlace, movePlace, readTurn, retakePlace, type Turn } from '../sql/places.ts'
import { changeRoom } from '../sql/rooms.ts'
import type { Admissions } from './admission.ts'
import type { Account, Caller } from './caller.ts'
import { changes } from './changes.ts'
import type { Clock } from './clock.ts'
import { accountDigest, deviceDigest } from './digests.ts'
import { badInput, Fault, overloaded, queueTokenInvalid, unauthenticated } from './faults.ts'
import { createPacer, type Tick } from './pacer.ts'
import { createPlaces } from './places.ts'
import {
  estimateWait,
  isCalled,
  isPaused,
  type PositionView,
  pollAfter,
  pollBeforeOpening,
  type QueueState,
  type RoomView,
  roughWait,
  toRoomView,
  updateEveryMs,
} from './position.ts'
import { AccountNotVerified, PlaceOnOtherDevice, QueueNotOpen, SaleOver } from './refusals.ts'
import { placeOf, type Room, type Rooms } from './rooms.ts'
import type { Sales, SaleView } from './sales.ts'
import type { QueueClaims, Tokens } from './tokens.ts'

export type { PositionView, QueueState, RoomView, Tick }

export interface JoinInput {
  readonly eventId: string
  readonly challenge?: string | null
  readonly moveHere?: boolean | null
}

export interface WaitingRoom {
  /**
   * The account's place in the line, a new one or the one it has, journalled before this answers. A place that is
   * over is replaced by a new one at the end. Where the sale has no waiting room, or has it turned off, the answer
   * is OPEN, with an arrival of 0 and no place: everybody may begin here.
   *
   * Throws UNAUTHENTICATED, BAD_USER_INPUT without a device or for an unknown event, and OVERLOADED while the
   * queue's Redis or database is away.
   */
  join(
    caller: Caller,
    input: JoinInput,
  ): Promise<PositionView | QueueNotOpen | SaleOver | AccountNotVerified | PlaceOnOtherDevice>
  /**
   * The place that a queue token stands for. Of one who waits it is told from memory. Where the turn has come it is
   * taken, which needs the account: without one the place stays WAITING, with the end of its turn.
   *
   * Throws QUEUE_TOKEN_INVALID, and OVERLOADED where the turn cannot be taken now.
   */
  position(queueToken: string, caller: Caller): Promise<PositionView>
  /**
   * The position now, then each second near the front, less often far back, and at once when something happens.
   * Ends with the place. `onAdmission` is told each admission before it is delivered.
   */
  positionUpdates(
    queueToken: string,
    caller: Caller,
    onAdmission?: (eventId: string, token: string) => void,
  ): Promise<AsyncIterableIterator<PositionView>>
  /** Gives the place back, and its admission. Leaving twice changes nothing. Throws QUEUE_TOKEN_INVALID. */
  leave(queueToken: string, caller: Caller): Promise<PositionView>
  /** The account's place, without taking its turn; null without one, and on another device. */
  ofAccount(caller: Caller, eventId: string): Promise<PositionView | null>
  /** The room's public state; null where the event has none. */
  room(eventId: string): Promise<RoomView | null>
  /** The pacer, run each second. See pacer.ts. */
  tick(eventId: string): Promise<Tick | null>
  /** Places a second at most, and paused or not: in force at the next tick, everywhere. */
  setAdmission(
    eventId: string,
    change: { rate?: number | null; paused?: boolean | null },
  ): Promise<RoomView | null>
}

export interface WaitingRoomDeps {
  db: Database
  queueDb: Database
  queueRedis: Redis
  sales: Sales
  rooms: Rooms
  admissions: Admissions
  tokens: Tokens
  clock: Clock
  log: Logger
}

/** An admission may be stretched by a hold or ended by a purchase at any time, in another process. */
const LOOK_INSIDE_MS = 10_000
/** Over: a socket hears nothing more. */
const LAST_STATES: ReadonlySet<QueueState> = new Set(['LAPSED', 'FINISHED', 'ENDED'])

/** What is told of a place besides what is the same for every state. */
type Standing = Pick<PositionView, 'state'> &
  Partial<
    Pick<PositionView, 'place' | 'position' | 'estimatedWaitSeconds' | 'admission' | 'turnEndsAt'> & {
      pollAfterSeconds: number
    }
  >

export function createWaitingRoom(deps: WaitingRoomDeps): WaitingRoom {
  const { db, queueDb, queueRedis, sales, rooms, admissions, tokens, clock, log } = deps
  const places = createPlaces({ queueDb, queueRedis, log })
  const tick = createPacer({ db, queueDb, sales, rooms, places })

  /** Nobody joins and nobody is let in while a store is away; where the trouble is, the log tells. */
  async function failingClosed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (error instanceof Fault) throw error
      log.error({ err: error }, 'the queue is closed')
      throw overloaded(2 + Math.floor(Math.random() * 4))
    }
  }

  async function claimsOf(queueToken: string, { account, deviceId }: Caller): Promise<QueueClaims> {
    const claims = await tokens.verifyQueueToken(queueToken)
    if (!claims || deviceId === null) throw queueTokenInvalid()
    if (account && account.id !== claims.accountId) throw queueTokenInvalid()
    if (!isSame(claims.device, deviceDigest(deviceId))) throw queueTokenInvalid()
    return claims
  }

  async function saleOf({ eventId }: QueueClaims): Promise<SaleView> {
    const sale = await sales.find(eventId)
    if (!sale) throw queueTokenInvalid()
    return sale
  }

  async function roomOf(eventId: string): Promise<Room> {
    const room = await rooms.room(eventId)
    if (!room) throw new Error(`event ${eventId} has no room`)
    return room
  }

  // ---------------------------------------------------------------- where a place stands

  /** `account` null: the turn is not taken. */
  async function standing(
    claims: QueueClaims,
    sale: SaleView,
    room: Room | null,
    account: Account | null,
  ): Promise<Standing> {
    const change = room?.changed.get(claims.arrival)
    if (change && !isSame(change.device, claims.device)) throw queueTokenInvalid()
    if (change?.hasLeft) return { state: 'FINISHED' }
    if (sale.state === 'ENDED') return { state: 'ENDED' }
    if (!sale.waitingRoom) return { state: sale.state === 'SOLD_OUT' ? 'SOLD_OUT' : 'OPEN' }
    // Such a token was given where there was no room: it is no place in this one.
    if (!room || claims.arrival === 0) throw queueTokenInvalid()
    if (sale.state === 'SCHEDULED' || sale.state === 'PRE_QUEUE') {
      const toOpening = sale.opensAt.getTime() - (await clock.now()).getTime()
      return { state: 'PRE_QUEUE', pollAfterSeconds: pollBeforeOpening(toOpening) }
    }
    const place = placeOf(room, claims.arrival)
    if (isCalled(room, claims.arrival)) return { place, ...(await called(claims, place, sale, account)) }
    if (sale.state === 'SOLD_OUT') return { state: 'SOLD_OUT', place }
    return {
      state: 'WAITING',
      place,
      position: place - room.admittedUpTo,
      estimatedWaitSeconds: estimateWait(sale, room, place),
      pollAfterSeconds: pollAfter(roughWait(room, place)),
    }
  }

  async function called(
    claims: QueueClaims,
    place: number,
    sale: SaleView,
    account: Account | null,
  ): Promise<Standing> {
    const { eventId, accountId, arrival } = claims
    const row = await failingClosed(() => admissions.find(eventId, accountId))
    // An admission of a later place: this one is long over.
    if (row && row.arrival > arrival) return { state: 'FINISHED' }
    if (row?.arrival === arrival && row.state === 'ENDED') return { state: 'FINISHED' }
    if (sale.state === 'SOLD_OUT') return { state: 'SOLD_OUT' }
    if (row?.arrival === arrival) return inside(claims, row)

    const turn = await failingClosed(() => readTurn(queueDb, eventId, { arrival, place }))
    if (!turn || !isSame(turn.device, claims.device)) throw queueTokenInvalid()
    if (turn.hasLeft) return { state: 'FINISHED' }
    const turnEndsAt = endOfTurn(turn, sale)
    // The log of calls is behind what this process was told only where another copy of the database took over.
    if (!turnEndsAt) return { state: 'WAITING' }
    if (turnEndsAt <= (await clock.now())) return { state: 'LAPSED' }
    if (!account) return { state: 'WAITING', turnEndsAt, pollAfterSeconds: pollAfter(0) }
    return inside(
      claims,
      await failingClosed(async () => {
        // The row alone could be written without the queue's Redis; but while that is away nobody is let in.
        await queueRedis.ping()
        return admissions.admit({ ...claims, place }, sale.admissionSeconds)
      }),
    )
  }

  async function inside(
    claims: QueueClaims,
    row: Awaited<ReturnType<Admissions['admit']>>,
  ): Promise<Standing> {
    if (row.state === 'ENDED') return { state: 'FINISHED' }
    if (row.state === 'EXPIRED') return { state: 'LAPSED' }
    if (!isSame(row.device, claims.device)) throw queueTokenInvalid()
    return { state: 'ADMITTED', admission: await admissions.token(row) }
  }

  async function view(
    queueToken: string,
    claims: QueueClaims,
    account: Account | null,
    known?: SaleView,
  ): Promise<PositionView> {
    const sale = known ?? (await saleOf(claims))
    const { eventId } = claims
    const room = sale.waitingRoom ? await failingClosed(() => roomOf(eventId)) : rooms.known(eventId)
    const found = await standing(claims, sale, room, account)
    return {
      eventId,
      queueToken,
      arrival: claims.arrival,
      place: null,
      position: null,
      estimatedWaitSeconds: null,
      paused: isPaused(sale, room),
      available: sale.counts.available,
      held: sale.counts.held,
      admission: null,
      turnEndsAt: null,
      pollAfterSeconds: pollAfter(null),
      asOf: room?.asOf ?? (await clock.now()),
      ...found,
    }
  }

  // ---------------------------------------------------------------- joining

  /** A place is over when it was given up, or its turn or admission has gone by. Before the opening none is. */
  async function isOver(
    sale: SaleView,
    room: Room,
    accountId: string,
    { arrival, hasLeft }: { arrival: number; hasLeft: boolean },
  ): Promise<boolean> {
    if (sale.state === 'PRE_QUEUE') return false
    if (hasLeft) return true
    if (!isCalled(room, arrival)) return false
    const row = await admissions.find(sale.eventId, accountId)
    if (row && row.arrival > arrival) return true
    if (row?.arrival === arrival) return row.state !== 'ALIVE'
    const turn = await readTurn(queueDb, sale.eventId, { arrival, place: placeOf(room, arrival) })
    const endsAt = turn && endOfTurn(turn, sale)
    return endsAt !== null && endsAt <= (await clock.now())
  }

  async function takePlace(
    sale: SaleView,
    account: Account,
    device: Uint8Array<ArrayBuffer>,
    moveHere: boolean,
  ): Promise<QueueClaims | PlaceOnOtherDevice> {
    const { eventId } = sale
    const room = await roomOf(eventId)
    const own = await places.take(eventId, accountDigest(eventId, account.id), device, (place) =>
      isOver(sale, room, account.id, place),
    )
    const claims: QueueClaims = { eventId, accountId: account.id, device, arrival: own.arrival }
    if (own.hasLeft) {
      await retakePlace(queueDb, eventId, own.arrival, device)
    } else if (isSame(own.device, device)) {
      // Where a move was cut short, the place is here and its admission is not.
      if (isCalled(room, own.arrival)) await admissions.move(claims)
      return claims
    } else {
      if (!moveHere) return new PlaceOnOtherDevice()
      if (!(await movePlace(queueDb, eventId, own.arrival, device))) {
        throw new Error('the place was given up while it was to move')
      }
      await admissions.move(claims)
    }
    rooms.tellPlace(eventId, own.arrival, { device, hasLeft: false })
    return claims
  }

  const waitingRoom: WaitingRoom = {
    async join({ account, deviceId }, { eventId, moveHere }) {
      if (!account) throw unauthenticated()
      if (!deviceId) {
        throw badInput({ path: ['Device-Id'], message: 'a place is bound to a device: send a Device-Id' })
      }
      const sale = await sales.find(eventId)
      if (!sale) throw badInput({ path: ['input', 'eventId'], message: 'there is no such event' })
      if (!account.emailVerified) return new AccountNotVerified()
      if (sale.state === 'ENDED' || sale.state === 'SOLD_OUT') return new SaleOver(sale.state)
      const now = await clock.now()
      if (now < sale.preQueueOpensAt) {
        return new QueueNotOpen(sale.preQueueOpensAt, secondsUntil(sale.preQueueOpensAt, now))
      }
      const device = new Uint8Array(deviceDigest(deviceId))
      const claims = sale.waitingRoom
        ? await failingClosed(() => takePlace(sale, account, device, moveHere ?? false))
        : { eventId, accountId: account.id, device, arrival: 0 }
      if (claims instanceof PlaceOnOtherDevice) return claims
      return view(await tokens.signQueueToken(claims), claims, account, sale)
    },

    async position(queueToken, caller) {
      return view(queueToken, await claimsOf(queueToken, caller), caller.account)
    },

    async positionUpdates(queueToken, caller, onAdmission = () => {}) {
      const claims = await claimsOf(queueToken, caller)
      const { eventId, arrival } = claims
      let last: PositionView | undefined
      let dueAt = 0
      const isDue = () =>
        last === undefined ||
        performance.now() >= dueAt ||
        (last.state === 'WAITING' && last.turnEndsAt === null && hasComeUp())
      const hasComeUp = () => {
        const room = rooms.known(eventId)
        return room !== null && isCalled(room, arrival)
      }
      return changes({
        listen(wake) {
          const stopSale = sales.onChange(eventId, wake)
          const stopRoom = rooms.onNews(eventId, (news) => {
            if (news === 'everybody') wake()
            else if (news === 'tick' ? isDue() : news.arrival === arrival) wake()
          })
          return () => {
            stopSale()
            stopRoom()
          }
        },
        async read() {
          last = await view(queueToken, claims, caller.account)
          dueAt = performance.now() + nextUpdateMs(last)
          if (last.admission) onAdmission(eventId, last.admission.token)
          return last
        },
        isLast: ({ state }) => LAST_STATES.has(state),
        backstopMs: (sent) => (sent ? Math.min(nextUpdateMs(sent) + 1_000, msToEnd(sent)) : 1_000),
      })

      /** A little less than whole seconds, so that the tick that falls due is not missed by a hair. */
      function nextUpdateMs({ place, state, turnEndsAt }: PositionView): number {
        const room = rooms.known(eventId)
        if (state === 'ADMITTED' || turnEndsAt) return LOOK_INSIDE_MS
        const wait = state === 'WAITING' && room && place !== null ? roughWait(room, place) : null
        return updateEveryMs(wait) - 200
      }

      function msToEnd({ admission, turnEndsAt, asOf }: PositionView): number {
        const end = admission?.expiresAt ?? turnEndsAt
        return end ? Math.max(100, end.getTime() - asOf.getTime()) : Number.POSITIVE_INFINITY
      }
    },

    async leave(queueToken, caller) {
      const claims = await claimsOf(queueToken, caller)
      const { eventId, arrival, device } = claims
      const before = await view(queueToken, claims, null)
      if (arrival === 0) return before
      await failingClosed(async () => {
        if (!(await leavePlace(queueDb, eventId, arrival, device))) throw queueTokenInvalid()
        await admissions.end(claims)
      })
      rooms.tellPlace(eventId, arrival, { device, hasLeft: true })
      return view(queueToken, claims, null)
    },

    async ofAccount({ account, deviceId }, eventId) {
      if (!account || deviceId === null) return null
      const sale = await sales.find(eventId)
      if (!sale?.waitingRoom) return null
      const place = await failingClosed(() => findPlace(queueDb, eventId, accountDigest(eventId, account.id)))
      const device = new Uint8Array(deviceDigest(deviceId))
      if (!place || !isSame(place.device, device)) return null
      const claims: QueueClaims = { eventId, accountId: account.id, device, arrival: place.arrival }
      return view(await tokens.signQueueToken(claims), claims, null, sale)
    },

    async room(eventId) {
      const [sale, room] = await Promise.all([sales.find(eventId), rooms.room(eventId)])
      return sale && room && toRoomView(sale, room)
    },

    tick,

    async setAdmission(eventId, change) {
      if (!(await changeRoom(queueDb, eventId, change))) return null
      rooms.tellRoom(eventId)
      await rooms.refresh(eventId)
      return waitingRoom.room(eventId)
    },
  }
  return waitingRoom
}

function endOfTurn({ calledAt }: Turn, { turnSeconds }: SaleView): Date | null {
  return calledAt && new Date(calledAt.getTime() + turnSeconds * 1_000)
}

function secondsUntil(at: Date, now: Date): number {
  return Math.max(1, Math.ceil((at.getTime() - now.getTime()) / 1_000))
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0
}
