import { createBatchedWork } from '../../async/eventLoop.ts'
import { andThen, attempt, type MaybePromise } from '../../async/maybePromise.ts'
import { findPlace, leavePlace } from '../../sql/room/places.ts'
import { changeRoom } from '../../sql/room/rooms.ts'
import { erasePlaceAlerts } from '../../sql/room/turnAlerts.ts'
import type { Account, Caller } from '../caller.ts'
import { queueTokenInvalid } from '../faults.ts'
import type { Room } from '../room/room.ts'
import type { SaleView } from '../saleView.ts'
import { accountDigest, deviceDigest, isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims } from '../tokens/tokens.ts'
import { createJoining, type JoinInput, type JoiningDeps, type JoinRefusal } from './joining.ts'
import {
  isPaused,
  type PositionView,
  pollAfter,
  type QueueState,
  type RoomView,
  type StateView,
  toRoomView,
} from './position.ts'
import { positionUpdates } from './positionUpdates.ts'
import { claimsOfCaller } from './queueClaims.ts'

export type { JoinInput, PositionView, QueueState, RoomView }

export interface WaitingRoom {
  /**
   * The account's place in the line, a new one or the one it has, journalled before this returns. A place that is over is
   * replaced by a new one at the end. Where the sale has no waiting room, or has it turned off, the state is OPEN, with an
   * arrival of 0 and no place: every fan may begin.
   *
   * Throws UNAUTHENTICATED, BAD_USER_INPUT without a device or for an unknown event, OVERLOADED while the room's Redis or
   * database is away, RATE_LIMITED, and REQUEST_IN_PROGRESS while other devices of the account keep moving the place.
   */
  join(caller: Caller, input: JoinInput): Promise<PositionView | JoinRefusal>
  /**
   * The position of a queue token's place. For a fan who waits it comes from memory, and at once where all of it is fresh there.
   * If the place was called, this takes its turn, which needs the account: without one the place stays WAITING, with the end of
   * its turn.
   *
   * Throws QUEUE_TOKEN_INVALID, and OVERLOADED where the turn cannot be taken now; always by a rejected promise.
   */
  position(queueToken: string, caller: Caller): MaybePromise<PositionView>
  /**
   * The position now, then each second near the front, less often far back, and at once when something happens. Ends with the
   * place.
   */
  positionUpdates(queueToken: string, caller: Caller): Promise<AsyncIterableIterator<PositionView>>
  /** Gives the place back, and its admission. Leaving twice changes nothing. Throws QUEUE_TOKEN_INVALID. */
  leave(queueToken: string, caller: Caller): Promise<PositionView>
  /**
   * The account's place, without taking its turn; null without a place, and for a place on another device. Where the waiting
   * room is off, its state is OPEN.
   *
   * Throws OVERLOADED while the room's database is away; where the waiting room is off it returns null then, since no fan waits.
   */
  ofAccount(caller: Caller, eventId: string): Promise<PositionView | null>
  /** The room's public state; null where the event has no room. */
  room(eventId: string): Promise<RoomView | null>
  /** Why the draw cannot take this public randomness now, as a message; null where it can, or did already. */
  beaconFault(eventId: string, beacon: string): Promise<string | null>
  /** Gives the public randomness that the draw waits for, once: the draw is made. Throws BAD_USER_INPUT as above. */
  revealBeacon(eventId: string, beacon: string): Promise<RoomView>
  /** Sets the most places that are called a second, or pauses the room. Every pacer applies it at its next tick. */
  setAdmission(
    eventId: string,
    change: { rate?: number | null; paused?: boolean | null },
  ): Promise<RoomView | null>
}

export type WaitingRoomDeps = JoiningDeps

