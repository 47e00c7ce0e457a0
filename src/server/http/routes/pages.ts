import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import type { App } from '../../../app.ts'
import { createBoundedCache } from '../../../async/boundedCache.ts'
import type { Priority } from '../../graphql/priority.ts'
import { acceptsGzip, NO_STORE, sendError } from '../responses.ts'
import { type HtmlPage, toPage } from './htmlPage.ts'
import { notFoundPage } from './notFoundPage.ts'

const DIST = fileURLToPath(new URL('../../../../clients/web/dist/', import.meta.url))

/** A CDN may serve the page for a minute, and a stale page for a day while the API is down. */
const PAGE_CACHE = 'public, max-age=60, stale-if-error=86400'
const HTML = { 'content-type': 'text/html; charset=utf-8', vary: 'accept-encoding' }
const SCRIPT = { 'content-type': 'text/javascript; charset=utf-8' }
/** Slugs whose page is sent without a read. */
const KNOWN_SLUGS = 10_000

interface PagesDeps {
  app: Pick<App, 'catalogue'> & { env: Pick<App['env'], 'roomUrl'> }
  priority: Priority
}

function sendHtml(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  page: HtmlPage,
  cache: OutgoingHttpHeaders,
): void {
  const gzipped = acceptsGzip(request)
  response.writeHead(status, { ...HTML, ...cache, ...(gzipped && { 'content-encoding': 'gzip' }) })
  if (request.method === 'HEAD') response.end()
  else response.end(gzipped ? page.gzipped : page.text)
}

/** Serves the fan's page (built by `npm run build:web`), its assets, and a page for unknown events. */
export function createPages(
  {
    app: {
      catalogue,
      env: { roomUrl },
    },
    priority,
  }: PagesDeps,
  folder = DIST,
) {
  const known = createBoundedCache<string, true>(KNOWN_SLUGS / 2)
  // Read once: a new build is served by a new process.
  const index = readFile(join(folder, 'index.html'), 'utf8').then(
    (page) => toPage(withRoom(page)),
    () => null,
  )
  const serviceWorker = readFile(join(folder, 'sw.js')).catch(() => null)
  // File names carry a digest of the content. sirv scans the folder now, so it must exist.
  const assets = existsSync(folder)
    ? sirv(folder, { immutable: true, maxAge: 31_536_000, etag: true, brotli: true, gzip: true })
    : null

  /** Adds the address of the waiting room's API, which the page polls while the fan waits. */
  function withRoom(page: string): string {
    return roomUrl
      ? page.replace('<head>', `<head>\n    <meta name="fairgate-room" content="${new URL(roomUrl)}">`)
      : page
  }

  /** A slug that was never found may be made up: its read waits for its turn in the priorities. */
  async function isThere(slug: string): Promise<boolean> {
    if (known.get(slug)) return true
    const found = (await priority.run('browsing', () => catalogue.eventIdBySlug(slug))) !== null
    if (found) known.set(slug, true)
    return found
  }

  return {
    async sendPage(request: IncomingMessage, response: ServerResponse, slug: string): Promise<void> {
      if (!(await isThere(slug))) {
        sendHtml(request, response, 404, notFoundPage(request.headers['accept-language']), NO_STORE)
        return
      }
      const page = await index
      if (!page) return sendError(response, 503, NOT_BUILT)
      sendHtml(request, response, 200, page, { 'cache-control': PAGE_CACHE })
    },
    /** Sends the page of an account's tickets. It has the same HTML as an event's. */
    async sendMyTickets(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const page = await index
      if (!page) return sendError(response, 503, NOT_BUILT)
      sendHtml(request, response, 200, page, { 'cache-control': PAGE_CACHE })
    },
    /** Sends the service worker. A browser asks for it at each visit, and must see a new one at once. */
    async sendServiceWorker(request: IncomingMessage, response: ServerResponse): Promise<void> {
      const script = await serviceWorker
      if (!script) return sendError(response, 503, NOT_BUILT)
      response.writeHead(200, { ...SCRIPT, 'cache-control': 'no-cache' })
      response.end(request.method === 'HEAD' ? undefined : script)
    },
    /** Redirects the bare address to the demo's page. Only in the embedded default. */
    sendHome(response: ServerResponse): void {
      response.writeHead(302, { location: '/e/demo', ...NO_STORE }).end()
    },
    sendAsset(request: IncomingMessage, response: ServerResponse): void {
      if (!assets) {
        sendError(response, 503, NOT_BUILT)
        return
      }
      // sirv does not handle this error: a file that a new build removed would end the process.
      response.once('pipe', (file) => file.once('error', () => response.destroy()))
      assets(request, response, () => sendError(response, 404, 'There is no such file.'))
    },
  }
}

const NOT_BUILT = 'The page is not built here: run "npm run build:web" and start again.'
