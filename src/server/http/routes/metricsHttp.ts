import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Gauges } from '../../metrics/gauges.ts'
import { NO_STORE, sendError } from '../responses.ts'

/** `/metrics`: the metrics of this process, to a reader that sends the token. A null token lets in every reader. */
export function createMetricsHttp(gauges: Pick<Gauges, 'read'>, token: string | null) {
  const expected = token === null ? null : digest(`Bearer ${token}`)

  return async ({ method, headers }: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (expected && !timingSafeEqual(digest(headers.authorization ?? ''), expected)) {
      response.setHeader('www-authenticate', 'Bearer')
      return sendError(response, 401, 'Send the token of the metrics as "Authorization: Bearer <token>".')
    }
    const { contentType, text } = await gauges.read()
    response
      .writeHead(200, { 'content-type': contentType, ...NO_STORE })
      .end(method === 'HEAD' ? undefined : text)
  }
}

/** Of one length, so that the comparison takes the same time for every guess. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
