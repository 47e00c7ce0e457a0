import { EndTurnAlertsDocument, PushKeyDocument, RequestTurnAlertsDocument } from './generated/operations.ts'
import type { Fairgate } from './index.ts'
import type { AlertsRequest, TurnAlertsResult } from './types.ts'

/** The part of Fairgate that these functions need. An entry of its own, since most apps have another way to call a fan. */
export type Line = Pick<Fairgate, 'roomClient' | 'session'>

/** Returns the `applicationServerKey` for `PushManager.subscribe`. Null where the service sends no web push. */
export async function readPushKey({ roomClient }: Line): Promise<string | null> {
  return (await roomClient.request(PushKeyDocument, {})).pushKey
}

/** Has the fan called about five minutes before the turn and at the turn, by mail or by web push. */
export async function requestTurnAlerts(
  { roomClient, session }: Line,
  request: AlertsRequest,
): Promise<TurnAlertsResult> {
  const input = { queueToken: session.queueToken ?? '', ...request }
  return (await roomClient.request(RequestTurnAlertsDocument, { input })).requestTurnAlerts
}

/** Ends all alerts of the place. */
export async function endTurnAlerts({ roomClient, session }: Line): Promise<void> {
  await roomClient.request(EndTurnAlertsDocument, { input: { queueToken: session.queueToken ?? '' } })
}
