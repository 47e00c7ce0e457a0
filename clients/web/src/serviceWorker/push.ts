/// <reference lib="webworker" />

/** A message of the server: the turn is near, or has come. */
interface Pushed {
  readonly title: string
  readonly body: string
  /** The page to open. */
  readonly url: string
  /** A later message with the same tag replaces this one. */
  readonly tag: string
}

/** Shows pushed messages. A press on one focuses the page that it names, or opens it. */
export function listenForPush(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => {
    const message = event.data?.json() as Pushed | undefined
    if (!message) return
    const { title, body, url, tag } = message
    event.waitUntil(worker.registration.showNotification(title, { body, tag, data: { url } }))
  })
  worker.addEventListener('notificationclick', (event) => {
    event.notification.close()
    const url = new URL((event.notification.data as { url: string }).url, location.origin)
    if (url.origin === location.origin) event.waitUntil(show(worker, url))
  })
}

async function show(worker: ServiceWorkerGlobalScope, url: URL): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const open = windows.find((client) => new URL(client.url).pathname === url.pathname)
  if (open) await open.focus()
  else await worker.clients.openWindow(url.href)
}
