import { type ReadonlySignal, signal } from '@preact/signals'
import type { Fairgate } from '../../../sdk/index.ts'
import type { WhileClosed } from '../alerts/alerts.ts'

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

  /** Loaded for the fans who want it. */
  const alerts = () => import('../alerts/alerts.ts')

  async function set() {
    // Without an answer of the API the page itself calls, as long as it is open.
    whileClosed.value = await alerts()
      .then(({ requestAlerts }) => requestAlerts(fairgate, isGranted()))
      .catch(() => null)
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
      await alerts()
        .then(({ endAlerts }) => endAlerts(fairgate))
        .catch(() => {})
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
