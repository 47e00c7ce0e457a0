import { type ReadonlySignal, signal } from '@preact/signals'
import type { AlertsRequest, Fairgate } from '../../../sdk/index.ts'
import { endTurnAlerts, readPushKey, requestTurnAlerts } from '../../../sdk/turnAlerts.ts'
import { locale } from '../i18n/texts.ts'
import { serviceWorkerReady } from '../serviceWorker/register.ts'

/** What calls the fan while the page is closed: `push` with mail, `mail` alone, or nothing. */
type WhileClosed = 'push' | 'mail' | null

/** Calls a fan who waits in another tab, with the screen locked or the page closed. */
export interface CallMe {
  /** `blocked`: the browser refused notifications, and no mail comes. */
  readonly state: ReadonlySignal<'off' | 'on' | 'blocked'>
  readonly whileClosed: ReadonlySignal<WhileClosed>
  /** Asks the browser for permission, and requests alerts. The choice holds for this event on this device. */
  turnOn(): Promise<void>
  turnOff(): Promise<void>
  /** Requests the alerts again where they are on: for a new place. */
  renew(): Promise<void>
  /** Shows a notification, where the fan wants it and does not look at the page. */
  call(title: string, body: string): Promise<void>
}

export function createCallMe(storage: Storage, slug: string, fairgate: Fairgate): CallMe {
  const key = `fairgate.${slug}.callMe`
  const isGranted = () => typeof Notification !== 'undefined' && Notification.permission === 'granted'
  const kept = read()
  const whileClosed = signal<WhileClosed>(kept === 'push' || kept === 'mail' ? kept : null)
  const isOn = kept !== null && (isGranted() || whileClosed.value !== null)
  const state = signal<'off' | 'on' | 'blocked'>(isOn ? 'on' : 'off')

  function read(): string | null {
    try {
      return storage.getItem(key)
    } catch {
      return null
    }
  }

  function keep(value: string | null) {
    try {
      if (value) storage.setItem(key, value)
      else storage.removeItem(key)
    } catch {
      // The choice holds until the page is closed.
    }
  }

  /** Without an answer of the API the page itself calls, as long as it is open. */
  async function request(): Promise<WhileClosed> {
    const push = isGranted() ? await subscribe(fairgate).catch(() => null) : null
    const more = { locale: locale().tag, ...(push && { push }) }
    const result = await requestTurnAlerts(fairgate, { ...more, mail: true })
    const isRefused = result.__typename === 'AccountNotVerified'
    const answer = isRefused && push ? await requestTurnAlerts(fairgate, more) : result
    if (answer.__typename !== 'TurnAlerts') return null
    return push ? 'push' : answer.mail ? 'mail' : null
  }

  async function set() {
    whileClosed.value = await request().catch(() => null)
    state.value = isGranted() || whileClosed.value ? 'on' : 'blocked'
    keep(state.value === 'on' ? (whileClosed.value ?? 'on') : null)
  }

  return {
    state,
    whileClosed,
    async turnOn() {
      if (typeof Notification !== 'undefined') await Notification.requestPermission()
      await set()
    },
    async turnOff() {
      state.value = 'off'
      whileClosed.value = null
      keep(null)
      // The browser's subscription stays: other events of this site may use it.
      await endTurnAlerts(fairgate).catch(() => {})
    },
    async renew() {
      if (state.value === 'on') await set()
    },
    async call(title, body) {
      if (state.value !== 'on' || !isGranted() || document.visibilityState === 'visible') return
      const options = { body, tag: key, data: { url: location.href } }
      const worker = await navigator.serviceWorker?.getRegistration()
      if (worker) return worker.showNotification(title, options)
      const notification = new Notification(title, options)
      notification.onclick = () => {
        window.focus()
        notification.close()
      }
    },
  }
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
