import type { MaybePromise } from '../../async/maybePromise.ts'
import type { Database } from '../../sql/database/database.ts'
import { findPlace, movePlace, retakePlace } from '../../sql/room/places.ts'
import type { Admissions } from '../admission/admissions.ts'
import type { Account, Caller } from '../caller.ts'
import type { Clock } from '../clock.ts'
import { badInput, Fault, requestInProgress, unauthenticated } from '../faults.ts'
import type { JoinGuard, JoinPermission } from '../joinGuard/joinGuard.ts'
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
import type { Sales } from '../sales/sales.ts'
import type { SaleView } from '../saleView.ts'
import { accountDigest, deviceDigest, isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims, Tokens } from '../tokens/tokens.ts'
import type { FailClosed } from './failClosed.ts'
import type { Opening } from './opening.ts'
import type { Places } from './places.ts'
import { isCalled, type PositionView } from './position.ts'
import type { QueueStates } from './queueState.ts'

export interface JoinInput {
  readonly eventId: string
  readonly challenge?: string | null
  readonly moveHere?: boolean | null
}

export type JoinRefusal =
  | QueueNotOpen
  | SaleOver
  | AccountNotVerified
  | ChallengeRequired
  | PlaceOnOtherDevice

export interface JoiningDeps {
  roomDb: Database
  sales: Sales
  rooms: Rooms
  places: Places
  opening: Opening
  queueStates: QueueStates
  admissions: Admissions
  tokens: Tokens
  joinGuard: JoinGuard
  clock: Clock
  failClosed: FailClosed
}

/** The position of a place, as WaitingRoom.position returns it. */
export type ViewOf = (
  queueToken: string,
  claims: QueueClaims,
  account: Account | null,
  sale?: SaleView,
) => MaybePromise<PositionView>

/** Two devices that move a place at the same time take one attempt each. */
const ATTEMPTS = 2

/** Returns `join`: see WaitingRoom.join. */
export function createJoining(deps: JoiningDeps, viewOf: ViewOf) {
  const { roomDb, sales, rooms, places, opening, queueStates, admissions, tokens, joinGuard, clock } = deps
  const { failClosed } = deps

  async function roomOf(eventId: string): Promise<Room> {
    const room = await rooms.room(eventId)
    if (!room) throw new Error(`event ${eventId} has no room`)
    return room
  }

  async function hasPlace(sale: SaleView, account: Account, digest: Buffer): Promise<boolean> {
    const place = await findPlace(roomDb, sale.eventId, digest)
    if (!place) return false
    const room = await roomOf(sale.eventId)
    return !(await queueStates.isOver(sale, room, account.id, { arrival: place.arrival, hasLeft: false }))
  }

  async function takePlace(
    sale: SaleView,
    account: Account,
    digest: Buffer,
    device: Uint8Array<ArrayBuffer>,
    moveHere: boolean,
  ): Promise<QueueClaims | PlaceOnOtherDevice> {
    const { eventId } = sale
    // A fan who joins after the sale opened comes after the draw, however far the draw has come.
    await opening.open(sale)
    const room = await roomOf(eventId)
    const own = await places.take(eventId, digest, device, (place) =>
      queueStates.isOver(sale, room, account.id, place),
    )
    const claims: QueueClaims = { eventId, accountId: account.id, device, arrival: own.arrival }
    let changedAt: Date | null
    if (own.hasLeft) {
      changedAt = await retakePlace(roomDb, eventId, own.arrival, device)
    } else if (isSameDigest(own.device, device)) {
      // A move that was cut short left the place on this device, and its admission on the other one.
      if (isCalled(room, own.arrival)) await admissions.move(claims)
      const inMemory = room.changed.get(own.arrival)
      if (inMemory && !isSameDigest(inMemory.device, device)) await rooms.refresh(eventId)
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

  /** Null: the account may join. */
  async function refusalFor(account: Account, sale: SaleView): Promise<JoinRefusal | null> {
    if (!account.emailVerified) return new AccountNotVerified()
    if (sale.state === 'ENDED' || sale.state === 'SOLD_OUT') return new SaleOver(sale.state)
    const now = await clock.now()
    if (now >= sale.preQueueOpensAt) return null
    return new QueueNotOpen(sale.preQueueOpensAt, secondsUntil(sale.preQueueOpensAt, now))
  }

  return async function join(
    { account, deviceId, address = null }: Caller,
    { eventId, challenge: answer = null, moveHere }: JoinInput,
  ): Promise<PositionView | JoinRefusal> {
    if (!account) throw unauthenticated()
    if (!deviceId) {
      throw badInput({ path: ['Device-Id'], message: 'a place is bound to a device: send a Device-Id' })
    }
    const sale = await sales.find(eventId)
    if (!sale) throw badInput({ path: ['input', 'eventId'], message: 'there is no such event' })
    const refusal = await refusalFor(account, sale)
    if (refusal) return refusal
    const device = new Uint8Array(deviceDigest(deviceId))
    const digest = accountDigest(eventId, account.id)
    let permission: JoinPermission | undefined
    if (sale.waitingRoom) {
      const visitor = {
        accountId: account.id,
        accountDigest: digest,
        deviceId,
        deviceDigest: device,
        address,
        answer,
        hasPlace: () => hasPlace(sale, account, digest),
      }
      const decision = await failClosed(() => joinGuard.check(sale, visitor))
      if (decision instanceof ChallengeRequired) return decision
      permission = decision
    }
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const claims = sale.waitingRoom
        ? await failClosed(() => takePlace(sale, account, digest, device, moveHere ?? false))
        : { eventId, accountId: account.id, device, arrival: 0 }
      await permission?.placeTaken()
      if (claims instanceof PlaceOnOtherDevice) return claims
      try {
        return await viewOf(tokens.signQueueToken(claims), claims, account, sale)
      } catch (error) {
        // Another device of the account moved the place in between: the token made for this device is not valid any more.
        if (!(error instanceof Fault && error.code === 'QUEUE_TOKEN_INVALID')) throw error
      }
    }
    throw requestInProgress()
  }
}
