/// <reference lib="webworker" />

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
