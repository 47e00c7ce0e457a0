import type { ServerResponse } from 'node:http'
import { NO_STORE } from '../responses.ts'
import type { Connection } from './connections.ts'

/**
 * Bounds the requests of one connection that are not answered yet. Node parses everything that a client pipelines, and begins all
 * of it at once. Returns a function that is true where the request may begin. The first request too many gets 503 after the
 * answers before it, and the connection closes.
 */
export function createPipelining({ pipelined, dropped }: { pipelined: number; dropped: number }) {
  return (connection: Connection, response: ServerResponse): boolean => {
    const { unanswered, socket } = connection
    if (connection.isRefused) {
      if (++connection.dropped > dropped) socket.destroy()
      return false
    }
    if (unanswered.size === pipelined) {
      connection.isRefused = true
      response
        .writeHead(503, { connection: 'close', 'retry-after': '1', 'content-length': '0', ...NO_STORE })
        .end()
      return false
    }
    unanswered.add(response)
    response.once('close', () => unanswered.delete(response))
    return true
  }
}
