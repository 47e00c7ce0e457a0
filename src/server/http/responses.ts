import type { IncomingMessage, ServerResponse } from 'node:http'

/** Public to everybody's pages: no cookie and no account has a part in it. */
export const FOR_EVERYBODY = { 'access-control-allow-origin': '*' } as const

export function sendJson(
  response: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(value)
  // With its length it goes out in one piece; without, in chunks, which a flood that is refused pays for each time.
  const length = Buffer.byteLength(body)
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': length,
    ...headers,
  })
  response.end(body)
}

/** A sentence in the shape of GraphQL's errors: one shape for every client. */
export function sendError(response: ServerResponse, status: number, message: string): void {
  const code = status === 404 ? 'NOT_FOUND' : 'BAD_USER_INPUT'
  sendJson(response, status, { errors: [{ message, extensions: { code } }] })
}

/** Bytes that are kept by whoever asks, under their digest. */
export interface Cacheable {
  readonly headers: Readonly<Record<string, string>>
  readonly etag: string
  /** All of the answer's headers, names and values by turns: put together once for everybody. */
  readonly head: string[]
  /** A short one as text: Node sends that in one piece with the headers, and bytes in a second one. */
  readonly body: Buffer | string
}

export function toCacheable(body: Buffer | string, etag: string, headers: Record<string, string>): Cacheable {
  const all = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
    ...headers,
    etag,
  }
  return { headers, etag, head: Object.entries(all).flat(), body }
}

/** Sends them, or says that the client has them already. */
export function sendCacheable(
  request: IncomingMessage,
  response: ServerResponse,
  { headers, etag, head, body }: Cacheable,
): void {
  const given = request.headers['if-none-match']
  const isKnown = given === '*' || given?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
  if (isKnown) response.writeHead(304, { ...headers, etag }).end()
  else response.writeHead(200, head).end(request.method === 'HEAD' ? undefined : body)
}
