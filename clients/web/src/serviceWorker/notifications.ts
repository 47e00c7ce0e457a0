/// <reference lib="webworker" />

/** What the server sends: alertSender.ts. */
interface Notice {
  readonly title: string
  readonly body: string
  /** The page of the event. */
  readonly url: string
  readonly tag: string
}

/** Shows the notification of a push, unless the fan looks at the page of the event, which shows the same. */
export function showPushes(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => {
    const notice: Notice | undefined = event.data?.json()
    if (notice) event.waitUntil(showUnseen(worker, notice))
  })
}

async function showUnseen(
  worker: ServiceWorkerGlobalScope,
  { title, body, url, tag }: Notice,
): Promise<void> {
  const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const isSeen = windows.some(
    (client) => client.visibilityState === 'visible' && new URL(client.url).pathname === url,
  )
  if (!isSeen) await worker.registration.showNotification(title, { body, tag, data: { url } })
}

/** A press on a notification focuses the page that it names, or opens it. See model/callMe.ts. */
export function openPressedNotifications(worker: ServiceWorkerGlobalScope): void {
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
