import type { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { createBatchedWork } from '../../async/eventLoop.ts'
import type { Database } from '../../sql/database.ts'
import { findPlace, leavePlace, movePlace, retakePlace } from '../../sql/places.ts'
import { changeRoom } from '../../sql/rooms.ts'
import type { Admissions } from '../admission/admissions.ts'
import type { Account, Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { badInput, Fault, queueTokenInvalid, requestInProgress, unauthenticated } from '../faults.ts'
import type { Door, Entry } from '../joinGuard/joinGuard.ts'
import { createPacer, type PacerDeps, type Tick } from '../pacer/pacer.ts'
import {
  AccountNotVerified,
  ChallengeRequired,
  PlaceOnOtherDevice,
  QueueNotOpen,
  SaleOver,
  secondsUntil,
} from '../refusals.ts'
import type { Room } from '../room/room.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales, SaleView } from '../sales/sales.ts'
import { accountDigest, deviceDigest, isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims, Tokens } from '../tokens/tokens.ts'
import { createFailClosed } from './failClosed.ts'
import { createOpening } from './opening.ts'
import { createPlaces } from './places.ts'
import {
  isCalled,
  isPaused,
  type PositionView,
  pollAfter,
  type QueueState,
  type RoomView,
  toRoomView,
} from './position.ts'
import { positionUpdates } from './positionUpdates.ts'
import { createQueueStates, type Standing } from './queueState.ts'

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
   * Throws UNAUTHENTICATED, BAD_USER_INPUT without a device or for an unknown event, OVERLOADED while the queue's
   * Redis or database is away, RATE_LIMITED, and REQUEST_IN_PROGRESS while other devices of the account keep moving the place.
   */
  join(
    caller: Caller,
    input: JoinInput,
  ): Promise<
    PositionView | QueueNotOpen | SaleOver | AccountNotVerified | ChallengeRequired | PlaceOnOtherDevice
  >
  /**
   * The place that a queue token stands for. Of one who waits it is told from memory. Where the turn has come it is
   * taken, which needs the account: without one the place stays WAITING, with the end of its turn.
   *
   * Throws QUEUE_TOKEN_INVALID, and OVERLOADED where the turn cannot be taken now.
   */
  position(queueToken: string, caller: Caller): Promise<PositionView>
  /** The same without waiting, of one who waits and where all that takes is fresh in memory; null where only `position` can tell. */
  fresh(queueToken: string, caller: Caller): PositionView | null
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
  /**
   * The account's place, without taking its turn; null without one, and on another device. Where the room was turned off
   * it is OPEN.
   *
   * Throws OVERLOADED while the queue's database is away; where the room is off, null then: nobody waits for anything.
   */
  ofAccount(caller: Caller, eventId: string): Promise<PositionView | null>
  /** The room's public state; null where the event has none. */
  room(eventId: string): Promise<RoomView | null>
  /** Why this public randomness cannot be given to the draw now, as a message; null where it can, or was already. */
  beaconFault(eventId: string, beacon: string): Promise<string | null>
  /** Gives the public randomness that the draw waits for, once: the draw is made. Throws BAD_USER_INPUT as above. */
  revealBeacon(eventId: string, beacon: string): Promise<RoomView>
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
  roomDb: Database
  roomRedis: Redis
  sales: Sales
  rooms: Rooms
  admissions: Admissions
  tokens: Tokens
  door: Door
  clock: Clock
  load: PacerDeps['load']
  log: Logger
}

/** Two devices that move a place at once are one round each. */
const JOIN_ROUNDS = 2

export function createWaitingRoom(deps: WaitingRoomDeps): WaitingRoom {
  const { db, roomDb, roomRedis, sales, rooms, admissions, tokens, clock, load, log } = deps
  const places = createPlaces({ roomDb, roomRedis, log })
  const opening = createOpening({ db, roomDb, sales, rooms, log })
  const tick = createPacer({ db, roomDb, sales, rooms, places, opening, load, log })
  const failClosed = createFailClosed(log)
  const turns = createBatchedWork()
  const standings = createQueueStates({ roomDb, roomRedis, admissions, opening, clock, failClosed })

  function claimsOf(queueToken: string, { account, deviceId }: Caller): QueueClaims {
    const claims = tokens.verifyQueueToken(queueToken)
    if (!claims || deviceId === null) throw queueTokenInvalid()
    if (account && account.id !== claims.accountId) throw queueTokenInvalid()
    if (!isSameDigest(claims.device, deviceDigest(deviceId))) throw queueTokenInvalid()
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

  async function view(
    queueToken: string,
    claims: QueueClaims,
    account: Account | null,
    known?: SaleView,
  ): Promise<PositionView> {
    const { eventId } = claims
    const sale = known ?? (await saleOf(claims))
    const inMemory = rooms.known(eventId)
    const room = inMemory || !sale.waitingRoom ? inMemory : await failClosed(() => roomOf(eventId))
    const standing = await standings.of(claims, sale, room, account)
    return toView(queueToken, claims, { sale, room, standing, asOf: room?.asOf ?? (await clock.now()) })
  }

  function toView(
    queueToken: string,
    claims: QueueClaims,
    { sale, room, standing, asOf }: { sale: SaleView; room: Room | null; standing: Standing; asOf: Date },
  ): PositionView {
    const { eventId } = claims
    return {
      eventId,
      // So that in the course of a rotation everybody comes to hold one of the new key.
      queueToken: tokens.renewQueueToken(queueToken, claims),
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
      asOf,
      ...standing,
    }
  }

  async function hasPlace(sale: SaleView, account: Account, digest: Buffer): Promise<boolean> {
    const place = await findPlace(roomDb, sale.eventId, digest)
    if (!place) return false
    const room = await roomOf(sale.eventId)
    return !(await standings.isOver(sale, room, account.id, { arrival: place.arrival, hasLeft: false }))
  }

  async function takePlace(
    sale: SaleView,
    account: Account,
    digest: Buffer,
    device: Uint8Array<ArrayBuffer>,
    moveHere: boolean,
  ): Promise<QueueClaims | PlaceOnOtherDevice> {
    const { eventId } = sale
    // Late is whoever joins once the sale is open, wherever the draw may be.
    await opening.open(sale)
    const room = await roomOf(eventId)
    const own = await places.take(eventId, digest, device, (place) =>
      standings.isOver(sale, room, account.id, place),
    )
    const claims: QueueClaims = { eventId, accountId: account.id, device, arrival: own.arrival }
    let changedAt: Date | null
    if (own.hasLeft) {
      changedAt = await retakePlace(roomDb, eventId, own.arrival, device)
    } else if (isSameDigest(own.device, device)) {
      // Where a move was cut short, the place is here and its admission is not.
      if (isCalled(room, own.arrival)) await admissions.move(claims)
      const remembered = room.changed.get(own.arrival)
      if (remembered && !isSameDigest(remembered.device, device)) await rooms.refresh(eventId)
      return claims
    } else {
      if (!moveHere) return new PlaceOnOtherDevice()
      changedAt = await movePlace(roomDb, eventId, own.arrival, device)
      if (!changedAt) throw new Error('the place was given up while it was to move')
      await admissions.move(claims)
    }
    rooms.publishPlace(eventId, own.arrival, { device, hasLeft: false, changedAt })
    return claims
  }

  const waitingRoom: WaitingRoom = {
    async join({ account, deviceId, address = null }, { eventId, challenge: answer = null, moveHere }) {
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
      const digest = accountDigest(eventId, account.id)
      let entry: Entry | undefined
      if (sale.waitingRoom) {
        const answered = await failClosed(() =>
          deps.door.enter(sale, {
            accountId: account.id,
            accountDigest: digest,
            deviceId,
            deviceDigest: device,
            address,
            answer,
            hasPlace: () => hasPlace(sale, account, digest),
          }),
        )
        if (answered instanceof ChallengeRequired) return answered
        entry = answered
      }
      for (let round = 0; round < JOIN_ROUNDS; round++) {
        const claims = sale.waitingRoom
          ? await failClosed(() => takePlace(sale, account, digest, device, moveHere ?? false))
          : { eventId, accountId: account.id, device, arrival: 0 }
        await entry?.placeTaken()
        if (claims instanceof PlaceOnOtherDevice) return claims
        try {
          return await view(tokens.signQueueToken(claims), claims, account, sale)
        } catch (error) {
          // Another device of the account moved the place in between: the token that this made for it is not the caller's.
          if (!(error instanceof Fault && error.code === 'QUEUE_TOKEN_INVALID')) throw error
        }
      }
      throw requestInProgress()
    },

    async position(queueToken, caller) {
      return view(queueToken, claimsOf(queueToken, caller), caller.account)
    },

    fresh(queueToken, caller) {
      const claims = claimsOf(queueToken, caller)
      const sale = sales.fresh(claims.eventId)
      const room = sale && rooms.known(claims.eventId)
      const standing = room && standings.uncalled(claims, sale, room)
      return standing ? toView(queueToken, claims, { sale, room, standing, asOf: room.asOf }) : null
    },

    async positionUpdates(queueToken, caller, onAdmission = () => {}) {
      const claims = claimsOf(queueToken, caller)
      // Refused as every other bad token is: an error of the stream looks different on a socket, and would tell one that
      // is signed right from one that is not.
      await view(queueToken, claims, null)
      return positionUpdates({ rooms, sales, turns }, claims, async () => {
        const position = await view(queueToken, claims, caller.account)
        if (position.admission) onAdmission(claims.eventId, position.admission.token)
        return position
      })
    },

    async leave(queueToken, caller) {
      const claims = claimsOf(queueToken, caller)
      const { eventId, arrival, device } = claims
      const before = await view(queueToken, claims, null)
      if (arrival === 0) return before
      const changedAt = await failClosed(async () => {
        const leftAt = await leavePlace(roomDb, eventId, arrival, device)
        if (!leftAt) throw queueTokenInvalid()
        await admissions.end(claims)
        return leftAt
      })
      rooms.publishPlace(eventId, arrival, { device, hasLeft: true, changedAt })
      return view(queueToken, claims, null)
    },

    async ofAccount({ account, deviceId }, eventId) {
      if (!account || deviceId === null) return null
      const sale = await sales.find(eventId)
      if (!sale) return null
      const found = findPlace(roomDb, eventId, accountDigest(eventId, account.id))
      const place = await (sale.waitingRoom ? failClosed(() => found) : found.catch(() => null))
      const device = new Uint8Array(deviceDigest(deviceId))
      if (!place || !isSameDigest(place.device, device)) return null
      const claims: QueueClaims = { eventId, accountId: account.id, device, arrival: place.arrival }
      return view(tokens.signQueueToken(claims), claims, null, sale)
    },

    async room(eventId) {
      const [sale, room] = await Promise.all([sales.find(eventId), rooms.room(eventId)])
      return sale && room && toRoomView(sale, room)
    },

    beaconFault: opening.beaconFault,

    async revealBeacon(eventId, beacon) {
      await opening.revealBeacon(eventId, beacon)
      return (await waitingRoom.room(eventId)) as RoomView
    },

    tick,

    async setAdmission(eventId, change) {
      if (!(await changeRoom(roomDb, eventId, change))) return null
      rooms.publishRoom(eventId)
      await rooms.refresh(eventId)
      return waitingRoom.room(eventId)
    },
  }
  return waitingRoom
}
