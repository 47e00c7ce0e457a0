import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { NO_STORE } from './responses.ts'

interface Connection {
  unanswered: number
  /** Requests after the refused one, which get no answer. */
  dropped: number
  isRefused: boolean
}

/**
 * Bounds the requests of one connection that are not answered yet. Node parses everything that a client pipelines, and begins all
 * of it at once. Returns a function that is true where the request may begin. The first request too many gets 503 after the
 * answers before it, and the connection closes.
 */
export function createPipelining({ pipelined, dropped }: { pipelined: number; dropped: number }) {
  const connections = new WeakMap<Socket, Connection>()

  return ({ socket }: IncomingMessage, response: ServerResponse): boolean => {
    let connection = connections.get(socket)
    if (!connection) {
      connection = { unanswered: 0, dropped: 0, isRefused: false }
      connections.set(socket, connection)
    }
    const of = connection
    if (of.isRefused) {
      if (++of.dropped > dropped) socket.destroy()
      return false
    }
    if (of.unanswered === pipelined) {
      of.isRefused = true
      response
        .writeHead(503, { connection: 'close', 'retry-after': '1', 'content-length': '0', ...NO_STORE })
        .end()
      return false
    }
    of.unanswered++
    response.once('close', () => {
      of.unanswered--
    })
    return true
  }
}
