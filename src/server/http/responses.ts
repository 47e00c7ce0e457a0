import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { gzip, gzipSync } from 'node:zlib'

/** For public data: it depends on no cookie and no account, so pages of every origin may read it. */
export const PUBLIC_HEADERS = { 'access-control-allow-origin': '*' } as const

/** For the data of one caller, and for states that change. */
export const NO_STORE = { 'cache-control': 'no-store' } as const

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(value)
  // With a length, Node sends one piece. Without one it sends chunks, which cost more under a flood of refusals.
  const length = Buffer.byteLength(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': length,
    ...headers,
  })
  response.end(body)
}

/** Sends the message in the shape of GraphQL's errors, so that clients parse one shape. */
export function sendError(response: ServerResponse, status: number, message: string): void {
  const code = status === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT'
  // A cache may keep some errors by itself (RFC 9111, 4.2.2), and would then serve them to all clients.
  sendJson(response, status, { errors: [{ message, extensions: { code } }] }, NO_STORE)
}

/** A response that clients and CDNs cache by its digest. */
export interface Cacheable {
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  /** All headers of a 200 response, as an alternating list of names and values: made once for all clients. */
  readonly head: string[]
  /** A short body is a string: Node sends it in one piece with the headers, and a Buffer in a second piece. */
  readonly body: Buffer | string
  /** The same for clients that accept gzip. Every browser does, also without TLS, where none of them accepts brotli. */
  readonly gzipped: { readonly head: string[]; readonly body: Buffer }
}

const compress = promisify(gzip)

/** Compresses the body on a thread. */
export async function toCacheable(
  body: Buffer | string,
  etag: string,
  headers: Record<string, string>,
): Promise<Cacheable> {
  return cacheable(body, await compress(body), etag, headers)
}

/** Returns a short body with its digest as its etag. */
export function toDigested(body: string, headers: Record<string, string>): Cacheable {
  const digest = createHash('sha256').update(body).digest('base64url').slice(0, 22)
  return cacheable(body, gzipSync(body), `"${digest}"`, headers)
}

function cacheable(
  body: Buffer | string,
  compressed: Buffer,
  etag: string,
  headers: Record<string, string>,
): Cacheable {
  const head = (bytes: number, more: Record<string, string>) =>
    Object.entries({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(bytes),
      vary: 'accept-encoding',
      ...headers,
      ...more,
    }).flat()
  return {
    headers,
    etag,
    head: head(Buffer.byteLength(body), { etag }),
    body,
    // Two encodings of one content share a weak validator (RFC 9110, 8.8.1).
    gzipped: {
      head: head(compressed.length, { 'content-encoding': 'gzip', etag: `W/${etag}` }),
      body: compressed,
    },
  }
}

const REFUSES_GZIP = /\bgzip\s*;\s*q=0(?:\.0*)?\s*(?:,|$)/i

/** True for a client that accepts gzip, by its Accept-Encoding. */
export function acceptsGzip({ headers }: IncomingMessage): boolean {
  const accepted = headers['accept-encoding']
  return typeof accepted === 'string' && /\bgzip\b/i.test(accepted) && !REFUSES_GZIP.test(accepted)
}

/** True for a client that has the content of this etag already, by its If-None-Match. */
export function hasAlready({ headers }: IncomingMessage, etag: string): boolean {
  const given = headers['if-none-match']
  return given?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag) ?? false
}

export function sendNotModified(
  response: ServerResponse,
  etag: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(304, { ...headers, etag }).end()
}

/** Sends the response, or 304 to a client that has it already. */
export function sendCacheable(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, etag, head, body, gzipped }: Cacheable,
): void {
  if (request.headers['if-none-match'] === '*' || hasAlready(request, etag))
    sendNotModified(response, etag, headers)
  else {
    const sent = acceptsGzip(request) ? gzipped : { head, body }
    Object.assign(response, { isShared: typeof sent.body !== 'string' })
    response.writeHead(200, sent.head).end(request.method === 'HEAD' ? undefined : sent.body)
  }
}
