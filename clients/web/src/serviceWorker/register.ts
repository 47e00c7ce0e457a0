/**
 * Registers the worker that keeps the page for a door without a network, and shows notifications. Only a fan who needs one of
 * these loads its files: a fan at the door of the sale does not. Null where the browser has no workers, as on http except for
 * localhost, or refuses them.
 */
export async function serviceWorkerReady(): Promise<ServiceWorkerRegistration | null> {
  if (!('serviceWorker' in navigator)) return null
  try {
    await navigator.serviceWorker.register('/sw.js')
    return await navigator.serviceWorker.ready
  } catch {
    return null
  }
}