export function createWaitingRoom(deps: WaitingRoomDeps): WaitingRoom {
  const { roomDb, sales, rooms, opening, queueStates, admissions, tokens, clock, failClosed } = deps
  const batchedWork = createBatchedWork()

  const claimsOf = (queueToken: string, caller: Caller) => claimsOfCaller(tokens, queueToken, caller)

  function saleOf({ eventId }: QueueClaims): MaybePromise<SaleView> {
    return andThen(sales.find(eventId), (sale) => {
      if (!sale) throw queueTokenInvalid()
      return sale
    })
  }

  function roomOf({ eventId, waitingRoom: isOn }: SaleView): MaybePromise<Room | null> {
    const inMemory = rooms.known(eventId)
    if (inMemory || !isOn) return inMemory
    return failClosed(async () => {
      const room = await rooms.room(eventId)
      if (!room) throw new Error(`event ${eventId} has no room`)
      return room
    })
  }

  function stateOf(
    claims: QueueClaims,
    sale: SaleView,
    room: Room | null,
    account: Account | null,
  ): MaybePromise<StateView> {
    return andThen(queueStates.of(claims, sale, room, account), (state) =>
      state.state === 'FINISHED' ? finishedOrReplaced(claims) : state,
    )
  }

  /** Few clients ask about a place that is over, so this may read the journal. */
  async function finishedOrReplaced({ eventId, accountId, arrival }: QueueClaims): Promise<StateView> {
    const place = await failClosed(() => findPlace(roomDb, eventId, accountDigest(eventId, accountId)))
    return { state: place && place.arrival > arrival ? 'REPLACED' : 'FINISHED' }
  }

  /** Comes at once where sale, room and state do: a poll of a fan who waits has no `await`. */
  function viewOf(
    queueToken: string,
    claims: QueueClaims,
    account: Account | null,
    known?: SaleView,
  ): MaybePromise<PositionView> {
    return andThen(known ?? saleOf(claims), (sale) =>
      andThen(roomOf(sale), (room) =>
        andThen(stateOf(claims, sale, room, account), (state) =>
          andThen(room?.asOf ?? clock.now(), (asOf) =>
            toView(queueToken, claims, { sale, room, state, asOf }),
          ),
        ),
      ),
    )
  }

  function toView(
    queueToken: string,
    claims: QueueClaims,
    { sale, room, state, asOf }: { sale: SaleView; room: Room | null; state: StateView; asOf: Date },
  ): PositionView {
    const { eventId } = claims
    return {
      eventId,
      // In a rotation of keys every fan gets a token of the new key this way.
      queueToken: tokens.renewQueueToken(queueToken, claims),
      arrival: claims.arrival,
      place: null,
      position: null,
      estimatedWaitSeconds: null,
      outlook: null,
      paused: isPaused(sale, room),
      available: sale.counts.available,
      held: sale.counts.held,
      admission: null,
      turnEndsAt: null,
      pollAfterSeconds: pollAfter(null),
      asOf,
      ...state,
    }
  }

  const waitingRoom: WaitingRoom = {
    join: createJoining(deps, viewOf),

    position: (queueToken, caller) =>
      attempt(() => viewOf(queueToken, claimsOf(queueToken, caller), caller.account)),

    async positionUpdates(queueToken, caller) {
      const claims = claimsOf(queueToken, caller)
      // The answer is the same as for every other bad token. An error of the stream looks different on a socket, and would
      // show that this token is signed right.
      await viewOf(queueToken, claims, null)
      return positionUpdates({ rooms, sales, batchedWork }, claims, () =>
        viewOf(queueToken, claims, caller.account),
      )
    },

    async leave(queueToken, caller) {
      const claims = claimsOf(queueToken, caller)
      const { eventId, arrival, device } = claims
      const before = await viewOf(queueToken, claims, null)
      if (arrival === 0) return before
      const changedAt = await failClosed(async () => {
        const leftAt = await leavePlace(roomDb, eventId, arrival, device)
        if (!leftAt) throw queueTokenInvalid()
        await erasePlaceAlerts(roomDb, eventId, arrival)
        await admissions.end(claims)
        return leftAt
      })
      rooms.publishPlace(eventId, arrival, { device, hasLeft: true, changedAt })
      return viewOf(queueToken, claims, null)
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
      return viewOf(tokens.signQueueToken(claims), claims, null, sale)
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

    async setAdmission(eventId, change) {
      if (!(await changeRoom(roomDb, eventId, change))) return null
      rooms.publishRoom(eventId)
      await rooms.refresh(eventId)
      return waitingRoom.room(eventId)
    },
  }
  return waitingRoom
}
