import { type ReadonlySignal, signal } from '@preact/signals'
import { serviceWorkerReady } from '../serviceWorker/register.ts'

/** The browser's notifications, for a fan who waits in another tab or with the screen locked. */
export interface CallMe {
  /** `blocked`: the browser refused. `unsupported`: it has no notifications for pages. */
  readonly state: ReadonlySignal<'off' | 'on' | 'blocked' | 'unsupported'>
  /** Asks the browser for permission. The choice holds for this event on this device. */
  turnOn(): Promise<void>
  turnOff(): void
  /** Shows a notification, where the fan wants it and does not look at the page. */
  call(title: string, body: string): Promise<void>
}

export function createCallMe(storage: Storage, slug: string): CallMe {
  const key = `fairgate.${slug}.callMe`
  const isSupported = typeof Notification !== 'undefined'
  const wanted = () => {
    try {
      return storage.getItem(key) === 'on'
    } catch {
      return false
    }
  }
  const state = signal<'off' | 'on' | 'blocked' | 'unsupported'>(
    !isSupported ? 'unsupported' : wanted() && Notification.permission === 'granted' ? 'on' : 'off',
  )
  function keep(value: 'on' | null) {
    try {
      if (value) storage.setItem(key, value)
      else storage.removeItem(key)
    } catch {
      // The choice holds until the page is closed.
    }
  }
  return {
    state,
    async turnOn() {
      const permission = await Notification.requestPermission()
      state.value = permission === 'granted' ? 'on' : 'blocked'
      keep(permission === 'granted' ? 'on' : null)
      // Android's browsers show notifications of a service worker only.
      if (permission === 'granted') void serviceWorkerReady()
    },
    turnOff() {
      state.value = 'off'
      keep(null)
    },
    async call(title, body) {
      if (state.value !== 'on' || document.visibilityState === 'visible') return
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
