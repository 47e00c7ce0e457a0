import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Env } from '../../env.ts'

/**
 * What a browser may send from another origin. Browsers do not count `authorization` to `*`. The wildcard allows the names
 * that clients send for their own purposes, such as `apollographql-client-name`.
 */
const ALLOWED_HEADERS = 'authorization, content-type, device-id, admission-token, x-request-id, *'
const EXPOSED_HEADERS = 'retry-after, x-request-id'
/** Chromium keeps the answer to a preflight for so long at most. */
const PREFLIGHT_SECONDS = 7_200

/** True for a page or an app shell that ALLOWED_ORIGINS lists. */
export function isAllowedOrigin({ allowedOrigins }: Pick<Env, 'allowedOrigins'>, origin: string): boolean {
  return allowedOrigins.includes(origin.toLowerCase())
}

/**
 * Lets a browser pass the answer on to a page of an allowed origin (CORS). Credentials are not allowed: the API uses no cookies.
 * Sets no header where ALLOWED_ORIGINS is empty.
 */
export function allowOrigin(
  env: Env,
  { headers: { origin } }: IncomingMessage,
  response: ServerResponse,
): void {
  if (env.allowedOrigins.length === 0) return
  response.setHeader('vary', 'origin')
  if (origin === undefined || !isAllowedOrigin(env, origin)) return
  response.setHeader('access-control-allow-origin', origin)
  response.setHeader('access-control-expose-headers', EXPOSED_HEADERS)
}

/** Answers the question of a browser that comes before a request from another origin. */
export function sendPreflight(env: Env, request: IncomingMessage, response: ServerResponse): void {
  allowOrigin(env, request, response)
  if (response.hasHeader('access-control-allow-origin')) {
    response.setHeader('access-control-allow-methods', 'GET, POST')
    response.setHeader('access-control-allow-headers', ALLOWED_HEADERS)
    response.setHeader('access-control-max-age', PREFLIGHT_SECONDS)
  }
  response.writeHead(204, { allow: 'GET, POST, OPTIONS' }).end()
}
