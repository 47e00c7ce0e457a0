/// <reference lib="webworker" />
import { openPressedNotifications, showPushes } from './notifications.ts'

/*
 * Keeps the page itself, so that tickets open at a door without a network: the HTML and its assets. It never answers for the
 * API. A page with an old state of the sale would mislead, and the page keeps its tickets itself.
 */

const worker = self as unknown as ServiceWorkerGlobalScope

/** The build writes the paths of all assets here. A new build thus changes this file, and the browser installs it. */
const ASSETS: readonly string[] = __ASSETS__
declare const __ASSETS__: readonly string[]

const CACHE = `fairgate-${ASSETS.join().length}-${digest(ASSETS.join())}`
/** Every event has the same page: it takes the slug from its address. */
const SHELL = '/me'
/** Without an answer by then the kept page is shown, which itself reports that there is no connection. */
const ANSWER_WITHIN_MS = 4_000

worker.addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(CACHE).then((cache) => cache.addAll([new Request(SHELL, { cache: 'reload' }), ...ASSETS])),
  )
})

// The new worker starts once no page of the old build is open, so no page loses the assets that it has yet to load.
worker.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => worker.clients.claim()),
  )
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (request.mode === 'navigate' && (pathname === SHELL || pathname.startsWith('/e/')))
    event.respondWith(pageFor(request))
})

/** An asset never changes: its name has a digest of its content. */
async function asset(request: Request): Promise<Response> {
  return (await caches.match(request)) ?? fetch(request)
}

async function pageFor(request: Request): Promise<Response> {
  const patience = new AbortController()
  const timer = setTimeout(() => patience.abort(), ANSWER_WITHIN_MS)
  try {
    const response = await fetch(request, { signal: patience.signal })
    // A slow network still sends the rest: an abort would cut the page.
    clearTimeout(timer)
    if (response.status < 500) return response
    return (await caches.match(SHELL)) ?? response
  } catch (error) {
    const kept = await caches.match(SHELL)
    if (kept) return kept
    throw error
  }
}

/** FNV-1a, to distinguish builds. */
function digest(text: string): string {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return (hash >>> 0).toString(36)
}

showPushes(worker)
openPressedNotifications(worker)
