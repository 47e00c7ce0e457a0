import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { sendBareAnswer } from './bareAnswer.ts'
import { boundBody } from './pieces.ts'

/** The answers that Node gives to requests that it cannot parse, or that are too slow. */
const STATUS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/**
 * Answers broken requests as Node does, with the security headers.
 *
 * @param hasBegun true where an answer on the connection has begun: its bytes must stay apart from others
 */
export function answerBrokenRequests(
  server: Server,
  hasBegun: (stream: Duplex) => boolean,
  security: readonly string[],
): void {
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    if (!stream.writable || hasBegun(stream) || error.code === 'ECONNRESET') return void stream.destroy(error)
    stream.on('error', () => stream.destroy())
    sendBareAnswer(stream, STATUS[error.code ?? ''] ?? '400 Bad Request', security)
  })
  server.on('checkExpectation', (request, response) => refuse(request, response, 417))
}

/**
 * False for a request of HTTP/1.1 that names no host, which gets 400 (RFC 9112, 3.2). Node's own answer, with `requireHostHeader`, would
 * still read the body.
 */
export function hasHost(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.headers.host !== undefined || request.httpVersion !== '1.1') return true
  refuse(request, response, 400)
  return false
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  boundBody(request, false)
  response.writeHead(status, { connection: 'close', 'content-length': 0 }).end()
}
