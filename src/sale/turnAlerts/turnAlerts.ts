import type { Keys } from '../../keys.ts'
import type { Database } from '../../sql/database/database.ts'
import { type AlertCounts, erasePlaceAlerts, requestAlerts } from '../../sql/room/turnAlerts.ts'
import type { Account, Caller } from '../caller.ts'
import { queueTokenInvalid } from '../faults.ts'
import { DEFAULT_LOCALE, localeOf } from '../languages.ts'
import { AccountNotVerified, PlaceNotWaiting } from '../refusals.ts'
import { placeOf, type Room } from '../room/room.ts'
import type { Rooms } from '../room/rooms.ts'
import type { Sales } from '../sales/sales.ts'
import type { SaleView } from '../saleView.ts'
import { isSameDigest } from '../tokens/digests.ts'
import type { QueueClaims, Tokens } from '../tokens/tokens.ts'
import type { FailClosed } from '../waitingRoom/failClosed.ts'
import { lastPlaceWithin } from '../waitingRoom/position.ts'
import { claimsOfCaller } from '../waitingRoom/queueClaims.ts'
import { type PushInput, readAlertInput } from './alertInput.ts'

/** The moment SOON comes so many seconds before the turn, by the estimate. */
export const SOON_SECONDS = 300

export interface AlertsInput {
  queueToken: string
  /** By mail to the account's address. */
  mail?: boolean | null
  push?: PushInput | null
  /** A BCP 47 tag. */
  locale?: string | null
}

/** The alerts of a place. */
export interface AlertsView extends AlertCounts {
  readonly eventId: string
}

/** The alerts that fans in the line request: about five minutes before the turn and at the turn, by web push and by mail. */
export interface TurnAlerts {
  /** The key for `PushManager.subscribe`; null where the service sends no web push. */
  pushKey(): string | null
  /**
   * Adds alerts to the place of a queue token, and returns all that it has. Requested again they stay as they are: each moment of
   * an alert comes once. A place has one alert by mail, and web push to three browsers; a further browser replaces the oldest.
   *
   * Refuses a place that does not wait, and mail where the account has no verified address. Throws QUEUE_TOKEN_INVALID,
   * BAD_USER_INPUT, and OVERLOADED while the room's database is away.
   */
  request(
    account: Account,
    caller: Caller,
    input: AlertsInput,
  ): Promise<AlertsView | AccountNotVerified | PlaceNotWaiting>
  /** Erases all alerts of the place. Throws QUEUE_TOKEN_INVALID, and OVERLOADED while the room's database is away. */
  end(caller: Caller, queueToken: string): Promise<AlertsView>
}

export interface TurnAlertsDeps {
  roomDb: Database
  sales: Pick<Sales, 'find'>
  rooms: Pick<Rooms, 'room'>
  tokens: Pick<Tokens, 'verifyQueueToken'>
  keys: Pick<Keys, 'push'>
  failClosed: FailClosed
}

export function createTurnAlerts(deps: TurnAlertsDeps): TurnAlerts {
  const { roomDb, sales, rooms, tokens, keys, failClosed } = deps

  /** Also refuses the token of a device from which the place has moved. */
  async function placeOfToken(caller: Caller, queueToken: string) {
    const claims = claimsOfCaller(tokens, queueToken, caller)
    const { eventId, arrival, device } = claims
    const [sale, room] = await failClosed(async () => [await sales.find(eventId), await rooms.room(eventId)])
    const change = room?.changed.get(arrival)
    if (!sale || (change && !isSameDigest(change.device, device))) throw queueTokenInvalid()
    return { claims, sale, room }
  }

  return {
    pushKey: () => keys.push[0]?.publicKey ?? null,

    async request(account, caller, input) {
      const { claims, sale, room } = await placeOfToken(caller, input.queueToken)
      const alerts = readAlertInput(keys, account, input)
      if (!room || !isWaiting(claims, sale, room)) return new PlaceNotWaiting()
      if (input.mail && !(account.emailVerified && account.email)) return new AccountNotVerified()
      const { eventId, arrival, device } = claims
      const place = placeOf(room, arrival)
      const isSoon = place !== null && place <= lastPlaceWithin(sale, room, SOON_SECONDS)
      const counts = await failClosed(() =>
        requestAlerts(roomDb, {
          eventId,
          arrival,
          device,
          place,
          // A fan who is that near already reads the estimate, and gets the alert at the turn.
          moment: isSoon ? 'TURN' : 'SOON',
          locale: ((input.locale && localeOf(input.locale)) || DEFAULT_LOCALE).tag,
          alerts,
        }),
      )
      return counts ? { eventId, ...counts } : new PlaceNotWaiting()
    },

    async end(caller, queueToken) {
      const { claims } = await placeOfToken(caller, queueToken)
      await failClosed(() => erasePlaceAlerts(roomDb, claims.eventId, claims.arrival))
      return { eventId: claims.eventId, mail: false, browsers: 0 }
    },
  }
}

function isWaiting({ arrival }: QueueClaims, sale: SaleView, room: Room): boolean {
  if (!sale.waitingRoom || sale.state === 'SOLD_OUT' || sale.state === 'ENDED') return false
  const place = placeOf(room, arrival)
  return !room.changed.get(arrival)?.hasLeft && (place === null || place > room.admittedUpTo)
}
