import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
} from 'node:http'

type Head = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * An answer, which tells its request's id. Added where the head is written: after a `setHeader` Node takes every header of the
 * head by itself.
 */
export class Reply<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  requestId = ''

  override writeHead(status: number, reason?: string | Head, headers?: Head): this {
    const head = (typeof reason === 'object' ? reason : headers) as OutgoingHttpHeaders
    return super.writeHead(status, { 'x-request-id': this.requestId, ...head })
  }
}
