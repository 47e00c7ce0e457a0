/**
 * Registers the worker that keeps the page for a door without a network. It waits for the page to be loaded, whose bytes
 * come first. Browsers have no workers on http except for localhost.
 */
export function registerServiceWorker(): void {
  if (!('serviceWorker' in navigator)) return
  const register = () => void navigator.serviceWorker.register('/sw.js').catch(() => undefined)
  if (document.readyState === 'complete') register()
  else addEventListener('load', register, { once: true })
}
