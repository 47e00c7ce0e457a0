import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import sirv from 'sirv'
import type { App } from '../../app.ts'
import { sendError } from './responses.ts'

const DIST = fileURLToPath(new URL('../../../clients/web/dist/', import.meta.url))

/** A CDN may show the page for a minute, and its last one for a day while we are down. */
const PAGE_CACHE = 'public, max-age=60, stale-if-error=86400'
const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'content-security-policy': [
    "default-src 'self'",
    "connect-src 'self' ws: wss:",
    "img-src 'self' data:",
    "style-src 'self' 'unsafe-inline'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
}

interface PagesDeps extends Pick<App, 'catalogue'> {
  env: Pick<App['env'], 'roomUrl'>
}

/** The fan's page as it was built (`npm run build:web`), its assets, and a page for addresses that lead nowhere. */
export function createPages({ catalogue, env: { roomUrl } }: PagesDeps, folder = DIST) {
  // Read once: a new build comes with a new process.
  const index = readFile(join(folder, 'index.html'), 'utf8').then(withRoom, () => null)
  // Names carry a digest of the content. The folder is looked through at once, so it must be there.
  const assets = existsSync(folder) ? sirv(folder, { immutable: true, maxAge: 31_536_000, etag: true }) : null

  /** The page asks whom it is told to while it waits. */
  function withRoom(page: string): string {
    return roomUrl
      ? page.replace('<head>', `<head>\n    <meta name="fairgate-room" content="${new URL(roomUrl)}">`)
      : page
  }

  return {
    async sendPage(request: IncomingMessage, response: ServerResponse, slug: string): Promise<void> {
      const page = (await catalogue.eventIdBySlug(slug)) ? await index : NOT_FOUND
      if (!page) return sendError(response, 503, NOT_BUILT)
      const isThere = page !== NOT_FOUND
      response.writeHead(isThere ? 200 : 404, {
        ...PAGE_HEADERS,
        'cache-control': isThere ? PAGE_CACHE : 'no-store',
      })
      response.end(request.method === 'HEAD' ? undefined : page)
    },
    /** To the demo's page: whoever opens the bare address has just started it. Only in the embedded default. */
    sendHome(response: ServerResponse): void {
      response.writeHead(302, { location: '/e/demo', 'cache-control': 'no-store' }).end()
    },
    sendAsset(request: IncomingMessage, response: ServerResponse): void {
      if (!assets) {
        sendError(response, 503, NOT_BUILT)
        return
      }
      // Nobody else listens: a file that a new build has taken away would end the process.
      response.once('pipe', (file) => file.once('error', () => response.destroy()))
      assets(request, response, () => sendError(response, 404, 'There is no such file.'))
    },
  }
}

const NOT_BUILT = 'The page is not built here: run "npm run build:web" and start again.'
const NOT_FOUND = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No such event</title>
<main>
<h1>There is no such event</h1>
<p>Nothing is on sale at this address. Please check the link that brought you here.</p>
</main>
</html>
`
