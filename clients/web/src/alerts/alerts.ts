import type { AlertsRequest, Fairgate } from '../../../sdk/index.ts'
import { endTurnAlerts, readPushKey, requestTurnAlerts } from '../../../sdk/turnAlerts.ts'
import { locale } from '../i18n/texts.ts'
import { serviceWorkerReady } from '../serviceWorker/register.ts'

/** What calls the fan while the page is closed: `push` with mail, `mail` alone, or nothing. */
export type WhileClosed = 'push' | 'mail' | null

/** Requests the alerts of a place. `mayNotify`: the browser allows notifications. Throws like `requestTurnAlerts`. */
export async function requestAlerts(fairgate: Fairgate, mayNotify: boolean): Promise<WhileClosed> {
  const push = mayNotify ? await subscribe(fairgate).catch(() => null) : null
  const more = { locale: locale().tag, ...(push && { push }) }
  const result = await requestTurnAlerts(fairgate, { ...more, mail: true })
  const isRefused = result.__typename === 'AccountNotVerified'
  const answer = isRefused && push ? await requestTurnAlerts(fairgate, more) : result
  if (answer.__typename !== 'TurnAlerts') return null
  return push ? 'push' : answer.mail ? 'mail' : null
}

/** Ends the alerts of a place. Throws like `endTurnAlerts`. */
export async function endAlerts(fairgate: Fairgate): Promise<void> {
  await endTurnAlerts(fairgate)
}

/** Subscribes this browser to web push. Null where the browser or the service has none. */
async function subscribe(fairgate: Fairgate): Promise<NonNullable<AlertsRequest['push']> | null> {
  // Android's browsers also need it for notifications of the page.
  const worker = await serviceWorkerReady()
  if (!worker?.pushManager) return null
  const key = await readPushKey(fairgate)
  if (!key) return null
  const applicationServerKey = bytesOf(key)
  const known = await worker.pushManager.getSubscription()
  // The keys rotate: a browser has one subscription for a site, bound to one key.
  if (known && !isSame(known.options.applicationServerKey, applicationServerKey)) await known.unsubscribe()
  const subscription = await worker.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  const { endpoint = '', keys: { p256dh = '', auth = '' } = {} } = subscription.toJSON()
  return { endpoint, p256dh, auth, key }
}

function bytesOf(base64url: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(base64url.replaceAll('-', '+').replaceAll('_', '/')), (c) => c.charCodeAt(0))
}

function isSame(a: ArrayBuffer | null, b: Uint8Array): boolean {
  const bytes = new Uint8Array(a ?? [])
  return bytes.length === b.length && bytes.every((byte, i) => byte === b[i])
}
